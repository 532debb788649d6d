"""Worker threads for our own calls, on which the host never has to wait."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Any, Final, ParamSpec, TypeVar

from hindsight_core.errors import ModelError

__all__ = ["DaemonPool", "NoThreadError", "in_executor", "jittered", "not_ending"]

P = ParamSpec("P")
T = TypeVar("T")

_LINGER: Final = 30.0
"""Seconds that a thread waits for more to do before it ends."""
_CHANCE: Final = random.Random()  # noqa: S311 - no secret hangs on it
"""Of our own: a host that seeds `random` gets the same numbers with us as without."""


def jittered(seconds: float) -> float:
    """Return from half of so many seconds to all of them, so that many clients part."""
    return seconds * _CHANCE.uniform(0.5, 1.0)


class NoThreadError(RuntimeError):
    """There is no thread to be had: the machine has none left, or the program is ending."""


def not_ending(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a model: that it wants to end the program, beside the main thread, is an error of it.

    Else it would end a thread of ours and no program, or go to a host that did not ask for it.
    """
    try:
        return function(*args, **kwargs)
    except Exception:
        raise
    except BaseException as error:
        if threading.current_thread() is threading.main_thread():
            raise
        raise ModelError(f"a model ended with {type(error).__name__}") from error


class DaemonPool:
    """A few worker threads that never keep the interpreter from ending.

    `ThreadPoolExecutor` joins its threads at exit, so one hung call would hang the host for ever.
    A thread that has nothing to do ends after a while, and at once when nobody holds the pool.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._line = _Line(self._size)
        weakref.finalize(self, self._line.close).atexit = False

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Have a call done; where no thread can be had its future tells so."""
        if self._pid != os.getpid():
            self._begin()  # a forked child has the counters of the threads, but not the threads
        return self._line.submit(function)


class _Line:
    """Calls in their order and the threads that take them: all that a thread holds of its pool."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._linger = _LINGER
        self._work: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        # Re-entrant, as the collector may come by on a thread that has it, and `close` the line.
        self._stirred = threading.Condition(threading.RLock())
        self._started = self._idle = 0

    def submit(self, function: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._stirred:
            self._work.append((future, function))
            if self._idle < len(self._work) and self._started < self._size:
                self._start()
            else:
                self._stirred.notify()
        return future

    def close(self) -> None:
        """Let the threads end as soon as nothing is left to do."""
        with self._stirred:
            self._linger = 0.0
            self._stirred.notify_all()

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="hindsight-worker", daemon=True)
        self._started += 1
        try:
            thread.start()
        except RuntimeError as error:
            self._started -= 1
            while self._work and not self._started:
                self._work.popleft()[0].set_exception(NoThreadError(str(error)))

    def _run(self) -> None:
        # Nothing of a call is held while the next is waited for: it may keep a whole memory alive.
        while self._do_next():
            pass

    def _do_next(self) -> bool:
        with self._stirred:
            self._idle += 1
            self._stirred.wait_for(lambda: self._work or not self._linger, self._linger)
            self._idle -= 1
            if not self._work:
                self._started -= 1
                return False
            future, function = self._work.popleft()
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - it is handed to the waiting caller
            future.set_exception(error)
        else:
            future.set_result(result)
        return True


@lru_cache(maxsize=1)
def _async_door(pid: int) -> ThreadPoolExecutor:
    del pid  # a forked child has none of the threads
    return ThreadPoolExecutor(max_workers=16, thread_name_prefix="hindsight-async")


async def in_executor(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a sync call of ours without blocking the event loop; a cancelled wait loses nothing.

    The call itself is under a `Failsafe` deadline, so a waiting thread is always given back.
    """
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def told(done: Future[T]) -> None:
        if waiting.done():
            return  # nobody waits for it any more
        if (error := done.exception()) is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(done.result())

    def tell(done: Future[T]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(told, done)

    work = partial(function, *args, **kwargs)
    try:
        # Not by the loop's own way, for that takes back what is cancelled before a thread is free.
        door = _async_door(os.getpid()).submit(work)
    except RuntimeError:  # the machine has no thread left, or the program is ending
        return work()
    door.add_done_callback(tell)
    return await waiting
