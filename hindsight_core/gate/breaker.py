"""A circuit breaker for each call: after so many failures it opens, and later tries one call again.

The counts are in the store, so what one process or run learns, all do: a success anywhere closes
the breaker for all. Only what is being tried just now is kept in memory. Pure but for that.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

__all__ = ["Breaker", "BreakerState", "Trials"]

_MAX_TRIALS: Final = 10_000


class BreakerState(StrEnum):
    """Closed lets every call through, half-open one, open none."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, kw_only=True, slots=True)
class Breaker:
    """Opens after `failures` in a row, and is half open `seconds` after the last of them."""

    failures: int = 1
    seconds: float = 60.0

    def state(
        self,
        failures: int,
        last_failure_at: datetime | None,
        last_success_at: datetime | None,
        now: datetime,
    ) -> BreakerState:
        """The state of one signature; `failures` counts those since its last success."""
        if failures < self.failures or last_failure_at is None:
            return BreakerState.CLOSED
        if last_success_at is not None and last_success_at > last_failure_at:
            return BreakerState.CLOSED
        # A clock that was set back must not keep a call shut until it has caught up.
        if timedelta(0) <= now - last_failure_at < timedelta(seconds=self.seconds):
            return BreakerState.OPEN
        return BreakerState.HALF_OPEN


class Trials:
    """The calls that half-open breakers let through, until their outcome is known; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began: OrderedDict[object, datetime] = OrderedDict()

    def begin(self, key: object, now: datetime, seconds: float) -> bool:
        """Take the one call of a breaker; False while another one has it.

        Whoever took it and never came back holds it for `seconds`.
        """
        with self._lock:
            before = self._began.get(key)
            if before is not None and now - before < timedelta(seconds=seconds):
                return False
            self._began[key] = now
            self._began.move_to_end(key)
            while len(self._began) > _MAX_TRIALS:
                self._began.popitem(last=False)
            return True

    def end(self, key: object) -> None:
        """The outcome of the call is known."""
        with self._lock:
            self._began.pop(key, None)
