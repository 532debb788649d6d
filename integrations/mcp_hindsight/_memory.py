"""The proxy's memory, opened beside the traffic: it must neither delay nor break it."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcp_hindsight._messages import Message
    from mcp_hindsight._watching import Waiting, Watch

__all__ = ["Bystander"]

logger: Final = logging.getLogger("mcp_hindsight")
_MOST_QUEUED: Final = 10_000
_TICK: Final = 5.0


class Bystander:
    """Hands what passes to a `Watch` on a thread of its own, in order.

    `open_watch` opens the memory on that thread. A call waits `patience` seconds for the gate's
    word, then it runs. With no memory, or more than 10,000 messages
    behind, the traffic goes on unseen, and the log says so once.
    """

    def __init__(self, open_watch: Callable[[], Watch], *, patience: float = 2.0) -> None:
        self._patience = patience
        self._open = open_watch
        self._jobs: queue.Queue[tuple[Callable[[Watch], object], Future[object]] | None] = (
            queue.Queue(_MOST_QUEUED)
        )
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._work, name="mcp-proxy-memory", daemon=True)
        self._thread.start()

    def asked(self, message: Message, *, wait: bool) -> Waiting | None:
        """Note a message of the client's; with `wait`, return what the gate says of a call."""
        at = time.monotonic()
        found: list[Waiting | None] = []
        self._do(lambda watch: found.append(watch.asked(message, at)), wait=wait)
        return found[0] if found else None

    def answered(self, message: Message, *, wait: bool) -> str:
        """Note a message of the server's; with `wait`, return the advice to complete it with."""
        at = time.monotonic()
        found: list[str] = []
        self._do(lambda watch: found.append(watch.answered(message, at)), wait=wait)
        return found[0] if found else ""

    def rejected(self, message_id: object, reason: str) -> None:
        """Note that a person refused a call."""
        self._do(lambda watch: watch.rejected(message_id, reason), wait=False)

    def forget(self, message_id: object) -> None:
        """Wait no longer for a call's answer."""
        self._do(lambda watch: watch.forget(message_id), wait=False)

    def close(self, timeout: float = 10.0) -> None:
        """Take note of what is queued, end the run, and close the memory."""
        try:
            self._jobs.put(None, timeout=timeout)
        except queue.Full:
            self._tell("closing", "the memory is too far behind; what it missed is lost")
        self._thread.join(timeout)

    def _do(self, job: Callable[[Watch], object], *, wait: bool) -> None:
        done: Future[object] = Future()
        try:
            self._jobs.put_nowait((job, done))
        except queue.Full:
            self._tell("full", "the memory is too far behind: calls pass unseen")
            return
        if wait:
            try:
                done.result(self._patience)
            except FutureTimeoutError:
                self._tell("late", "the memory does not answer in time: calls pass ungated")

    def _work(self) -> None:
        try:
            watch = self._open()
        except Exception as error:  # noqa: BLE001 - the traffic goes on, and the log says why
            self._tell("open", f"no memory, the traffic goes on without it: {_said(error)}")
            watch = None
        while True:
            try:
                job = self._jobs.get(timeout=_TICK)
            except queue.Empty:
                if watch is not None:
                    watch.guarded("rest", watch.rest)
                continue
            if job is None:
                break
            function, done = job
            if watch is not None:
                watch.guarded("message", function, watch)
            done.set_result(None)
        if watch is not None:
            watch.guarded("finish", watch.finish)
            watch.close()

    def _tell(self, kind: str, text: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            logger.warning("mcp-proxy: %s", text)


def _said(error: Exception) -> str:
    from hindsight_core import HindsightError

    return str(error) if isinstance(error, HindsightError) else type(error).__name__
