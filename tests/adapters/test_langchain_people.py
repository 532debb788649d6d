"""Interrupts and refusals: a person's word is neither a failure of a tool nor recorded twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import MODES, calls, drive, events, make, thread, user
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import ValidationError

from hindsight_core import Hindsight
from hindsight_core.events import RunEnded, RunStarted, ToolCalled, ToolRejected, UserSaid

NAMES_REFUSALS = tuple(map(int, version("langchain").split(".")[:2])) >= (1, 4)
"""Before, a refusal with a reason is the reason alone, and cannot be told from a tool's failure."""


@tool
def send(to: str) -> str:
    """Send a letter."""
    return f"sent to {to}"


@tool
def ask(question: str) -> str:
    """Ask a person."""
    return f"they say {interrupt(question)}"


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def test_an_interrupt_is_no_failure_and_the_resumed_call_is_recorded_once(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("ask", {"question": "sure?"}), ("send", {"to": "a"})), "done"],
        [ask, send],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    paused = drive(mode, agent, user("go"), thread())
    assert paused["__interrupt__"][0].value == "sure?"
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["send"]
    assert events(memory, RunEnded) == []
    drive(mode, agent, Command(resume="yes"), thread())
    found = events(memory, ToolCalled)
    assert [(e.call.tool, e.raised, e.result) for e in found] == [
        ("send", False, "sent to a"),
        ("ask", False, "they say yes"),
    ]
    assert len(events(memory, RunStarted)) == len(events(memory, RunEnded)) == 1


def test_a_run_that_is_resumed_in_another_process_is_the_same_run(
    mode: str, open_memory: Callable[..., Hindsight]
) -> None:
    saver = InMemorySaver()
    script: list[Any] = [calls(("ask", {"question": "sure?"})), "done"]
    with open_memory() as first:
        agent = make(script, [ask], middleware=[HindsightMiddleware(first)], checkpointer=saver)
        drive(mode, agent, user("go"), thread())
    memory = open_memory()
    agent = make(["done"], [ask], middleware=[HindsightMiddleware(memory)], checkpointer=saver)
    drive(mode, agent, Command(resume="yes"), thread())
    assert len({e.run_id for e in events(memory)}) == 1
    assert [e.result for e in events(memory, ToolCalled)] == ["they say yes"]
    assert [e.text for e in events(memory, UserSaid)] == ["go"]


def test_an_answer_of_the_wrong_form_is_no_failure_of_the_tool(
    mode: str, memory: Hindsight
) -> None:
    checks = "response_schema" in inspect.signature(interrupt).parameters
    options: Any = {"response_schema": int} if checks else {}

    @tool
    def age(of: str) -> str:
        """Ask a person for an age."""
        return f"{of} is {interrupt('how old?', **options)}"

    agent = make(
        [calls(("age", {"of": "Ann"})), "done"],
        [age],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("how old is Ann?"), thread())
    if checks:
        with pytest.raises(ValidationError):
            drive(mode, agent, Command(resume="no number"), thread())
    drive(mode, agent, Command(resume=40), thread())
    assert [(e.raised, e.result) for e in events(memory, ToolCalled)] == [(False, "Ann is 40")]


@pytest.mark.parametrize("reason", ["never write to strangers", None])
def test_a_refusal_is_recorded_once_as_a_refusal(
    mode: str, memory: Hindsight, reason: str | None
) -> None:
    agent = make(
        [
            calls(("send", {"to": "a"}), ("send", {"to": "b"}), ids=["one", "two"]),
            calls(("send", {"to": "c"}), ids=["three"]),
            "done",
            "and more",
        ],
        [send],
        middleware=[
            HumanInTheLoopMiddleware(interrupt_on={"send": True}),
            HindsightMiddleware(memory),
        ],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("write to them"), thread())
    reject: dict[str, Any] = {"type": "reject"} | ({"message": reason} if reason else {})
    both = {"decisions": [reject, {"type": "approve"}]}
    drive(mode, agent, Command(resume=both), thread())
    drive(mode, agent, Command(resume={"decisions": [{"type": "approve"}]}), thread())
    drive(mode, agent, user("thanks"), thread())
    rejected = events(memory, ToolRejected)
    assert [(e.call.call_id, e.call.args) for e in rejected] == (
        [("one", {"to": "a"})] if reason is None or NAMES_REFUSALS else []
    )
    assert all(e.text == (reason or "") for e in rejected)
    assert [e.call.args["to"] for e in events(memory, ToolCalled)] == ["b", "c"]


def test_a_refusal_is_recorded_once_when_another_process_resumes(
    mode: str, open_memory: Callable[..., Hindsight]
) -> None:
    saver = InMemorySaver()
    review = HumanInTheLoopMiddleware(interrupt_on={"send": True})
    script: list[Any] = [calls(("send", {"to": "a"})), calls(("send", {"to": "b"}), ids=["x"])]

    def turn(memory: Hindsight, steps: list[Any], given: Any) -> None:
        agent = make(
            steps, [send], middleware=[review, HindsightMiddleware(memory)], checkpointer=saver
        )
        drive(mode, agent, given, thread())

    reject = Command(resume={"decisions": [{"type": "reject"}]})
    turn(open_memory(), script[:1], user("write"))
    turn(open_memory(), script[1:], reject)
    memory = open_memory()
    turn(memory, ["done"], reject)
    assert [e.call.args["to"] for e in events(memory, ToolRejected)] == ["a", "b"]
    assert events(memory, ToolCalled) == []


def test_arguments_that_a_person_edited_are_those_that_are_recorded(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("send", {"to": "a"})), "done"],
        [send],
        middleware=[
            HumanInTheLoopMiddleware(interrupt_on={"send": True}),
            HindsightMiddleware(memory),
        ],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("write"), thread())
    edited = {"type": "edit", "edited_action": {"name": "send", "args": {"to": "z"}}}
    drive(mode, agent, Command(resume={"decisions": [edited]}), thread())
    assert [(e.call.args, e.result) for e in events(memory, ToolCalled)] == [
        ({"to": "z"}, "sent to z")
    ]


@pytest.mark.parametrize("decision", ["reject", "respond"])
def test_placed_outside_the_review_a_persons_word_is_not_taken_for_the_tools(
    mode: str, memory: Hindsight, decision: str
) -> None:
    class Review(AgentMiddleware):
        """Reviews inside the tool hook, as the framework's own does call by call."""

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            return self._decided(request)

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            return self._decided(request)

        def _decided(self, request: Any) -> ToolMessage:
            refused = decision == "reject"
            name, call_id = request.tool_call["name"], request.tool_call["id"]
            text = f"User rejected the tool call for `{name}` with reason: no"
            return ToolMessage(
                text if refused else "consider it sent",
                name=name,
                tool_call_id=call_id,
                status="error" if refused else "success",
                additional_kwargs={"lc_source": "hitl_interrupt_decision"},
            )

    agent = make(
        [calls(("send", {"to": "a"})), "done"],
        [send],
        middleware=[HindsightMiddleware(memory), Review()],
    )
    drive(mode, agent, user("write"))
    assert events(memory, ToolCalled) == []
    assert [e.text for e in events(memory, ToolRejected)] == ["no"] * (decision == "reject")


def test_a_run_that_had_to_make_room_is_taken_up_again(
    mode: str, memory: Hindsight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindsight_core.engine.live._MAX_LIVE", 1)
    names = ["a", "b", "c"]
    agent = make(
        [*(calls(("ask", {"question": name})) for name in names), *["done"] * 3],
        [ask],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    for name in names:
        drive(mode, agent, user(name), thread(name))
    for name in names:
        drive(mode, agent, Command(resume=name), thread(name))
    assert [e.result for e in events(memory, ToolCalled)] == [f"they say {n}" for n in names]
    assert len(events(memory, RunStarted)) == len(events(memory, UserSaid)) == 3
