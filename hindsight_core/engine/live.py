"""The runs that go on in a process, as an adapter finds them again at each hook.

What every adapter needs beside its framework's own objects: which recorder a hook belongs to, what
it was told already, and one attempt at a tool call from the gate to its outcome.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, cast

from hindsight_core.engine.door import Hindsight
from hindsight_core.engine.recorder import RunRecorder
from hindsight_core.gate import GateDecision
from hindsight_core.handle import Handle
from hindsight_core.schema import Scope

__all__ = ["LiveRun", "LiveRuns", "Place", "WatchedCall", "stable_id"]

_MAX_LIVE: Final = 1_000
"""Runs held at once; an older one that goes on after that is taken up again from the store."""


def stable_id(prefix: str, *parts: str | None) -> str:
    """An id that depends on `parts` alone, so that a hook of any process finds the same run."""
    text = "\x00".join("\x01" if part is None else part for part in parts)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
    return f"{prefix}{digest.hexdigest()}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """For whom and where a run goes on, in the framework's own words.

    `session` is the conversation's id, `agent` the name of the agent that acts; `nested` says that
    another agent wrote what this one takes for the user's words.
    """

    user: str | None = None
    tenant: str | None = None
    session: str | None = None
    agent: str | None = None
    task: str = ""
    nested: bool = False


@dataclass(slots=True, eq=False)
class LiveRun(Handle):
    """A run that goes on in this process.

    `advice` is what a failed call's message is to be completed with, `approved` in which execution
    a person approved a call, `seen` the calls that need no further look: all by id of the call.
    """

    recorder: RunRecorder
    heard: set[str] = field(default_factory=set[str])
    seen: set[str] = field(default_factory=set[str])
    advice: dict[str, str] = field(default_factory=dict[str, str])
    approved: dict[str, object] = field(default_factory=dict[str, object])

    def hear(self, text: str, *, turn: str, before: str = "", asked_before: str = "") -> None:
        """Record what a person said, once a turn; see `RunRecorder.user`."""
        if turn not in self.heard:
            self.recorder.user(text, turn=turn, before=before, asked_before=asked_before)
            self.heard.add(turn)

    def reject(self, name: str, args: object, call_id: str, reason: str) -> None:
        """Record that a person refused a call, once a call."""
        if call_id not in self.seen:
            self.recorder.rejected(name, args, call_id=call_id or None, text=reason)
            self.seen.add(call_id)


class WatchedCall:
    """One attempt at a tool call, asked about at the gate when it is made.

    `decision` is the gate's word. Making it and `note` reach the store and may run on another
    thread.
    """

    def __init__(self, live: LiveRun, name: str, args: object, call_id: str | None) -> None:
        self.live = live
        self.name = name
        self.args = args
        self.call_id = call_id
        self.stopped = False
        """Set by the adapter where the call did not run: nothing came of it."""
        self.decision: GateDecision = live.recorder.before_tool(name, args, call_id=call_id)
        self._started = time.perf_counter()

    def restart(self) -> None:
        """Measure from now on: the call was announced earlier than it runs."""
        self._started = time.perf_counter()

    def note(
        self,
        result: object = None,
        *,
        error: BaseException | None = None,
        flagged_error: bool | None = None,
        timed: bool = True,
    ) -> str | None:
        """Record what came of the call; for a failure, advice to complete its message with.

        `timed` says that the time since the call was made is the call's own.
        """
        took = (time.perf_counter() - self._started) * 1_000
        if self.call_id:
            self.live.seen.add(self.call_id)
        if self.stopped:
            return None
        advice = self.live.recorder.after_tool(
            self.name,
            self.args,
            call_id=self.call_id,
            result=result,
            error=error,
            flagged_error=flagged_error,
            milliseconds=took if timed else None,
        )
        if advice and self.call_id:
            self.live.advice[self.call_id] = advice
        elif self.call_id:  # a retry, or another call to which the model gave the same id
            self.live.advice.pop(self.call_id, None)
        return advice


class LiveRuns(Handle):
    """The memory of an adapter, and its runs that go on in this process; thread-safe.

    `hindsight` is a memory, or the path or URL at which to open one, which `close` then closes.
    `agent` narrows the scope: what this agent learns no other agent sees. Raises `HindsightError`
    when the store cannot be opened; later errors never reach the host.
    """

    def __init__(
        self, hindsight: Hindsight | str | None, *, framework: str, agent: str | None = None
    ) -> None:
        self._owned = not isinstance(hindsight, Hindsight)
        self.hindsight = (
            hindsight if isinstance(hindsight, Hindsight) else Hindsight.open(hindsight)
        )
        self.framework = framework
        self._agent = agent
        # By the memory and not by the adapter: agents with an adapter each may share a run.
        self._live = cast("OrderedDict[str, LiveRun]", self.hindsight.live_runs)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._owned:
            self.hindsight.close()

    def take_up(self, run_id: str, place: Place) -> LiveRun:
        """The run of that id, begun if it does not go on yet; reaches the store."""
        with self._lock:
            live = self._live.get(run_id)
        if live is not None:
            return live
        recorder = self.hindsight.run(
            self._scope(place),
            task=place.task,
            agent=self._agent or place.agent,
            framework=self.framework,
            session=place.session,
            run_id=run_id,
            nested=place.nested,
        )
        with self._lock:  # hooks may have come here at once: the first one counts
            live = self._live.setdefault(run_id, LiveRun(recorder))
            self._live.move_to_end(run_id)
            while len(self._live) > _MAX_LIVE:
                self._live.popitem(last=False)
        return live

    def drop(self, run_id: str) -> None:
        """Hold a run no longer: it has ended, or is taken up again when it goes on."""
        with self._lock:
            self._live.pop(run_id, None)

    def _scope(self, place: Place) -> Scope | None:
        with self.hindsight.guard(f"{self.framework}.scope"):
            return self.hindsight.scope_of(place.user, tenant=place.tenant, agent=self._agent)
        return None  # this run goes on without memory
