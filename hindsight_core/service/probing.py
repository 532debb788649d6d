"""Asks a memory how it is without ever hanging with it: a server that is stopped answers nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Final, Generic, TypeVar

from hindsight_core.workers import DaemonPool

__all__ = ["Probe"]

T = TypeVar("T")
_PATIENCE: Final = 2.0


class Probe(Generic[T]):
    """One question at a time; an answer is good for `fresh` seconds."""

    def __init__(self, ask: Callable[[], T], *, fresh: float, patience: float = _PATIENCE) -> None:
        self._ask = ask
        self._fresh = fresh
        self._patience = patience
        self._workers = DaemonPool(size=1)
        self._lock = threading.Lock()
        self._asked: Future[T] | None = None
        self._asked_at = 0.0

    def __call__(self) -> T | None:
        """The answer, or None when there is none within two seconds."""
        with self._lock:
            asked = self._asked
            stale = time.monotonic() - self._asked_at > self._fresh
            if asked is None or (asked.done() and stale):
                asked = self._asked = self._workers.submit(self._ask)
                self._asked_at = time.monotonic()
        try:
            return asked.result(self._patience)
        except FutureTimeoutError:
            return None
