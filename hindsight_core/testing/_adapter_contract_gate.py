"""The gate at a call that is about to repeat a known failure, in its four modes."""

from __future__ import annotations

from typing import Any

from hindsight_core.engine import Hindsight
from hindsight_core.events import CallFlagged, ToolCalled, ToolRejected
from hindsight_core.settings import GateMode
from hindsight_core.testing._adapter_contract_stage import Route, Stage, scenario

_TASK = "Fetch the report of the service."
_OLD, _OTHER = {"path": "/v1/report"}, {"path": "/v3/report"}


def _warned(stage: Stage, mode: GateMode) -> tuple[Hindsight, Route]:
    """A memory in which the failure is known, as another process would open it."""
    memory, route = stage.memory(), Route()
    stage.say(stage.agent(memory, tools=[route.tool()]), _TASK, [("fetch", _OLD)], "It is gone.")
    assert route.ran == ["/v1/report"]
    memory.flush()
    memory.close()
    route.ran.clear()
    return stage.memory(gate=mode), route


def _results(stage: Stage) -> list[str]:
    """What the model was told in its last request of the calls that it made."""
    return [str(m["content"]) for m in stage.requests[-1] if m["role"] == "tool"]


def _repeat(stage: Stage, memory: Hindsight, route: Route, **plan: Any) -> str:
    agent = stage.agent(memory, session="session-2", tools=[route.tool()], **plan)
    return stage.say(agent, _TASK, [("fetch", _OLD)], "It is gone, I see.")


@scenario()
def observe_notes_the_call_and_changes_nothing(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.OBSERVE)
    _repeat(stage, memory, route)
    assert route.ran == ["/v1/report"]
    told = _results(stage)[-1]
    assert "404 Not Found" in told
    assert "failed once" not in told, "a failure's message was completed in mode observe"
    assert [event.call.tool for event in stage.events(memory, CallFlagged)] == ["fetch"]


@scenario()
def advise_lets_the_call_run_and_completes_the_failure(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.ADVISE)
    _repeat(stage, memory, route)
    assert route.ran == ["/v1/report"], "the call did not run"
    told = _results(stage)[-1]
    assert "404 Not Found" in told, f"the failure's own text is gone: {told!r}"
    assert "failed once" in told, "the failure's message was not completed"
    assert [event.action for event in stage.events(memory, CallFlagged)] == ["advise"]
    assert len(stage.events(memory, ToolCalled)) == 2
    assert not any("failed once" in e.result for e in stage.events(memory, ToolCalled))


@scenario()
def block_answers_with_the_lesson_and_does_not_run_the_call(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.BLOCK)
    answer = _repeat(stage, memory, route)
    assert route.ran == [], "the call ran"
    assert answer == "It is gone, I see.", "the agent did not go on"
    assert "failed once" in _results(stage)[-1], "the call was not answered with the lesson"
    assert [event.action for event in stage.events(memory, CallFlagged)] == ["block"]
    assert len(stage.events(memory, ToolCalled)) == 1, "a call that did not run was captured"


@scenario()
def block_stops_that_call_and_no_other(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.BLOCK)
    agent = stage.agent(memory, session="session-2", tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _OTHER)], "Here it is.")
    assert route.ran == ["/v3/report"], f"the tool ran for {route.ran}"
    assert "the contents of /v3/report" in _results(stage)[-1]


@scenario(needs="confirm")
def confirm_runs_the_call_that_a_person_approves(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.CONFIRM)
    asked: list[str] = []

    def approve(question: str) -> bool:
        asked.append(question)
        return True

    _repeat(stage, memory, route, approve=approve)
    assert route.ran == ["/v1/report"], "the call that was approved did not run"
    assert len(asked) == 1, f"the person was asked {len(asked)} times"
    assert "failed once" in asked[0], f"the question is {asked[0]!r}"
    assert stage.events(memory, ToolRejected) == []
    assert len(stage.events(memory, ToolCalled)) == 2


def _refuse(question: str) -> bool:
    del question
    return False


@scenario(needs="confirm")
def confirm_does_not_run_the_call_that_a_person_refuses(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.CONFIRM)
    answer = _repeat(stage, memory, route, approve=_refuse)
    assert route.ran == [], "the call ran although it was refused"
    assert answer == "It is gone, I see.", "the agent did not go on"
    assert [event.call.tool for event in stage.events(memory, ToolRejected)] == ["fetch"]
    assert len(stage.events(memory, ToolCalled)) == 1, "a refusal was captured as a failure"


@scenario()
def confirm_does_not_run_the_call_where_nobody_can_be_asked(stage: Stage) -> None:
    memory, route = _warned(stage, GateMode.CONFIRM)
    _repeat(stage, memory, route, approve=None)
    assert route.ran == [], "the call ran although nobody was asked"
    assert "failed once" in _results(stage)[-1]
