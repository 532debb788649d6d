"""Hands events that waited over to their store, in the order of their coming and each once."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from hindsight_core.errors import StoreError, StoreUnavailableError
from hindsight_core.events import EventBase
from hindsight_core.schema import Scope
from hindsight_core.stores._waiting import Take, hand_over, make_lasting
from hindsight_core.stores.write_queue import QueueError, WriteQueue, packed, purge
from hindsight_core.workers import jittered

__all__ = ["Delivery"]

logger: Final = logging.getLogger("hindsight_core")
T = TypeVar("T")
_BATCH: Final = 100
_FIRST, _LONGEST = 0.1, 2.0
_LOOK_AGAIN: Final = 30.0  # for what a process that ended has left in a shared queue
_AT_END: Final = 10.0
_BREATH: Final = 0.001  # between two batches, for who wants to hold them up
_TO_CLOSE: Final = 2.0
_TO_HOLD: Final = 10.0  # twice as long as a process that was killed leads


class Delivery:
    """The queues of one open store, the thread that empties them, and whether the store is away.

    The queues are tried in their order; while one that comes later holds events of this process,
    new ones go there, too, behind them. `down` says why calls are not tried; "" while the store
    answers. `behind` says that events of this process wait, so that a new one may not overtake
    them. `refused` counts events that the store would not take, and which are gone.
    """

    def __init__(
        self, queues: Sequence[WriteQueue], probe: Callable[[], object], take: Take, place: str
    ) -> None:
        self.down = ""
        self.behind = False
        self.refused = 0
        self._queues = tuple(queues)
        self._probe = probe
        self._take = take
        self._place = place
        self._lock = threading.Lock()
        self._moving = threading.Lock()
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._pushed: dict[int, tuple[int, int]] = {}  # our last event in each queue, by its number
        self._errors: dict[str, str] = {}
        self._warned: set[str] = set()
        self._pid = 0
        self._start()

    def begin(self, why: str) -> None:
        """Say that the store is away: from now on events wait."""
        with self._lock:
            if not self.down:
                logger.warning("waiting for %s: %s", self._place, why)
            self.down, self.behind = why, True
        self._start()
        self._wanted.set()

    def put(self, event: EventBase, owner: str) -> bool:
        """Let an event wait; False when nothing waits any more, so that it can go to the store.

        Raises `StoreUnavailableError` where no queue takes it.
        """
        body = packed(event, owner)
        with self._lock:
            if not self.behind:
                return False
            queue = self._push(body)
        self._warn(queue)
        return True

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep what waits where it is: neither this process nor another hands it over meanwhile."""
        until = time.monotonic() + _TO_HOLD
        if not self._moving.acquire(timeout=_TO_HOLD):
            raise StoreUnavailableError(f"{self._place}: what waited is on its way; try again")
        try:
            while not all(self._ask(queue, queue.lead, default=True) for queue in self._queues):
                if time.monotonic() > until:
                    raise StoreUnavailableError(
                        f"{self._place}: another process hands over what waited; try again"
                    )
                time.sleep(_FIRST)
            yield
        finally:
            self._moving.release()

    def purge(self, scope: Scope) -> int:
        """Take away what waits of a scope, and of everything narrower."""
        try:
            return sum(purge(queue, scope) for queue in self._queues)
        except QueueError as error:
            raise StoreUnavailableError(
                f"the write queue may hold more of it and does not answer: {error}"
            ) from error

    def state(self) -> dict[str, Any]:
        """Where events wait, how many, how many of them in memory, and what is wrong with that."""
        return {
            "place": self._queues[0].name,
            "durable": self._queues[0].durable,
            "backlog": sum(self._size(queue) for queue in self._queues),
            "in_memory": self.in_memory,
            "refused": self.refused,
            "error": "; ".join(self._errors.values()),
        }

    def close(self) -> None:
        """Try once more to hand over what would end with this process, then stop."""
        self._stopped.set()
        self._wanted.set()
        if self._pid == os.getpid():
            self._make_lasting()
        if self._pid == os.getpid() and self.in_memory:
            last = threading.Thread(target=self._try, daemon=True)
            last.start()
            last.join(_AT_END)
            if left := self.in_memory:
                logger.error(
                    "%d events that waited in memory for %s are lost: no file for them could be "
                    "written. Name one: HINDSIGHT_SPOOL",
                    left,
                    self._place,
                )
        if self._moving.acquire(timeout=_TO_CLOSE):  # a batch on its way would come twice
            self._moving.release()
        for queue in self._queues:
            queue.close()

    def _push(self, body: str) -> WriteQueue:
        """Put a text at the end of what waits; the lock is held."""
        first = max(self._pushed, default=0)  # in an earlier one it would overtake the others
        for number, queue in enumerate(self._queues[first:], first):
            try:
                self._pushed[number] = queue.push(body)
            except QueueError as error:
                self._note(queue, error)
            else:
                return queue
        raise StoreUnavailableError(f"{self._place} is away, and no queue takes what has to wait")

    def _start(self) -> None:
        if self._pid != os.getpid() and not self._stopped.is_set():
            self._pid = os.getpid()  # not started yet, or forked away from its thread
            threading.Thread(target=self._run, name="hindsight-delivery", daemon=True).start()

    def _run(self) -> None:
        self._wanted.set()  # an earlier process may have left something
        while not self._stopped.is_set():
            self._wanted.wait(_LOOK_AGAIN)
            self._wanted.clear()
            pause = _FIRST
            while not self._stopped.is_set() and self._is_wanted() and not self._try():
                self._stopped.wait(jittered(pause))
                pause = min(2 * pause, _LONGEST)

    def _is_wanted(self) -> bool:
        return self.behind or any(map(self._size, self._queues)) or bool(self._errors)

    def _try(self) -> bool:
        """Whether the store answers and has got all that waited here.

        Nothing is asked of a server while the lock is held, for events are put meanwhile.
        """
        self._make_lasting()
        try:
            self._probe()
            self.down = ""
            while True:
                before = dict(self._pushed)
                if not all(self._empty(number) for number in range(len(self._queues))):
                    return False
                with self._lock:
                    if before != self._pushed:
                        continue
                    if self.behind:
                        logger.warning("%s answers again, and has what waited", self._place)
                    self.behind = False
                    self._pushed.clear()
                return not self._errors
        except StoreError as error:
            with self._lock:
                if self.behind:
                    self.down = str(error)
            return False

    def _empty(self, number: int) -> bool:
        """Hand over what waits in a queue; whether nothing of this process is in it any more.

        One process at a time does so. A queue that is away must not keep the rest waiting: what it
        holds comes when it is back.
        """
        queue = self._queues[number]
        last = self._pushed.get(number)
        try:
            while True:
                with self._moving:
                    leads = queue.lead()
                    waiting = queue.peek(_BATCH if leads else 1)
                    if waiting and leads:
                        self.refused += hand_over(self._take, [body for _, body in waiting])
                        queue.remove([place for place, _ in waiting])
                if waiting and leads:
                    time.sleep(_BREATH)
                    continue
                self._errors.pop(queue.name, None)
                return not waiting or last is None or waiting[0][0] > last
        except QueueError as error:
            self._note(queue, error)
            return True

    def _make_lasting(self) -> None:
        """Move what waits in memory to a queue that outlives this process, if one takes it now."""
        if not self.in_memory or not self._moving.acquire(timeout=_TO_CLOSE):
            return
        try:
            make_lasting(self._queues, self._pushed, self._lock, self._note)
        except QueueError as error:
            logger.warning("what waits in memory stays there: %s", error)
        finally:
            self._moving.release()

    @property
    def in_memory(self) -> int:
        """How many events would be lost with this process."""
        return sum(self._size(queue) for queue in self._queues if not queue.durable)

    def _size(self, queue: WriteQueue) -> int:
        return self._ask(queue, queue.size, default=0)

    def _ask(self, queue: WriteQueue, question: Callable[[], T], *, default: T) -> T:
        try:
            return question()
        except QueueError as error:
            self._note(queue, error)
            return default

    def _note(self, queue: WriteQueue, error: QueueError) -> None:
        if str(error) != self._errors.get(queue.name) and not self._stopped.is_set():
            logger.warning("the write queue is passed over: %s", error)
        self._errors[queue.name] = str(error)

    def _warn(self, queue: WriteQueue) -> None:
        if queue.name not in self._warned:
            self._warned.add(queue.name)
            if told := self._ask(queue, queue.warning, default=""):
                logger.warning("the write queue %s: %s", queue.name, told)
