"""One tool call as the middleware watches it: asked about before, answered or let run, recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, cast

from langchain_core.messages import ToolCall, ToolMessage
from langgraph import errors
from langgraph.types import interrupt

from hindsight_core import DETAILS, GateAction, GateDecision, LiveRun, WatchedCall
from langchain_hindsight._reading import REJECTION, answered_by_a_person, outcome_of, reason_of
from langchain_hindsight.memory_tools import MemoryTool

__all__ = ["Call", "Guard", "names_of", "tell_details", "watch_call"]

Guard = Callable[[str], AbstractContextManager[None]]
"""Makes the context in which an error of ours is counted and kept from the host."""

_CHECKPOINTER: Final = "__pregel_checkpointer"
_is_invalid_resume: Callable[[BaseException], bool] = getattr(
    errors, "is_invalid_resume", lambda _: False
)
"""Whether a person's answer had the wrong form, which is no failure of the tool that asked."""


def names_of(tools: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of an agent's tools; none where one of them cannot be told."""
    found = [_name_of(tool) for tool in tools]
    return tuple(found) if all(found) else ()


def tell_details(tools: Iterable[Any]) -> bool:
    """Whether our own tool is among them that tells a memory in full."""
    return any(isinstance(tool, MemoryTool) and tool.name == DETAILS for tool in tools)


def _name_of(tool: Any) -> str:
    named = cast("Any", tool).get("name") if isinstance(tool, Mapping) else tool.name
    return str(named or "")


class GatedCall(WatchedCall):
    """One attempt at a tool call, as the framework's request has it.

    `answer` must run on the thread of the hook, for there the framework looks for the person who
    is asked; making the call and `come_of` may run on another.
    """

    def __init__(self, request: Any, live: LiveRun, guard: Guard) -> None:
        call: ToolCall = request.tool_call
        name: str = request.tool.name if request.tool is not None else call["name"]
        super().__init__(live, name, call["args"], call["id"] or None)
        self._guard = guard
        self._id = call["id"] or ""
        # The same object over the retries of one execution, another when the task is run again.
        self._execution: Mapping[str, Any] = request.runtime.config
        if live.approved.get(self._id) is self._execution:
            self.decision = GateDecision()

    def answer(self) -> ToolMessage | None:
        """The message that takes the place of the call, or None to let it run.

        In mode `confirm` this is where the run is interrupted. Where nobody can be asked, because
        the agent has no checkpointer, the call is not run.
        """
        with self._guard("langchain.gate"):
            if self.decision.action is GateAction.CONFIRM and self._can_ask():
                reason = _refusal(interrupt(self._question()))
                if reason is not None:
                    said = f" with reason: {reason}" if reason else ""
                    return self._error(f"{REJECTION} `{self.name}`{said}")
                self.live.approved[self._id] = self._execution
            elif self.decision.action in (GateAction.CONFIRM, GateAction.BLOCK):
                self.stopped = True
                return self._error(self.decision.message)
        return None

    def come_of(self, result: object = None, error: Exception | None = None) -> None:
        """Record what came of the call, or that a person answered in its place."""
        with self._guard("langchain.after_tool"):
            if error is not None and _is_invalid_resume(error):
                return
            if isinstance(result, ToolMessage) and answered_by_a_person(result):
                if result.status == "error" and not self.stopped:
                    self.live.reject(self.name, self.args, self._id, reason_of(result))
                self.live.seen.add(self._id)
                return
            text, flagged = ("", None) if error else outcome_of(result, self.call_id)
            self.note(text, error=error, flagged_error=flagged)

    def _can_ask(self) -> bool:
        configurable: Mapping[str, Any] = self._execution.get("configurable") or {}
        return configurable.get(_CHECKPOINTER, True) is not None

    def _question(self) -> dict[str, Any]:
        # The form of the framework's own human-in-the-loop, so that its clients can answer it.
        action = {"name": self.name, "args": self.args, "description": self.decision.message}
        review = {"action_name": self.name, "allowed_decisions": ["approve", "reject"]}
        return {"action_requests": [action], "review_configs": [review]}

    def _error(self, text: str) -> ToolMessage:
        return ToolMessage(content=text, name=self.name, tool_call_id=self._id, status="error")


class DetailsCall:
    """The model asks for more about a line of this run's block: the run itself answers."""

    def __init__(self, request: Any, live: LiveRun, asked: str) -> None:
        # On a worker where the hook is async, as the store is read here.
        self._answer = ToolMessage(
            content=live.recorder.details(asked), name=DETAILS, tool_call_id=request.tool_call["id"]
        )

    def answer(self) -> ToolMessage:
        """The message that takes the place of the call."""
        return self._answer

    def come_of(self, result: object = None, error: Exception | None = None) -> None:
        """Nothing is learnt of it: what it brings was recalled."""


Call = GatedCall | DetailsCall


def watch_call(request: Any, live: LiveRun, guard: Guard) -> Call | None:
    """The call as it is to be watched; None for one of the memory's own tools."""
    if not isinstance(request.tool, MemoryTool):
        return GatedCall(request, live, guard)
    asked = str(request.tool_call["args"].get("memory_id", "")).strip()
    if request.tool.name == DETAILS and asked.isdigit():
        return DetailsCall(request, live, asked)
    return None


def _refusal(answer: object) -> str | None:
    """The reason of a refusal, "" if none is given; None only for what plainly approves."""
    if isinstance(answer, Mapping):
        decision = cast("Mapping[str, Any]", answer)
        if isinstance(listed := decision.get("decisions"), list) and listed:
            return _refusal(cast("list[object]", listed)[0])
        if decision.get("type") == "approve":
            return None
        return str(decision.get("message") or "")
    return None if answer is True or answer == "approve" else ""
