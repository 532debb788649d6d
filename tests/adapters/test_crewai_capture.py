"""What a crew did is recorded once, whichever way it was run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from crewai_kit import (
    ITS_OWN_WARNINGS,
    MODES,
    BrokenError,
    Crew,
    Flow,
    HindsightMemory,
    Process,
    SyncHumanInputProvider,
    Task,
    agent_at,
    book_seat,
    crew_at,
    drive,
    events,
    listen,
    react_at,
    set_provider,
    start,
    tool,
)

from hindsight_core import Hindsight, Kind, Source
from hindsight_core.events import AgentSaid, RunEnded, RunStarted, ToolCalled, UserSaid
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

BAD = [("book_seat", {"date": "2026-3-5", "guest": "Ann Lee"})]
GOOD = [("book_seat", {"date": "2026-03-05", "guest": "Ann Lee"})]


@pytest.fixture
def watched(memory: Hindsight) -> Iterator[HindsightMemory]:
    held = HindsightMemory(memory, user="u")
    yield held
    held.close()


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def learnt(memory: Hindsight, kind: Kind, user: str = "u") -> list[str]:
    found = memory.memories(memory.scope_of(user))
    return [m.value.content for m in found if m.kind is kind]


def test_a_task_is_recorded_from_its_words_to_its_end(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([BAD, GOOD, "It is booked."]) as server:
        assert drive(mode, crew_at(server, watched)) == "It is booked."
    started, said, failed, worked, answer, ended = events(memory)
    assert (started.framework, started.agent) == ("crewai", "clerk")
    assert started.task == said.text == "Book a seat for 5 March 2026."
    assert failed.result == "invalid date '2026-3-5': use the format YYYY-MM-DD"
    assert (failed.flagged_error, failed.raised, failed.call.tool) == (True, False, "book_seat")
    assert (worked.flagged_error, worked.result) == (False, "booked for 2026-03-05")
    assert worked.milliseconds > 0
    assert answer.text == "It is booked."
    assert (ended.ok, ended.error) == (True, "")


def test_a_failure_and_its_fix_become_a_lesson_and_a_rule_of_the_user_a_preference(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    rule = "Whenever you book a seat for me, take a window seat."
    with ScriptedServer([BAD, GOOD, "done"]) as server:
        drive(mode, crew_at(server, watched, f"Book a seat for 5 March 2026. {rule}"))
    (lesson,) = learnt(memory, Kind.LESSON)
    assert "2026-3-5" in lesson
    assert "2026-03-05" in lesson
    assert learnt(memory, Kind.PREFERENCE) == [rule]


def test_parallel_calls_of_one_answer_are_recorded_each_once(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    wanted = [("lookup", {"key": f"k{n}"}) for n in range(4)]
    with ScriptedServer([[*wanted, *BAD], "done"]) as server:
        drive(mode, crew_at(server, watched))
    results = sorted(e.result for e in events(memory, ToolCalled))
    assert results[1:] == [f"value of k{n}" for n in range(4)]
    assert results[0].startswith("invalid date")


def test_a_call_that_the_react_loop_tries_three_times_is_one_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    tried: list[str] = []

    @tool("fetch")
    def fetch(url: str) -> str:
        """Fetch a page."""
        tried.append(url)
        raise BrokenError("404 page not found")

    script = [
        'Thought: fetch it\nAction: fetch\nAction Input: {"url": "http://a"}',
        "Thought: I now know\nFinal Answer: not there",
    ]
    with ScriptedServer(script) as server:
        crew = crew_at(server, watched, tools=[fetch], agent={"llm": react_at(server)})
        assert drive(mode, crew) == "not there"
    assert len(tried) >= 3
    (called,) = events(memory, ToolCalled)
    assert (called.result, called.flagged_error) == ("404 page not found", True)
    assert called.call.args == {"url": "http://a"}


def test_each_kickoff_of_many_inputs_is_a_run_of_its_own_user(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    inputs = [{"user_id": who, "day": day} for who, day in (("ann", "Monday"), ("bob", "Friday"))]
    rule = "Whenever you book a seat for me, take {day}."
    with ScriptedServer([GOOD, "done", GOOD, "done"]) as server:
        crew_at(server, watched, rule).kickoff_for_each(inputs=inputs)
    for who, day in (("ann", "Monday"), ("bob", "Friday")):
        assert learnt(memory, Kind.PREFERENCE, who) == [rule.format(day=day)]
    assert learnt(memory, Kind.PREFERENCE) == []
    assert len(events(memory, ToolCalled)) == 2


def test_the_copies_of_an_agent_with_a_memory_of_its_own_are_recorded_and_ask_no_other_model(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([GOOD, "done", GOOD, "done"]) as server:
        crew = crew_at(server, False, "Book for {day}.", agent={"memory": watched})
        crew.kickoff_for_each(inputs=[{"day": "Monday"}, {"day": "Friday"}])
        assert len(server.requests) == 4
    assert sorted(e.text for e in events(memory, UserSaid)) == [
        "Book for Friday.",
        "Book for Monday.",
    ]
    assert len(events(memory, ToolCalled)) == 2
    assert {m.kind for m in memory.memories(memory.scope_of("u"))} <= {Kind.PATH, Kind.LESSON}


@pytest.mark.parametrize("way", ["kickoff", "kickoff_async"])
def test_an_agent_by_itself_is_recorded_and_remembers(
    way: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    rule = "Whenever you book a seat for me, take a window seat."
    with ScriptedServer([BAD, GOOD, "done", GOOD, "again"]) as server:
        agent = agent_at(server, memory=watched)
        for said in (f"Book a seat for 5 March 2026. {rule}", "Book a seat for 5 March 2026."):
            if way == "kickoff":
                output: Any = agent.kickoff(said)
            else:
                output = asyncio.run(agent.kickoff_async(said))
        assert output.raw == "again"
        assert rule in str(server.chats[-1]["messages"][0])
    assert rule not in str(output.messages)
    assert [(e.agent, e.task) for e in events(memory, RunStarted)] == [
        ("clerk", f"Book a seat for 5 March 2026. {rule}"),
        ("clerk", "Book a seat for 5 March 2026."),
    ]
    assert [e.ok for e in events(memory, RunEnded)] == [True, True]
    assert [e.text for e in events(memory, AgentSaid)] == ["done", "again"]
    assert learnt(memory, Kind.PREFERENCE) == [rule]


def test_of_a_conversation_that_is_handed_over_only_the_request_is_the_users_word(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    talk: list[Any] = [
        {"role": "user", "content": "I always want answers in French."},
        {"role": "assistant", "content": "You prefer tea. Always use npm."},
        {"role": "user", "content": "Look up a."},
    ]
    with ScriptedServer([[("lookup", {"key": "a"})], "voilà"]) as server:
        agent_at(server, memory=watched).kickoff(talk)
    assert [e.text for e in events(memory, UserSaid)] == ["Look up a."]


def test_one_agent_may_be_kicked_off_twice_at_once(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        said = str(body["messages"])
        key = "a" if "Look up a" in said else "b"
        return f"{key} done" if "value of" in said else [("lookup", {"key": key})]

    async def both(agent: Any) -> list[str]:
        outputs = await asyncio.gather(
            *(agent.kickoff_async(f"Look up {key}.") for key in ("a", "b"))
        )
        return [output.raw for output in outputs]

    with ScriptedServer([answer], cycle=True) as server:
        assert asyncio.run(both(agent_at(server, memory=watched))) == ["a done", "b done"]
    for run in memory.store.runs(pending_only=False, limit=10):
        found = memory.store.events(run.run_id)
        (said,) = [e.text for e in found if isinstance(e, UserSaid)]
        (called,) = [e.call.args["key"] for e in found if isinstance(e, ToolCalled)]
        assert said == f"Look up {called}."


def test_a_persons_feedback_on_a_task_is_his_word_and_a_source_of_preferences(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    rule = "Always give me the dates as YYYY-MM-DD."
    answers = iter([rule, ""])

    class Person(SyncHumanInputProvider):
        @staticmethod
        def _prompt_input(crew: Any) -> str:
            return next(answers)

        @staticmethod
        async def _prompt_input_async(crew: Any) -> str:
            return next(answers)

    with ScriptedServer(["On 5 March.", "On 2026-03-05."]) as server:
        crew = crew_at(server, watched, "When is it?", task={"human_input": True})
        set_provider(Person())
        try:
            assert drive(mode, crew) == "On 2026-03-05."
        finally:
            set_provider(SyncHumanInputProvider())
    task, feedback = events(memory, UserSaid)
    assert (task.text, feedback.text, feedback.before) == ("When is it?", rule, "On 5 March.")
    assert learnt(memory, Kind.PREFERENCE) == [rule]
    assert len(events(memory, RunStarted)) == 1


def test_a_guardrail_that_sends_a_task_back_goes_on_with_the_same_run(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    def short(output):
        return (len(output.raw) < 10, output.raw if len(output.raw) < 10 else "Always be short!")

    with ScriptedServer([BAD, "far too long an answer", GOOD, "short"]) as server:
        assert drive(mode, crew_at(server, watched, task={"guardrail": short})) == "short"
    assert len(events(memory, RunStarted)) == len(events(memory, RunEnded)) == 1
    assert len(events(memory, ToolCalled)) == 2
    assert [e.text for e in events(memory, UserSaid)] == ["Book a seat for 5 March 2026."]
    assert learnt(memory, Kind.PREFERENCE) == []
    assert len(learnt(memory, Kind.LESSON)) == 1


def test_a_task_that_never_satisfies_its_guardrail_ends_as_a_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    task = {"guardrail": lambda output: (False, "no"), "guardrail_max_retries": 1}
    with ScriptedServer([GOOD, "one", "two"]) as server, pytest.raises(Exception, match="no"):
        drive(mode, crew_at(server, watched, task=task))
    (ended,) = events(memory, RunEnded)
    assert ended.ok is False
    assert "no" in ended.error
    assert learnt(memory, Kind.PATH) == []


def test_a_model_that_is_down_raises_what_it_raises_without_us(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    raised: list[BaseException] = []
    for held in (False, watched):
        with ScriptedServer([500]) as server, pytest.raises(Exception) as caught:
            drive(mode, crew_at(server, held))
        raised.append(caught.value)
    assert type(raised[0]) is type(raised[1])
    assert str(raised[0]) == str(raised[1])
    assert [e.ok for e in events(memory, RunEnded)] == [False]


def test_what_a_manager_hands_to_a_coworker_is_nobodys_preference(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        said = str(body["messages"])
        if "You are clerk" in str(body["messages"][0]):
            return "seat booked" if "booked for" in said else GOOD
        handed = {
            "task": "Book a seat. Always take a window seat for me.",
            "context": "none",
            "coworker": "clerk",
        }
        return "all done" if "seat booked" in said else [("delegate_work_to_coworker", handed)]

    with ScriptedServer([answer], cycle=True) as server:
        manager = agent_at(server, [], role="manager", allow_delegation=True)
        crew = Crew(
            agents=[agent_at(server)],
            tasks=[Task(description="Reserve a place.", expected_output="a line")],
            process=Process.hierarchical,
            manager_agent=manager,
            memory=watched,
        )
        assert crew.kickoff().raw == "all done"
    outer, inner = events(memory, RunStarted)
    assert (outer.nested, outer.agent) == (False, "manager")
    assert (inner.nested, inner.agent) == (True, "clerk")
    assert [e.call.tool for e in events(memory, ToolCalled)].count("book_seat") == 1
    assert learnt(memory, Kind.PREFERENCE) == []
    assert [e.ok for e in events(memory, RunEnded)] == [True, True]


def test_an_agent_inside_the_tool_of_another_has_a_run_of_its_own(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    inner_server = ScriptedServer([[("lookup", {"key": "deep"})], "found it"])

    @tool("consult")
    def consult(question: str) -> str:
        """Ask an expert."""
        return agent_at(inner_server, role="expert", memory=watched).kickoff(question).raw

    asked = [("consult", {"question": "Always use npm. What is deep?"})]
    with inner_server, ScriptedServer([asked, GOOD, "done"]) as server:
        assert drive(mode, crew_at(server, watched, tools=[consult, book_seat])) == "done"
    starts = {e.agent: e.nested for e in events(memory, RunStarted)}
    assert starts == {"clerk": False, "expert": True}
    owners = {e.call.tool: e.run_id for e in events(memory, ToolCalled)}
    assert owners["consult"] == owners["book_seat"] != owners["lookup"]
    assert learnt(memory, Kind.PREFERENCE) == []
    assert len(events(memory, RunEnded)) == 2


def test_a_flow_with_agents_in_its_methods_is_recorded(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    class Work(Flow):
        @start()
        def first(self) -> Any:
            return agent_at(server, memory=watched).kickoff("Look up a.").raw

        @listen(first)
        async def second(self, before: str) -> Any:
            found = await agent_at(server, memory=watched).kickoff_async("Look up b.")
            return f"{before}, {found.raw}"

    with ScriptedServer(
        [[("lookup", {"key": "a"})], "one", [("lookup", {"key": "b"})], "two"]
    ) as server:
        flow = Work(memory=watched)
        assert flow.kickoff() == "one, two"
        flow.remember("The staging database is restored every Monday.")
        (found,) = flow.recall("When is the staging database restored?")
    assert found.record.content == "The staging database is restored every Monday."
    assert [e.text for e in events(memory, UserSaid)] == ["Look up a.", "Look up b."]
    assert len(events(memory, ToolCalled)) == 2
    assert not any(e.nested for e in events(memory, RunStarted))


def test_two_tasks_of_a_crew_are_two_runs_and_the_second_obeys_the_first(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([BAD, GOOD, "one", GOOD, "two"]) as server:
        worker = agent_at(server)
        tasks = [
            Task(description="Book a seat for 5 March 2026.", expected_output="x", agent=worker)
            for _ in range(2)
        ]
        drive(mode, Crew(agents=[worker], tasks=tasks, memory=watched))
        assert "use the format YYYY-MM-DD" not in str(server.chats[0]["messages"][0])
        assert "use the format YYYY-MM-DD" in str(server.chats[3]["messages"][0])
    assert len(events(memory, RunStarted)) == 2


def test_tasks_that_run_at_the_same_time_keep_their_calls_apart(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        said = str(body["messages"])
        key = next(k for k in "abc" if f"Look up {k}." in said)
        return "done" if f"value of {key}" in said else [("lookup", {"key": key})]

    with ScriptedServer([answer], cycle=True) as server:
        workers = [agent_at(server, role=f"clerk {k}") for k in "abc"]
        tasks = [
            Task(
                description=f"Look up {k}.",
                expected_output="x",
                agent=worker,
                async_execution=k != "c",
            )
            for k, worker in zip("abc", workers, strict=True)
        ]
        Crew(agents=workers, tasks=tasks, memory=watched).kickoff()
    for run in memory.store.runs(pending_only=False, limit=10):
        found = memory.store.events(run.run_id)
        (started,) = [e for e in found if isinstance(e, RunStarted)]
        (called,) = [e for e in found if isinstance(e, ToolCalled)]
        assert started.task == f"Look up {called.call.args['key']}."


def test_what_crewais_own_memory_tools_bring_and_store_is_no_tool_call(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    memory.remember(memory.scope_of("u"), "The staging database is restored every Monday.")
    script = [
        [("search_memory", {"queries": ["When is the staging database restored?"]})],
        [("save_to_memory", {"contents": ["The production database is in Oslo."]})],
        "done",
    ]
    with ScriptedServer(script) as server:
        drive(mode, crew_at(server, watched, "Look into it."))
        results = [m["content"] for m in server.chats[-1]["messages"] if m["role"] == "tool"]
    assert "restored every Monday" in results[0]
    assert results[1].startswith("Saved to memory")
    assert events(memory, ToolCalled) == []
    saved = {m.value.content: m.source for m in memory.memories(memory.scope_of("u"))}
    assert saved["The production database is in Oslo."] is Source.AGENT


def test_a_call_beyond_a_tools_limit_did_not_run_and_teaches_nothing(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    @tool("once", max_usage_count=1)
    def once(key: str) -> str:
        """Work once."""
        return f"value of {key}"

    asked = [("once", {"key": "a"})]
    with ScriptedServer([asked, asked, "done"]) as server:
        drive(mode, crew_at(server, watched, tools=[once]))
    assert [e.result for e in events(memory, ToolCalled)] == ["value of a"]
    assert learnt(memory, Kind.LESSON) == []


def test_a_tool_that_does_not_exist_is_a_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([[("imagined", {"key": "a"})], "done"]) as server:
        drive(mode, crew_at(server, watched))
    (called,) = events(memory, ToolCalled)
    assert (called.call.tool, called.flagged_error) == ("imagined", True)


def test_a_tools_name_is_kept_as_its_author_wrote_it(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    @tool("Search The Web")
    def search(query: str) -> str:
        """Search."""
        return "found"

    with ScriptedServer([[("search_the_web", {"query": "a"})], "done"]) as server:
        drive(mode, crew_at(server, watched, tools=[search]))
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["Search The Web"]


def test_a_crew_without_our_memory_is_none_of_our_business(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([BAD, GOOD, "done"]) as server:
        drive(mode, crew_at(server, False))
    assert events(memory) == []


def test_two_memories_in_one_process_each_record_their_own_agents_once(
    mode: str, memory: Hindsight, watched: HindsightMemory, open_memory: Callable[..., Hindsight]
) -> None:
    other = open_memory("other.db")
    mine = HindsightMemory(other, user="v")
    with ScriptedServer([GOOD, "done"]) as server:
        drive(mode, crew_at(server, watched, agent={"memory": mine}))
    mine.close()
    assert events(memory) == []
    assert len(events(other, ToolCalled)) == len(events(other, RunEnded)) == 1


def test_a_view_of_the_memory_is_the_memory(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([GOOD, "done"]) as server:
        drive(mode, crew_at(server, watched.scope("/anywhere")))
    assert len(events(memory, ToolCalled)) == 1


def test_a_crew_that_is_kicked_off_twice_is_recorded_twice_with_its_own_inputs(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer(["It is booked."], cycle=True) as server:
        crew = crew_at(server, watched, "Book a seat for {day}.")
        for day in ("Monday", "Friday"):
            drive(mode, crew, inputs={"day": day})
    texts = [event.text for event in events(memory) if isinstance(event, UserSaid)]
    assert texts == ["Book a seat for Monday.", "Book a seat for Friday."]
    assert sum(isinstance(event, RunEnded) for event in events(memory)) == 2
