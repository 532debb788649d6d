"""The one place where an error of ours is kept from breaking the host.

Every call from an adapter into the engine goes through `Failsafe.call`: it runs on a worker thread
under a deadline, and whatever goes wrong is counted, logged once a kind, and seen in `health()`.
Interrupts, cancellation and the host's control-flow exceptions always pass.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures import wait as wait_for_all
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from hindsight_core.control_flow import is_control_flow, let_through
from hindsight_core.describing import FailureCounts, describe
from hindsight_core.workers import DaemonPool, NoThreadError, in_executor

__all__ = [
    "Failsafe",
    "FailureCounts",
    "describe",
    "in_executor",
    "let_through",
    "observe_swallowed",
]

P = ParamSpec("P")
T = TypeVar("T")

logger: Final = logging.getLogger("hindsight_core")

_observers: list[Callable[[str, BaseException], None]] = []
_MOST_KEPT: Final = 10_000
_STUCK: Final = 5.0  # seconds without an end of one after which nobody waits for the next ones
_AT_ONCE: Final = 32  # calls; most of their time they wait for a query's vector or a server
_PAUSE_AFTER: Final = 3  # deadlines missed in a row before memory is passed over for a while


@contextlib.contextmanager
def observe_swallowed(observer: Callable[[str, BaseException], None]) -> Generator[None]:
    """Call `observer(operation, error)` for every error that is swallowed meanwhile.

    For tests: an autouse fixture collects here and fails the test afterwards.
    """
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


class Failsafe:
    """Runs our own calls so that none breaks, delays or hangs the host.

    `deadline` is in seconds a call. After three missed deadlines in a row calls are passed over for
    `pause` seconds, so a store that hangs costs the host three deadlines and not one a hook.
    """

    def __init__(self, *, deadline: float = 2.0, pause: float = 30.0) -> None:
        self.counts = FailureCounts()
        self._deadline = deadline
        self._pause = pause
        self._logged: set[type[BaseException]] = set()
        self._missed = 0
        self._paused_until = 0.0
        self._workers = DaemonPool(size=_AT_ONCE)
        self._one_by_one = DaemonPool(size=1)
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._kept = 0
        self._kept_at = 0.0
        self._late: set[Future[Any]] = set()

    def _follow_fork(self) -> None:
        """Wait in a forked child for nothing that only its parent will do."""
        if self._pid != os.getpid():
            self._begin()

    def keep(
        self,
        operation: str,
        default: T,
        function: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same for what must not be passed over: while memory is paused it waits its turn.

        What is kept so is done in its order, one after the other. The host waits for it while that
        goes on, so that what it was told of is durable, and not while the store hangs.
        """
        self._follow_fork()
        now = time.monotonic()
        with self._lock:
            later = self._kept > 0 or now < self._paused_until
            if later and self._kept < _MOST_KEPT:
                self._kept_at = now if not self._kept else self._kept_at
                self._kept += 1
                done = self._one_by_one.submit(
                    partial(self._later, operation, default, function, *args, **kwargs)
                )
                moves = now - self._kept_at < _STUCK
            else:
                done, moves = None, False
        if done is None:
            # Only where no more can be kept it is passed over.
            work = partial(function, *args, **kwargs)
            return self._call(operation, default, work, kept=not later)
        try:
            return done.result(self._deadline) if moves else default
        except FutureTimeoutError:
            return default

    def call(
        self,
        operation: str,
        default: T,
        function: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Return `function(...)`, or `default` when it raises or misses the deadline."""
        self._follow_fork()
        return self._call(operation, default, partial(function, *args, **kwargs), kept=False)

    @property
    def unrecorded(self) -> int:
        """How much of what must not be passed over is not done yet, though its call returned."""
        return self._kept + len(self._late)

    def wait_for_kept(self, seconds: float) -> bool:
        """Wait until what is late or kept is done, or none ends for so many seconds: then False."""
        self._follow_fork()
        wait_for_all(tuple(self._late), seconds)
        while self._kept:
            before = self._kept
            try:
                self._one_by_one.submit(lambda: None).result(seconds)
            except FutureTimeoutError:
                if self._kept >= before:
                    return False
        return True

    def _call(self, operation: str, default: T, function: Callable[[], T], *, kept: bool) -> T:
        if not kept and self._is_paused():  # which may have begun this moment
            return default
        future = self._workers.submit(function)
        try:
            result = self._result_of(future, function)
        except FutureTimeoutError as error:
            if future.done():
                return self._swallow(operation, error, default)
            if kept:
                self._late.add(future)
                future.add_done_callback(partial(self._ended_late, operation))
            return self._miss(operation, default)
        except Exception as error:  # noqa: BLE001 - this is the one place
            return self._swallow(operation, error, default)
        self._missed = 0
        return result

    def _result_of(self, future: Future[T], function: Callable[[], T]) -> T:
        try:
            return future.result(self._deadline)
        except NoThreadError:
            if threading.main_thread().is_alive():
                raise
            return function()  # a program that is ending gives no thread any more

    def _ended_late(self, operation: str, future: Future[Any]) -> None:
        error = future.exception()
        if error is not None:  # nobody waits for it any more
            self.report(operation, error)
        self._late.discard(future)

    def _later(
        self,
        operation: str,
        default: T,
        function: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - this is the one place
            self.report(operation, error)
            return default
        finally:
            with self._lock:
                self._kept -= 1
                self._kept_at = time.monotonic()

    @contextlib.contextmanager
    def guard(self, operation: str) -> Generator[None]:
        """Keep an error of the block from the host; the block must not wait for anything."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - this is the one place
            self._swallow(operation, error, None)

    def report(self, operation: str, error: BaseException) -> None:
        """Count an error that was met off the host's path, and log it once a kind."""
        with self._lock:
            self.counts.by_operation[operation] += 1
            self.counts.last = f"{operation}: {describe(error)}"
            first = type(error) not in self._logged
            self._logged.add(type(error))
        logger.log(
            logging.WARNING if first else logging.DEBUG,
            "memory is passed over in %s: %s (logged once a kind; see health())",
            operation,
            describe(error),
        )
        for observer in _observers:
            observer(operation, error)

    def _swallow(self, operation: str, error: Exception, default: T) -> T:
        if is_control_flow(error):
            raise error
        self._missed = 0
        self.report(operation, error)
        return default

    def _miss(self, operation: str, default: T) -> T:
        error = TimeoutError(f"no answer within {self._deadline:g} s")
        with self._lock:
            self.counts.timeouts += 1
            self._missed += 1
            if self._missed >= _PAUSE_AFTER:
                self._paused_until = time.monotonic() + self._pause
                self._missed = 0
        self.report(operation, error)
        return default

    def _is_paused(self) -> bool:
        if time.monotonic() >= self._paused_until:
            return False
        with self._lock:
            self.counts.passed_over += 1
        return True
