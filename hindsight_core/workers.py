"""Worker threads for our own calls, on which the host never has to wait."""

from __future__ import annotations

import asyncio
import os
import queue
import random
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Any, Final, ParamSpec, TypeVar

__all__ = ["DaemonPool", "in_executor", "jittered"]

P = ParamSpec("P")
T = TypeVar("T")

_CHANCE: Final = random.Random()  # noqa: S311 - no secret hangs on it
"""Of our own: a host that seeds `random` gets the same numbers with us as without."""


def jittered(seconds: float) -> float:
    """Return from half of so many seconds to all of them, so that many clients part."""
    return seconds * _CHANCE.uniform(0.5, 1.0)


class DaemonPool:
    """A few worker threads that never keep the interpreter from ending.

    `ThreadPoolExecutor` joins its threads at exit, so one hung call would hang the host for ever.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Semaphore(0)
        self._started = 0

    def submit(self, function: Callable[[], T]) -> Future[T]:
        if self._pid != os.getpid():
            self._reset()  # a forked child has the counters of the threads, but not the threads
        future: Future[T] = Future()
        self._work.put((future, function))
        if not self._idle.acquire(blocking=False):
            with self._lock:
                if self._started < self._size:
                    self._started += 1
                    threading.Thread(target=self._run, name="hindsight-worker", daemon=True).start()
        return future

    def _run(self) -> None:
        while True:
            try:
                future, function = self._work.get_nowait()
            except queue.Empty:
                self._idle.release()
                future, function = self._work.get()
            try:
                result = function()
            except BaseException as error:  # noqa: BLE001 - it is handed to the waiting caller
                future.set_exception(error)
            else:
                future.set_result(result)


@lru_cache(maxsize=1)
def _async_door() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=16, thread_name_prefix="hindsight-async")


async def in_executor(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a sync call of ours without blocking the event loop; a cancelled wait loses nothing.

    The call itself is under a `Failsafe` deadline, so a waiting thread is always given back.
    """
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_async_door(), partial(function, *args, **kwargs))
