"""Worker threads for our own calls, on which the host never has to wait."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["DaemonPool"]

T = TypeVar("T")


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
