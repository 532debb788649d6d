"""What happens is captured, once, and comes to mind in the next session."""

from __future__ import annotations

from hindsight_core.events import AgentSaid, RunEnded, RunStarted, ToolCalled
from hindsight_core.schema import Kind
from hindsight_core.testing._adapter_contract_stage import MARK, Route, Stage, scenario

_WISH = "Whenever you write me a report, write it in French."
_TASK = "Fetch the report of the service."
_OLD, _NEW = {"path": "/v1/report"}, {"path": "/v2/report"}


@scenario()
def what_a_person_wishes_is_shown_in_the_next_session(stage: Stage) -> None:
    first = stage.memory()
    answer = stage.say(stage.agent(first), _WISH, "I will.")
    assert answer == "I will.", f"the driver's turn came back with {answer!r}"
    assert MARK not in stage.shown(), "an empty memory put a block before the model"
    first.close()
    again = stage.memory()
    stage.say(stage.agent(again, session="session-2"), "Write me a report on pears.", "Voilà.")
    assert "in French" in stage.shown(), "the wish did not reach the model of the next session"
    assert stage.requests[-1][0]["role"] == "system", "the request begins with another message"


@scenario()
def a_failure_and_its_fix_become_a_lesson_that_is_shown_in_the_next_session(stage: Stage) -> None:
    first, route = stage.memory(), Route()
    agent = stage.agent(first, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is.")
    assert route.ran == ["/v1/report", "/v2/report"], f"the tool ran for {route.ran}"
    lessons = [m for m in stage.learnt(first) if m.kind is Kind.LESSON]
    assert len(lessons) == 1, f"{len(lessons)} lessons were learnt of one failure and its fix"
    first.close()
    again = stage.memory()
    stage.say(stage.agent(again, session="session-2", tools=[route.tool()]), _TASK, "Gladly.")
    assert "/v2/report" in stage.shown(), "the lesson did not reach the model of the next session"


@scenario()
def a_run_is_captured_whole_and_in_order(stage: Stage) -> None:
    memory, route = stage.memory(), Route()
    agent = stage.agent(memory, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is.")
    memory.flush()
    assert stage.said(memory) == [_TASK]
    assert stage.calls(memory) == [("fetch", _OLD, True), ("fetch", _NEW, False)]
    failed, worked = stage.events(memory, ToolCalled)
    assert "404 Not Found" in failed.result, f"the failure's text is {failed.result!r}"
    assert "the contents of /v2/report" in worked.result
    (started,) = stage.events(memory, RunStarted)
    assert started.framework == stage.driver.name
    assert started.task == _TASK, f"the task is {started.task!r}"
    assert {event.scope.user for event in stage.events(memory, ToolCalled)} == {"ann"}
    assert [event.text for event in stage.events(memory, AgentSaid)] == ["Here it is."]
    assert [event.ok for event in stage.events(memory, RunEnded)] == [True]


@scenario()
def what_one_user_taught_no_other_user_is_shown(stage: Stage) -> None:
    memory, route = stage.memory(), Route()
    ann = stage.agent(memory, user="ann", tools=[route.tool()])
    stage.say(ann, _WISH, [("fetch", _OLD)], [("fetch", _NEW)], "I will.")
    bob = stage.agent(memory, user="bob", session="session-2", tools=[route.tool()])
    stage.say(bob, "Write me a report on pears.", [("fetch", _OLD)], "No.")
    for place in (-1, -2):
        assert MARK not in stage.shown(place), "a block of another user's memories was shown"
    assert "/v2/report" not in stage.shown(), "another user's lesson completed a failure"
    assert stage.learnt(memory, "ann"), "the first user taught nothing"
    taught = {event.scope.user for event in stage.events(memory, ToolCalled)}
    assert taught == {"ann", "bob"}, f"calls were captured for {taught}"
    assert not any("French" in m.content for m in stage.learnt(memory, "bob"))


@scenario()
def the_same_call_made_again_is_captured_as_another_attempt(stage: Stage) -> None:
    memory, route = stage.memory(), Route()
    agent = stage.agent(memory, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _OLD)], "It is gone.")
    assert stage.calls(memory) == [("fetch", _OLD, True)] * len(route.ran)
    assert len(route.ran) >= 2, "the tool did not run for each call"


@scenario()
def a_request_that_is_sent_again_changes_nothing(stage: Stage) -> None:
    memory, route = stage.memory(), Route(gone=())
    agent = stage.agent(memory, tools=[route.tool()])
    stage.say(agent, _TASK, 503, [("fetch", _OLD)], 503, "Here it is.")
    assert len(stage.requests) == 4, "the framework did not send the request again"
    assert stage.said(memory) == [_TASK]
    assert stage.calls(memory) == [("fetch", _OLD, False)]


@scenario(needs="resume")
def a_history_that_is_loaded_again_is_not_captured_again(stage: Stage) -> None:
    first, route = stage.memory(), Route()
    agent = stage.agent(first, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], "It is gone.")
    resumed = agent.resumed()
    answer = stage.say(resumed, "And now?", "It is still gone.")
    assert answer == "It is still gone."
    assert _TASK in stage.shown(), "the driver's resumed agent does not know its history"
    assert stage.said(first) == [_TASK, "And now?"]
    assert stage.calls(first) == [("fetch", _OLD, True)]


@scenario()
def several_turns_of_a_conversation_are_each_captured_once(stage: Stage) -> None:
    memory, route = stage.memory(), Route(gone=())
    agent = stage.agent(memory, tools=[route.tool()])
    for turn in ("Fetch the first one.", "Fetch the next one.", "Fetch one more."):
        stage.say(agent, turn, [("fetch", {"path": f"/{turn}"})], f"Done: {turn}")
    assert stage.said(memory) == ["Fetch the first one.", "Fetch the next one.", "Fetch one more."]
    assert [path for _, path, _ in stage.calls(memory)] == [{"path": path} for path in route.ran]
    assert len(stage.events(memory, AgentSaid)) == 3


@scenario(needs="helper")
def an_agent_inside_a_tool_is_captured_once_and_its_orders_are_no_wishes(stage: Stage) -> None:
    memory, route = stage.memory(), Route(gone=())
    helper = stage.plan(memory, session="helper", tools=[route.tool()])
    agent = stage.agent(memory, helper=helper)
    order = "I always want the reports of the service in Klingon."
    stage.say(
        agent,
        _TASK,
        [("helper", {"task": order})],
        [("fetch", _NEW)],
        "The helper has it.",
        "Here it is.",
    )
    assert route.ran == ["/v2/report"], "the driver's helper did not run"
    calls = [call for call in stage.calls(memory) if call[0] == "fetch"]
    assert calls == [("fetch", _NEW, False)], f"the helper's call was captured as {calls}"
    assert stage.said(memory) == [_TASK], "what the agent told its helper counts as a person's word"
    assert not any(
        "Klingon" in m.content for m in stage.learnt(memory) if m.kind is Kind.PREFERENCE
    )


@scenario()
def two_agents_in_one_process_are_each_captured_in_their_own_memory(stage: Stage) -> None:
    first, second = stage.memory("one"), stage.memory("two")
    routes = Route(gone=()), Route(gone=())
    one = stage.agent(first, session="one", tools=[routes[0].tool()])
    two = stage.agent(second, session="two", tools=[routes[1].tool()])
    for turn in ("once", "twice"):
        stage.say(one, f"One, {turn}.", [("fetch", {"path": f"/one/{turn}"})], "Done.")
        stage.say(two, f"Two, {turn}.", [("fetch", {"path": f"/two/{turn}"})], "Done.")
    for memory, name in ((first, "one"), (second, "two")):
        paths = [args["path"] for _, args, _ in stage.calls(memory)]
        assert paths == [f"/{name}/once", f"/{name}/twice"], f"{name} captured {paths}"
        assert stage.said(memory) == [f"{name.title()}, once.", f"{name.title()}, twice."]


@scenario()
def two_agents_over_one_memory_are_each_captured_once(stage: Stage) -> None:
    memory, other, route = stage.memory(), stage.memory(), Route(gone=())
    one = stage.agent(memory, session="one", tools=[route.tool()])
    two = stage.agent(other, session="two", tools=[route.tool()])
    stage.say(one, "One speaks.", [("fetch", {"path": "/one"})], "Done.")
    stage.say(two, "Two speaks.", [("fetch", {"path": "/two"})], "Done.")
    assert [args["path"] for _, args, _ in stage.calls(memory)] == ["/one", "/two"]
    assert stage.said(memory) == ["One speaks.", "Two speaks."]


@scenario(needs="adapters")
def two_adapters_on_one_agent_capture_once(stage: Stage) -> None:
    memory, route = stage.memory(), Route()
    agent = stage.agent(memory, adapters=2, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is.")
    assert stage.said(memory) == [_TASK]
    assert stage.calls(memory) == [("fetch", _OLD, True), ("fetch", _NEW, False)]


@scenario(needs="parallel")
def parallel_calls_are_each_captured_with_their_own_outcome(stage: Stage) -> None:
    memory, paths = stage.memory(), [f"/{n}" for n in range(6)]
    route = Route(gone=paths[::2])
    agent = stage.agent(memory, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", {"path": path}) for path in paths], "Done.")
    captured = sorted((args["path"], failed) for _, args, failed in stage.calls(memory))
    assert captured == [(path, path in route.gone) for path in paths]
    for event in stage.events(memory, ToolCalled):
        path = str(event.call.args["path"])
        assert path in event.result, f"the result of {path} is {event.result!r}"
    assert len({event.run_id for event in stage.events(memory, ToolCalled)}) == 1
