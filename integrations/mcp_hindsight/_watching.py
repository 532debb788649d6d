"""What the proxy tells the memory of the calls that pass it, and what the memory says of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hindsight_core import GateDecision, Hindsight, LiveRuns, Place, RunRecorder
from mcp_hindsight._messages import Message, call_of, key_of, object_of, outcome_of

__all__ = ["Waiting", "Watch"]

_MOST_WAITING: Final = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """A call that was handed on and has no answer yet."""

    tool: str
    args: object
    call_id: str
    since: float
    recorder: RunRecorder
    decision: GateDecision


class Watch:
    """The calls of one connection, as runs of one conversation; thread-safe.

    The protocol does not tell when a task ends: a run is over after `idle` seconds without a call,
    and when the connection closes.
    """

    def __init__(
        self, hindsight: Hindsight, place: Place, *, agent: str | None = None, idle: float = 120.0
    ) -> None:
        self._hs = hindsight
        self._runs = LiveRuns(hindsight, framework="mcp", agent=agent)
        self._place = place
        self._idle = idle
        self._lock = threading.Lock()
        self._waiting: dict[str, Waiting] = {}
        self._run: tuple[str, RunRecorder] | None = None
        self._last = 0.0
        self._calls = 0

    def guarded(self, operation: str, function: Callable[..., object], *args: object) -> None:
        """Do our part of a message; what goes wrong is counted and logged, the traffic goes on."""
        with self._hs.guard(f"mcp_proxy.{operation}"):
            function(*args)

    def asked(self, message: Message, at: float) -> Waiting | None:
        """Take note of a call before it is handed on; with what the gate says of it."""
        call = call_of(message)
        if call is None:
            if message.get("method") == "notifications/cancelled":
                self.forget(object_of(message.get("params")).get("requestId"))
            return None
        recorder = self._recorder(at)
        with self._lock:
            self._calls += 1
            call_id = f"{recorder.run_id}/{self._calls}"
        decision = recorder.before_tool(*call, call_id=call_id)
        waiting = Waiting(
            tool=call[0],
            args=call[1],
            call_id=call_id,
            since=at,
            recorder=recorder,
            decision=decision,
        )
        with self._lock:
            self._waiting[key_of(message["id"])] = waiting
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.pop(next(iter(self._waiting)))
        return waiting

    def answered(self, message: Message, at: float) -> str:
        """Take note of what came of a call; for a failure, advice to complete it with, else ""."""
        if "method" in message or "id" not in message:
            return ""
        with self._lock:
            waiting = self._waiting.pop(key_of(message["id"]), None)
            self._last = at
        outcome = outcome_of(message) if waiting is not None else None
        if waiting is None or outcome is None:
            return ""
        advice = waiting.recorder.after_tool(
            waiting.tool,
            waiting.args,
            call_id=waiting.call_id,
            result=outcome.text,
            flagged_error=outcome.failed,
            milliseconds=(at - waiting.since) * 1_000,
        )
        return advice or ""

    def rejected(self, message_id: object, reason: str) -> None:
        """Take note that a person refused a call."""
        waiting = self.forget(message_id)
        if waiting is not None:
            waiting.recorder.rejected(
                waiting.tool, waiting.args, call_id=waiting.call_id, text=reason
            )

    def forget(self, message_id: object) -> Waiting | None:
        """Wait no longer for the answer to a call: it was cancelled, or not handed on."""
        with self._lock:
            return self._waiting.pop(key_of(message_id), None)

    def rest(self) -> None:
        """End the run if nothing was called for a while and nothing is awaited."""
        with self._lock:
            over = not self._waiting and time.monotonic() - self._last >= self._idle
        if over:
            self.finish()

    def finish(self) -> None:
        """End the run: what was learnt in it is judged and stored."""
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run[1].finish()
            self._runs.drop(run[0])

    def close(self) -> None:
        """Close the memory: nothing more will be told to it."""
        self._hs.close()

    def _recorder(self, at: float) -> RunRecorder:
        with self._lock:
            over = not self._waiting and at - self._last >= self._idle
        if over:
            self.finish()
        with self._lock:
            self._last = at
            if self._run is None:
                run_id = self._hs.new_id()
                self._run = run_id, self._runs.take_up(run_id, self._place).recorder
            return self._run[1]
