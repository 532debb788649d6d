"""What the gate does to a crew's call that is known to fail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from crewai_kit import ITS_OWN_WARNINGS, HindsightMemory, crew_at, events, react_at, tool

from hindsight_core import GateMode, Hindsight, Kind
from hindsight_core.events import CallFlagged, ToolCalled, ToolRejected
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

TASK = "Fetch the report."
ran: list[str] = []


@tool("fetch")
def fetch(path: str) -> str:
    """Fetch a path."""
    ran.append(path)
    raise LookupError(f"404 not found: {path}")


CALL = [("fetch", {"path": "/v1"})]


@pytest.fixture(params=["native", "react"])
def drive(request: pytest.FixtureRequest) -> Callable[..., list[Any]]:
    """Runs a crew that makes the call once; the messages of its last request to the model."""

    def run(memory: Hindsight, **options: Any) -> list[Any]:
        native = request.param == "native"
        words = 'Thought: go\nAction: fetch\nAction Input: {"path": "/v1"}'
        script: list[Any] = [CALL if native else words, "Thought: no\nFinal Answer: done"]
        watched = HindsightMemory(memory, user="u", **options)
        ran.clear()
        with ScriptedServer(script) as server:
            agent = {} if native else {"llm": react_at(server)}
            crew_at(server, watched, TASK, tools=[fetch], agent=agent).kickoff()
            last = server.chats[-1]["messages"]
        watched.close()
        return last

    return run


def test_the_gate_advises_with_the_failure_and_leaves_the_history_as_it_is(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory()
    before = drive(memory)
    after = drive(memory)
    assert "likely to fail again" not in str(before)
    assert "is likely to fail again" in str(after[1:])
    assert ran
    assert [e.action for e in events(memory, CallFlagged)] == ["advise"]


def test_the_gate_only_notes_a_call_where_it_is_to_observe(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory(gate=GateMode.OBSERVE)
    drive(memory)
    messages = drive(memory)
    assert "likely to fail again" not in str(messages)
    assert len(events(memory, CallFlagged)) == 1


def test_a_blocked_call_does_not_run_and_the_agent_is_told_why(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory(gate=GateMode.BLOCK)
    drive(memory)
    messages = drive(memory)
    assert ran == []
    assert "404 not found: /v1" in str(messages[1:])
    assert "blocked by hook" not in str(messages)
    assert len(events(memory, ToolCalled)) == 1


def test_a_person_who_is_asked_may_let_the_call_run(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory, asked = open_memory(gate=GateMode.CONFIRM), []

    def ask(context: Any, question: str) -> bool:
        asked.append((context.tool_name, question))
        return True

    drive(memory)
    drive(memory, ask=ask)
    assert ran
    ((name, question),) = asked
    assert name == "fetch"
    assert "404 not found: /v1" in question
    assert events(memory, ToolRejected) == []


def test_a_person_who_refuses_is_recorded_with_his_reason(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    drive(memory)
    drive(memory, ask=lambda _, __: "Never fetch the first version.")
    assert ran == []
    (rejected,) = events(memory, ToolRejected)
    assert (rejected.call.tool, rejected.text) == ("fetch", "Never fetch the first version.")
    assert len(events(memory, ToolCalled)) == 1


def test_where_nobody_can_be_asked_the_call_does_not_run(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    drive(memory)
    drive(memory)
    assert ran == []
    assert events(memory, ToolRejected) == []


@pytest.mark.parametrize(("said", "runs"), [("yes", True), ("同意", True), ("", False)])
def test_at_a_terminal_crewais_own_prompt_asks(
    said: str,
    runs: bool,
    drive: Callable[..., list[Any]],
    open_memory: Callable[..., Hindsight],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    drive(memory)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda: said)
    drive(memory)
    assert bool(ran) is runs
    assert len(events(memory, ToolRejected)) == (not runs)


@pytest.mark.swallows
def test_where_asking_fails_the_call_does_not_run(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    def ask(context: Any, question: str) -> bool:
        raise ConnectionError("the chat is down")

    memory = open_memory(gate=GateMode.CONFIRM)
    drive(memory)
    drive(memory, ask=ask)
    assert ran == []
    assert memory.health().errors == {"crewai.ask": 1}


def test_a_call_that_a_hook_of_the_users_own_stopped_teaches_nothing(
    drive: Callable[..., list[Any]], open_memory: Callable[..., Hindsight]
) -> None:
    from crewai.hooks import register_before_tool_call_hook, unregister_before_tool_call_hook

    def stop(context: Any) -> bool:
        return False

    memory = open_memory()
    register_before_tool_call_hook(stop)
    try:
        drive(memory)
    finally:
        unregister_before_tool_call_hook(stop)
    assert events(memory, ToolCalled) == []
    assert [m for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.LESSON] == []
