"""One tool call as the middleware watches it: asked about before, answered or let run, recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, cast

from langchain_core.messages import ToolCall, ToolMessage
from langgraph import errors
from langgraph.types import interrupt

from hindsight_core import GateAction, GateDecision, RunRecorder
from langchain_hindsight._reading import REJECTION, answered_by_a_person, outcome_of, reason_of

__all__ = ["Guard", "LiveRun", "WatchedCall"]

Guard = Callable[[str], AbstractContextManager[None]]
"""Makes the context in which an error of ours is counted and kept from the host."""

_CHECKPOINTER: Final = "__pregel_checkpointer"
_is_invalid_resume: Callable[[BaseException], bool] = getattr(
    errors, "is_invalid_resume", lambda _: False
)
"""Whether a person's answer had the wrong form, which is no failure of the tool that asked."""


@dataclass(slots=True)
class LiveRun:
    """A run that goes on in this process; all by id of the tool call.

    `approved` says in which execution of its task a person approved a call, `advice` what a
    failure's message is to be completed with; `seen` are the calls that need no further look.
    `heard` has the turns of the user that were recorded.
    """

    recorder: RunRecorder
    heard: set[str] = field(default_factory=set[str])
    approved: dict[str, object] = field(default_factory=dict[str, object])
    advice: dict[str, str] = field(default_factory=dict[str, str])
    seen: set[str] = field(default_factory=set[str])


class WatchedCall:
    """One attempt at a tool call, asked about at the gate when it is made.

    Making it and `note` reach the store and may run on another thread; `answer` must run on the
    thread of the hook, for there the framework looks for the person who is asked.
    """

    def __init__(self, request: Any, live: LiveRun, guard: Guard) -> None:
        self._live = live
        self._guard = guard
        call: ToolCall = request.tool_call
        self._name: str = request.tool.name if request.tool is not None else call["name"]
        self._args = call["args"]
        self._id = call["id"] or ""
        # The same object over the retries of one execution, another when the task is run again.
        self._execution: Mapping[str, Any] = request.runtime.config
        self._blocked = False
        self._decision = self._decide()
        self._started = time.perf_counter()

    def _decide(self) -> GateDecision:
        live = self._live
        decision = live.recorder.before_tool(self._name, self._args, call_id=self._id or None)
        return GateDecision() if live.approved.get(self._id) is self._execution else decision

    def answer(self) -> ToolMessage | None:
        """The message that takes the place of the call, or None to let it run.

        In mode `confirm` this is where the run is interrupted. Where nobody can be asked, because
        the agent has no checkpointer, the call is not run.
        """
        with self._guard("langchain.gate"):
            if self._decision.action is GateAction.CONFIRM and self._can_ask():
                reason = _refusal(interrupt(self._question()))
                if reason is not None:
                    said = f" with reason: {reason}" if reason else ""
                    return self._error(f"{REJECTION} `{self._name}`{said}")
                self._live.approved[self._id] = self._execution
            elif self._decision.action in (GateAction.CONFIRM, GateAction.BLOCK):
                self._blocked = True
                return self._error(self._decision.message)
        return None

    def note(self, result: object = None, error: Exception | None = None) -> None:
        """Record what came of the call, or that a person answered in its place."""
        milliseconds = (time.perf_counter() - self._started) * 1_000
        live, call_id = self._live, self._id or None
        with self._guard("langchain.after_tool"):
            if error is not None and _is_invalid_resume(error):
                return
            fresh = self._id not in live.seen
            live.seen.add(self._id)
            if self._blocked:
                return
            if isinstance(result, ToolMessage) and answered_by_a_person(result):
                if result.status == "error" and fresh:
                    reason = reason_of(result)
                    live.recorder.rejected(self._name, self._args, call_id=call_id, text=reason)
                return
            text, flagged = ("", None) if error else outcome_of(result, call_id)
            advice = live.recorder.after_tool(
                self._name,
                self._args,
                call_id=call_id,
                result=text,
                error=error,
                flagged_error=flagged,
                milliseconds=milliseconds,
            )
            if advice and call_id:
                live.advice[call_id] = advice

    def _can_ask(self) -> bool:
        configurable: Mapping[str, Any] = self._execution.get("configurable") or {}
        return configurable.get(_CHECKPOINTER, True) is not None

    def _question(self) -> dict[str, Any]:
        # The form of the framework's own human-in-the-loop, so that its clients can answer it.
        action = {"name": self._name, "args": self._args, "description": self._decision.message}
        review = {"action_name": self._name, "allowed_decisions": ["approve", "reject"]}
        return {"action_requests": [action], "review_configs": [review]}

    def _error(self, text: str) -> ToolMessage:
        return ToolMessage(content=text, name=self._name, tool_call_id=self._id, status="error")


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
