"""A call that is about to repeat a known failure: advised, asked about, or stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import (
    MODES,
    BrokenError,
    ErrorsBecomeMessages,
    calls,
    drive,
    events,
    make,
    thread,
    user,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from hindsight_core import GateMode, Hindsight
from hindsight_core.events import CallFlagged, ToolCalled, ToolRejected

TASK = "fetch the report of route seven"
ROUTE = {"path": "/v1/reports/seven"}


class Route:
    """A tool over a route that is gone, until it is mended; counts how often it was called."""

    def __init__(self) -> None:
        self.gone = True
        self.called = 0

        @tool
        def fetch(path: str) -> str:
            """Fetch a path."""
            self.called += 1
            if self.gone:
                raise BrokenError(f"404 Not Found: {path}")
            return "report"

        self.tool = fetch


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def route() -> Route:
    return Route()


def learn(memory: Hindsight, route: Route) -> None:
    """Let one run meet the failure, and forget that it did."""
    agent = make(
        [calls(("fetch", ROUTE)), "no luck"],
        [route.tool],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
    )
    agent.invoke(user(TASK))
    assert route.called == 1
    route.called = 0


def agent_of(memory: Hindsight, route: Route, *script: Any, **options: Any) -> Any:
    return make(
        [calls(("fetch", ROUTE), ids=["again"]), *(script or ["told"])],
        [route.tool],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
        **options,
    )


def tool_messages(messages: Any) -> list[ToolMessage]:
    return [m for m in messages if isinstance(m, ToolMessage)]


def test_advice_completes_the_failure_before_the_model_and_not_in_the_state(
    mode: str, memory: Hindsight, route: Route
) -> None:
    learn(memory, route)
    agent = agent_of(memory, route)
    result = drive(mode, agent, user(TASK))
    assert route.called == 1
    (shown,) = tool_messages(agent.scripted.shown[1])
    (kept,) = tool_messages(result["messages"])
    assert kept.text == "failed: 404 Not Found: /v1/reports/seven"
    assert shown.text.startswith(f"{kept.text}\n\n")
    assert "fetch" in shown.text.removeprefix(kept.text)
    assert (shown.status, shown.tool_call_id) == ("error", "again")


def test_advice_is_not_given_with_a_success_nor_mixed_into_blocks(
    mode: str, memory: Hindsight, route: Route
) -> None:
    learn(memory, route)
    route.gone = False
    agent = agent_of(memory, route)
    drive(mode, agent, user(TASK))
    assert tool_messages(agent.scripted.shown[1])[0].content == "report"

    class Blocks(ErrorsBecomeMessages):
        @staticmethod
        def _message(request: Any, error: Exception) -> ToolMessage:
            content: list[str | dict[Any, Any]] = [{"type": "text", "text": str(error)}]
            return ToolMessage(content, tool_call_id=request.tool_call["id"], status="error")

    route.gone = True
    learn(memory, Route())
    agent = make(
        [calls(("fetch", ROUTE)), "told"],
        [route.tool],
        middleware=[Blocks(), HindsightMiddleware(memory)],
    )
    drive(mode, agent, user(TASK))
    (shown,) = tool_messages(agent.scripted.shown[1])
    assert shown.content == [{"type": "text", "text": "404 Not Found: /v1/reports/seven"}]


def test_a_blocked_call_is_answered_with_the_lesson_and_does_not_run(
    mode: str, open_memory: Callable[..., Hindsight], route: Route
) -> None:
    memory = open_memory(gate=GateMode.BLOCK)
    learn(memory, route)
    before = len(events(memory, ToolCalled))
    result = drive(mode, agent_of(memory, route), user(TASK))
    assert route.called == 0
    (answer,) = tool_messages(result["messages"])
    assert (answer.status, answer.tool_call_id, answer.name) == ("error", "again", "fetch")
    assert "404" in answer.text
    assert len(events(memory, ToolCalled)) == before
    assert [e.action for e in events(memory, CallFlagged)] == ["block"]


def test_only_the_call_that_failed_is_stopped(
    mode: str, open_memory: Callable[..., Hindsight], route: Route
) -> None:
    memory = open_memory(gate=GateMode.BLOCK)
    learn(memory, route)
    route.gone = False
    other = {"path": "/v2/reports/7"}
    agent = make(
        [calls(("fetch", ROUTE), ("fetch", other)), "told"],
        [route.tool],
        middleware=[HindsightMiddleware(memory)],
    )
    first, second = tool_messages(drive(mode, agent, user(TASK))["messages"])
    assert (first.status, second.status, second.text) == ("error", "success", "report")


@pytest.mark.parametrize(
    "answer",
    ["approve", True, {"type": "approve"}, {"decisions": [{"type": "approve"}]}],
    ids=str,
)
def test_a_person_is_asked_and_approves(
    mode: str, open_memory: Callable[..., Hindsight], route: Route, answer: Any
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    agent = agent_of(memory, route, checkpointer=InMemorySaver())
    asked = drive(mode, agent, user(TASK), thread())["__interrupt__"][0].value
    assert route.called == 0
    (action,) = asked["action_requests"]
    assert (action["name"], action["args"]) == ("fetch", ROUTE)
    assert "404" in action["description"]
    assert asked["review_configs"][0]["allowed_decisions"] == ["approve", "reject"]
    route.gone = False
    result = drive(mode, agent, Command(resume=answer), thread())
    assert route.called == 1
    assert tool_messages(result["messages"])[0].text == "report"
    assert events(memory, ToolRejected) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("reject", ""),
        (False, ""),
        ("whatever", ""),
        ({"decisions": [{"type": "reject", "message": "use v2"}]}, "use v2"),
        ({"type": "reject", "message": "请用 v2"}, "请用 v2"),
    ],
)
def test_a_person_is_asked_and_refuses(
    mode: str, open_memory: Callable[..., Hindsight], route: Route, answer: Any, reason: str
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    agent = agent_of(memory, route, checkpointer=InMemorySaver())
    drive(mode, agent, user(TASK), thread())
    result = drive(mode, agent, Command(resume=answer), thread())
    assert route.called == 0
    (told,) = tool_messages(result["messages"])
    said = f" with reason: {reason}" if reason else ""
    assert told.text == f"User rejected the tool call for `fetch`{said}"
    assert (told.status, told.tool_call_id) == ("error", "again")
    (rejected,) = events(memory, ToolRejected)
    assert rejected.call.call_id == "again"
    assert rejected.text == reason


@pytest.mark.parametrize("process", ["the same", "another"])
def test_the_answer_is_obeyed_even_when_the_call_has_become_harmless_meanwhile(
    mode: str, open_memory: Callable[..., Hindsight], route: Route, process: str
) -> None:
    saver = InMemorySaver()
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    agent = agent_of(memory, route, checkpointer=saver)
    drive(mode, agent, user(TASK), thread())
    route.gone = False
    drive(mode, agent_of(open_memory(gate=GateMode.OBSERVE), route), user(TASK))
    assert route.called == 1
    if process == "another":
        memory = open_memory(gate=GateMode.CONFIRM)
        agent = make(
            ["told"], [route.tool], middleware=[HindsightMiddleware(memory)], checkpointer=saver
        )
    drive(mode, agent, Command(resume="reject"), thread())
    assert route.called == 1
    assert len(events(memory, ToolRejected)) == 1


def test_it_is_asked_again_in_the_next_process_and_the_answer_counts_there(
    mode: str, open_memory: Callable[..., Hindsight], route: Route
) -> None:
    saver = InMemorySaver()
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    drive(mode, agent_of(memory, route, checkpointer=saver), user(TASK), thread())
    other = open_memory(gate=GateMode.CONFIRM)
    agent = make(
        ["told"],
        [route.tool],
        middleware=[HindsightMiddleware(other)],
        checkpointer=saver,
    )
    drive(mode, agent, Command(resume="reject"), thread())
    assert route.called == 0
    assert len({e.run_id for e in events(memory, CallFlagged)}) == 1
    assert len(events(memory, ToolRejected)) == 1


def test_an_approved_call_is_not_asked_about_at_every_retry(
    mode: str, open_memory: Callable[..., Hindsight], route: Route
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    agent = make(
        [calls(("fetch", ROUTE)), "told"],
        [route.tool],
        middleware=[ToolRetryMiddleware(initial_delay=0), HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    asked = drive(mode, agent, user(TASK), thread())
    if "__interrupt__" not in asked:  # before 1.3.12 the framework's retry swallows interrupts
        assert route.called == 0
        return
    result = drive(mode, agent, Command(resume="approve"), thread())
    assert "__interrupt__" not in result
    assert route.called == 3


def test_a_tool_that_asks_by_itself_gets_its_own_answer_after_ours(
    mode: str, open_memory: Callable[..., Hindsight]
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, Route())
    answers: list[Any] = []

    @tool
    def fetch(path: str) -> str:
        """Fetch a path, after asking for a password."""
        answers.append(interrupt("password?"))
        return "report"

    agent = make(
        [calls(("fetch", ROUTE)), "told"],
        [fetch],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user(TASK), thread())
    second = drive(mode, agent, Command(resume="approve"), thread())
    assert second["__interrupt__"][0].value == "password?"
    drive(mode, agent, Command(resume="hunter2"), thread())
    assert answers == ["hunter2"]


def test_without_a_checkpointer_nobody_can_be_asked_and_the_call_does_not_run(
    mode: str, open_memory: Callable[..., Hindsight], route: Route
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    learn(memory, route)
    result = drive(mode, agent_of(memory, route), user(TASK))
    assert route.called == 0
    assert result["messages"][-1].text == "told"
    assert "404" in tool_messages(result["messages"])[0].text
