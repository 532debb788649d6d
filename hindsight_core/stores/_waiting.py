"""What is done with events that wait: handed over, or moved to where they outlive the process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from hindsight_core.errors import HindsightError, StoreError
from hindsight_core.events import EventBase
from hindsight_core.stores.write_queue import Position, QueueError, WriteQueue, unpacked

__all__ = ["Take", "hand_over", "make_lasting"]

logger: Final = logging.getLogger("hindsight_core")
Take = Callable[[Sequence[tuple[EventBase, str]]], object]
_SOME: Final = 20
"""Events that are moved at once: each is written through to the disk, and new ones wait for it."""


def hand_over(take: Take, bodies: Sequence[str]) -> int:
    """Hand over in one transaction; one by one where the store would not take one of them.

    Returns how many were refused.
    """
    try:
        take([unpacked(body) for body in bodies])
    except StoreError:
        raise
    except (HindsightError, ValueError, KeyError, TypeError) as error:
        if len(bodies) > 1:
            return sum(hand_over(take, [body]) for body in bodies)
        # It would be refused for ever, and all the rest would wait behind it.
        logger.warning("an event that waited was refused: %s", type(error).__name__)
        return 1
    return 0


def make_lasting(
    queues: Sequence[WriteQueue],
    pushed: dict[int, Position],
    lock: AbstractContextManager[object],
    note: Callable[[WriteQueue, QueueError], None],
) -> None:
    """Move what waits in memory to a queue that outlives the process, as soon as one takes it.

    There it stands behind what this process put there before (`pushed`, by the queue's number),
    so the order stays. Nothing may be handed over meanwhile.
    """
    for number, memory in enumerate(queues):
        while not memory.durable:
            with lock:
                waiting = memory.peek(_SOME)
                if not waiting:
                    pushed.pop(number, None)
                    break
                first = max((one for one in pushed if one != number), default=0)
                for place, body in waiting:
                    if not _put(queues, range(first, number), body, pushed, note):
                        return
                    memory.remove([place])


def _put(
    queues: Sequence[WriteQueue],
    numbers: range,
    body: str,
    pushed: dict[int, Position],
    note: Callable[[WriteQueue, QueueError], None],
) -> bool:
    first = max((one for one in pushed if one in numbers), default=numbers.start)
    for number in range(first, numbers.stop):
        try:
            pushed[number] = queues[number].push(body)
        except QueueError as error:
            note(queues[number], error)
        else:
            return True
    return False
