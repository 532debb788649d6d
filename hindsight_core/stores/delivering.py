"""Hands events that waited over to their store, in the order of their coming and each once."""

from __future__ import annotations

import json
import logging
import os
import random
import threading
from collections.abc import Callable
from typing import Any, Final

from hindsight_core.errors import HindsightError, StoreError, StoreUnavailableError
from hindsight_core.events import EventBase, dump_event, load_event
from hindsight_core.schema import Scope
from hindsight_core.stores.write_queue import LocalQueue, Position, QueueError, WriteQueue, purge

__all__ = ["Delivery"]

logger: Final = logging.getLogger("hindsight_core")
_BATCH: Final = 100
_FIRST: Final = 0.1
_LONGEST: Final = 5.0
_LOOK_AGAIN: Final = 30.0
"""Seconds between two looks for what a process that ended has left in a shared queue."""
_MOST_IN_MEMORY: Final = 100_000
_AT_END: Final = 10.0


class Delivery:
    """The queue of one open store, the thread that empties it, and whether the store is away.

    `down` says why calls are not tried; "" while the store answers. `behind` says that events of
    this process wait, so that a new one may not overtake them. `refused` counts events that the
    store would not take, and which are gone.
    """

    def __init__(
        self,
        queue: WriteQueue,
        probe: Callable[[], object],
        take: Callable[[EventBase, str], object],
        place: str,
    ) -> None:
        self.down = ""
        self.behind = False
        self.refused = 0
        self._queue = queue
        self._spill = LocalQueue()
        self._probe = probe
        self._take = take
        self._place = place
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._pushed: Position | None = None
        self._spilled = 0
        self._error = ""
        self._warned = False
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
        """Let an event wait; False when nothing waits any more, so that it can go to the store."""
        body = json.dumps({"owner": owner, "event": json.loads(dump_event(event))})
        with self._lock:
            if not self.behind:
                return False
            self._push(body)
        self._warn()
        return True

    def purge(self, scope: Scope) -> int:
        """Take away what waits of a scope, and of everything narrower."""
        try:
            return purge(self._queue, scope) + purge(self._spill, scope)
        except QueueError as error:
            raise StoreUnavailableError(
                f"the write queue may hold more of it and does not answer: {error}"
            ) from error

    def state(self) -> dict[str, Any]:
        """Where events wait, how many, how many of them in memory, and what is wrong with that."""
        in_memory = self._size(self._spill)
        return {
            "place": self._queue.name,
            "durable": self._queue.durable,
            "backlog": self._size(self._queue) + in_memory,
            "in_memory": in_memory,
            "refused": self.refused,
            "error": self._error,
        }

    def close(self) -> None:
        """Try once more to hand over what would end with this process, then stop."""
        self._stopped.set()
        self._wanted.set()
        if self._only_here() and self._pid == os.getpid():
            last = threading.Thread(target=lambda: self._spill_over() or self._try(), daemon=True)
            last.start()
            last.join(_AT_END)
            if left := self._only_here():
                logger.error(
                    "%d events that waited in memory for %s are lost. Name a queue that lasts: "
                    "HINDSIGHT_QUEUE",
                    left,
                    self._place,
                )
        self._queue.close()
        self._spill.close()

    def _spill_over(self) -> bool:
        """Move what waits in this process into the queue, where it lasts; whether it could be."""
        if not self._queue.durable:
            return False
        try:
            with self._lock:
                for place, body in self._spill.peek(_MOST_IN_MEMORY):
                    self._pushed = self._queue.push(body)
                    self._spill.remove([place])
                self._spilled = 0
        except QueueError as error:
            self._note(str(error))
            return False
        return True

    def _push(self, body: str) -> None:
        """Put a text at the end of the queue; the lock is held."""
        if not self._spilled:  # else it would overtake what waits in this process
            try:
                self._pushed = self._queue.push(body)
            except QueueError as error:
                self._note(str(error))
            else:
                return
        if self._spilled >= _MOST_IN_MEMORY:
            raise StoreUnavailableError(f"{self._place} and its queue are away; too much waits")
        self._spill.push(body)
        self._spilled += 1

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
            while not self._stopped.is_set() and (self.behind or self._size(self._queue)):
                if self._spilled:
                    self._spill_over()
                if self._try():
                    break
                self._stopped.wait(pause * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
                pause = min(2 * pause, _LONGEST)

    def _try(self) -> bool:
        """Whether the store answers and has got all that waited here.

        Nothing is asked of a server while the lock is held, for events are put meanwhile.
        """
        try:
            self._probe()
            self.down = ""
            while True:
                pushed, spilled = self._pushed, self._spilled
                if not self._deliver_shared():
                    return False
                self._deliver(self._spill)
                with self._lock:
                    if (pushed, spilled) != (self._pushed, self._spilled):
                        continue
                    if self.behind:
                        logger.warning("%s answers again, and has what waited", self._place)
                    self.behind, self._spilled, self._pushed = False, 0, None
                return not self._error
        except StoreError as error:
            with self._lock:
                if self.behind:
                    self.down = str(error)
            return False

    def _deliver_shared(self) -> bool:
        """Hand over what waits in the queue; whether nothing of ours is in it any more.

        One process at a time does so. A queue that is away must not keep the rest waiting.
        """
        try:
            while True:
                if self._queue.lead():
                    if not (waiting := self._queue.peek(_BATCH)):
                        break
                    self._hand_over_all(self._queue, waiting)
                    continue
                first = self._queue.peek(1)
                if first and self._pushed is not None and first[0][0] <= self._pushed:
                    return False
                break
        except QueueError as error:
            self._note(str(error))
        else:
            self._error = ""
        return True

    def _deliver(self, queue: WriteQueue) -> None:
        while waiting := queue.peek(_BATCH):
            self._hand_over_all(queue, waiting)

    def _hand_over_all(self, queue: WriteQueue, waiting: list[tuple[Position, str]]) -> None:
        for _, body in waiting:
            self._hand_over(body)
        queue.remove([place for place, _ in waiting])

    def _hand_over(self, body: str) -> None:
        try:
            kept = json.loads(body)
            self._take(load_event(json.dumps(kept["event"])), str(kept["owner"]))
        except StoreError:
            raise
        except (HindsightError, ValueError, KeyError, TypeError) as error:
            # It would be refused for ever, and all the rest would wait behind it.
            self.refused += 1
            logger.warning("an event that waited was refused: %s", type(error).__name__)

    def _only_here(self) -> int:
        return self._size(self._spill) + (0 if self._queue.durable else self._size(self._queue))

    def _size(self, queue: WriteQueue) -> int:
        try:
            return queue.size()
        except QueueError as error:
            self._note(str(error))
            return 0

    def _note(self, error: str) -> None:
        if error != self._error:
            logger.warning("the write queue is passed over: %s", error)
        self._error = error

    def _warn(self) -> None:
        if self._warned:
            return
        self._warned = True
        try:
            if told := self._queue.warning():
                logger.warning("the write queue %s: %s", self._queue.name, told)
        except QueueError as error:
            self._note(str(error))
