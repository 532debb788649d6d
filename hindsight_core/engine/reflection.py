"""When there is reflection, and what of it can be seen: `Hindsight.reflection`."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from hindsight_core.engine.asking import HOUR, Asker
from hindsight_core.engine.carding import Carding
from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.reflecting import ReflectionReport, reflect_once
from hindsight_core.engine.summarizing import summarize
from hindsight_core.errors import ConfigurationError, HindsightError
from hindsight_core.ports_reflection import ChatModel, Spent
from hindsight_core.schema import Memory, Scope

__all__ = ["Reflection", "ReflectionState"]

LEASE: Final = "reflection"
_LEASE_TIME: Final = timedelta(minutes=10)
_LOOK_AGAIN: Final = 15.0
"""Seconds after which the worker looks whether enough runs wait, or enough time has passed."""
_MOST: Final = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ReflectionState:
    """How many runs wait, what was set aside in the last hour, and the last batch of this process.

    `model` is empty where no chat model is configured: then nothing is ever asked.
    """

    model: str
    waiting: int
    spent: Spent
    last: ReflectionReport | None

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return {
            "model": self.model,
            "waiting": self.waiting,
            "calls": self.spent.calls,
            "tokens": self.spent.tokens,
            "last": self.last.as_dict() if self.last else None,
        }


@checked
class Reflection:
    """Reflects on finished runs with a chat model, in the background or when told to."""

    def __init__(
        self, core: Core, encoder: Encoder, intake: Intake, model: ChatModel | None
    ) -> None:
        self._core = core
        self._encoder = encoder
        self._intake = intake
        self._carding = Carding(core, encoder, intake)
        self._model = model
        self._lock = threading.Lock()
        self._stirred = threading.Event()
        self._stopped = threading.Event()
        self._at_it = threading.Lock()
        self._pid = 0
        self._last: ReflectionReport | None = None

    def run(self) -> ReflectionReport | None:
        """Reflect on what waits now; None where another process is at it.

        Raises `ConfigurationError` without a chat model.
        """
        if self._model is None:
            raise ConfigurationError(
                "chat: no chat model. Name one: Hindsight.open(chat=OpenAIChat(...))"
            )
        return self._batch(self._model, every=timedelta(0))

    def summarize(self, scope: Scope, session: str) -> Memory:
        """Make one record of a session; see `Hindsight.summarize`."""
        asker = None
        if self._model is not None:
            asker = Asker(self._core, self._model, wait=self._stopped.wait)
        memory = summarize(self._core, self._intake, asker, scope, session)
        self._encoder.wake([memory])
        return memory

    def state(self) -> ReflectionState:
        """What waits, and what was spent."""
        store = self._core.store
        return ReflectionState(
            model=self._model.name if self._model else "",
            waiting=len(store.unreflected(_MOST)),
            spent=store.spent(self._core.clock() - HOUR),
            last=self._last,
        )

    def note(self) -> None:
        """Say that a run may have ended; returns at once."""
        if self._model is None:
            return
        with self._lock:
            if self._stopped.is_set():
                return
            self._stirred.set()
            if self._pid != os.getpid():  # not started yet, or forked away from its thread
                self._pid = os.getpid()
                threading.Thread(target=self._loop, name="hindsight-reflect", daemon=True).start()

    def stop(self) -> None:
        """Let the thread end after its batch."""
        with self._lock:
            self._stopped.set()
            self._stirred.set()

    def if_due(self) -> ReflectionReport | None:
        """Reflect if enough runs wait, or some do and the last batch was long enough ago."""
        if self._model is None:
            return None
        settings = self._core.settings
        waiting = len(self._core.store.unreflected(settings.reflection_runs))
        if not waiting:
            return None
        # A batch that was stopped (by the budget, or a dead server) is not repeated at once.
        stopped = self._last is not None and bool(self._last.stopped)
        full = waiting >= settings.reflection_runs and not stopped
        every = timedelta(0) if full else timedelta(minutes=settings.reflection_minutes)
        return self._batch(self._model, every=every)

    def _batch(self, model: ChatModel, *, every: timedelta) -> ReflectionReport | None:
        # The lease keeps other processes out, the lock other threads of this one.
        if not self._at_it.acquire(blocking=False):
            return None
        try:
            if not self._lease(every):
                return None
            asker = Asker(self._core, model, wait=self._stopped.wait, go_on=self._lease)
            try:
                self._last = reflect_once(self._core, asker, self._carding)
            except BaseException:
                self._give_back()
                raise
            self._core.store.release(LEASE, self._owner, done_at=self._core.clock())
            return self._last
        finally:
            self._at_it.release()

    def _lease(self, every: timedelta = timedelta(0)) -> bool:
        """Take the lease, or hold it for longer; False where it is another's."""
        now = self._core.clock()
        return self._core.store.lease(
            LEASE, self._owner, now=now, until=now + _LEASE_TIME, since=now - every
        )

    def _give_back(self) -> None:
        """Let others have the lease at once; what broke the batch may well break this too."""
        now = self._core.clock()
        try:
            self._core.store.lease(LEASE, self._owner, now=now, until=now, since=now)
        except HindsightError as error:
            self._core.failsafe.report("reflect", error)

    @property
    def _owner(self) -> str:
        """This door of this process: two of one process do not hold the lease together."""
        return f"{self._core.owner}/{id(self):x}"

    def _loop(self) -> None:
        while True:
            self._stirred.wait()
            self._stirred.clear()
            if self._stopped.is_set():
                return
            try:
                self.if_due()
                if self._core.store.unreflected(1):
                    self._stirred.set()
            except Exception as error:  # noqa: BLE001 - a thread of ours; reported, tried again later
                if not self._stopped.is_set():  # else the store was closed under it
                    self._core.failsafe.report("reflect", error)
                    self._stirred.set()
            self._stopped.wait(_LOOK_AGAIN)
