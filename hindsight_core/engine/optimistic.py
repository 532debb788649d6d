"""Repeats a change of a record that somebody else was quicker with.

No record is locked while we think about it: a change says which revision it read, and the store
refuses it where that is no longer the newest. Then it is read, decided and written again.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final, TypeVar

from hindsight_core.errors import StaleError
from hindsight_core.workers import jittered

__all__ = ["repeat_while_stale"]

PATIENCE: Final = 5.0
"""Seconds; as long as a writer of SQLite waits for the lock."""
_FIRST: Final = 0.001
_LONGEST: Final = 0.1

Result = TypeVar("Result")


def repeat_while_stale(change: Callable[[], Result], *, patience: float = PATIENCE) -> Result:
    """Call `change`, which reads, decides and writes, until it raises no `StaleError`.

    Between two calls it waits, from about a millisecond to a tenth of a second and by chance, so
    that many writers of one record come to their turn. Raises the last `StaleError` once
    `patience`, in seconds, is over.
    """
    give_up = monotonic() + patience
    pause = _FIRST
    while True:
        try:
            return change()
        except StaleError:
            if monotonic() + pause > give_up:
                raise
        sleep(jittered(pause))
        pause = min(2 * pause, _LONGEST)
