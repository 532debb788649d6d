"""Runs maintenance in the background once nobody has needed the memory for a while."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from typing import Final

from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.upkeep import Upkeep

__all__ = ["IdleUpkeep"]

_MOST_RUNS: Final = 1_000
_AGAIN: Final = 3_600.0


@checked
class IdleUpkeep:
    """One background thread a process, started by the first run.

    Of many processes that share a store the one that takes the lease does the work.
    """

    def __init__(self, core: Core, upkeep: Upkeep) -> None:
        self._core = core
        self._upkeep = upkeep
        self._lock = threading.Lock()
        self._stirred = threading.Event()
        self._stopped = False
        self._pid = 0
        self._begun_at = -_AGAIN

    def note(self) -> None:
        """Say that the memory is in use, so that maintenance waits; returns at once."""
        if not self._core.settings.maintenance:
            return
        with self._lock:
            if self._stopped:
                return
            self._stirred.set()
            if self._pid != os.getpid():  # not started yet, or forked away from its thread
                self._pid = os.getpid()
                threading.Thread(target=self._run, name="hindsight-upkeep", daemon=True).start()

    def begin(self) -> None:
        """Let maintenance come when it is due, where no run of this process ever says so."""
        if time.monotonic() - self._begun_at > _AGAIN:
            self._begun_at = time.monotonic()
            self.note()

    def stop(self) -> None:
        """Let the thread end."""
        with self._lock:
            self._stopped = True
            self._stirred.set()

    def _run(self) -> None:
        settings = self._core.settings
        while True:
            self._stirred.wait()
            self._stirred.clear()
            if self._stopped:
                return
            if self._stirred.wait(settings.maintenance_idle):
                continue
            try:
                if self._is_busy():
                    self._stirred.set()  # some other process is at work: wait once more
                else:
                    self._upkeep.maintain(every=timedelta(hours=settings.maintenance_hours))
            except Exception as error:  # noqa: BLE001 - a thread of ours; reported, tried again later
                if not self._stopped:  # else the store was closed under it
                    self._core.failsafe.report("maintain", error)

    def _is_busy(self) -> bool:
        idle = timedelta(seconds=self._core.settings.maintenance_idle)
        now = self._core.clock()
        return any(now - run.last_at < idle for run in self._core.store.runs(limit=_MOST_RUNS))
