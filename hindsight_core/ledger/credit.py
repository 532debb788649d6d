"""What a line of the ledger does to the memory that it is about: pure.

Taken and the run ended well: one more hit. Taken and it ended badly: one more miss. Recalled and
not taken: the memory's decay times 0.95. How the run ended decides nothing where the memory was not
followed, and a memory that was withheld is neither credited nor blamed.
"""

from __future__ import annotations

from typing import Final

from hindsight_core.ports_ledger import MemoryUse, Verdict
from hindsight_core.schema import Kind, Memory

__all__ = ["CREDITED", "NOT_TAKEN", "credit"]

NOT_TAKEN: Final = 0.95
"""By which decay is multiplied when a recalled memory was not taken."""

CREDITED: Final = frozenset({Kind.LESSON, Kind.PATH})
"""Kinds whose use shows whether they help; a user's rule holds whether it was kept or not."""


def credit(memory: Memory, now: MemoryUse, before: MemoryUse | None = None) -> Memory:
    """Credit a memory with what one run did with it, in the place of an earlier verdict.

    Returns `memory` itself where nothing changes, so that judging a run again is harmless.
    """
    if memory.kind not in CREDITED:
        return memory
    hits, misses, ignored = _worth(now)
    old_hits, old_misses, old_ignored = _worth(before)
    change = (hits - old_hits, misses - old_misses, ignored - old_ignored)
    if change == (0, 0, 0):
        return memory
    return memory.model_copy(
        update={
            "hits": max(0, memory.hits + change[0]),
            "misses": max(0, memory.misses + change[1]),
            "decay": min(1.0, memory.decay * NOT_TAKEN ** change[2]),
        }
    )


def _worth(use: MemoryUse | None) -> tuple[int, int, int]:
    """Hits, misses and times that it was not taken."""
    if use is None or use.withheld:
        return 0, 0, 0
    if use.verdict is not Verdict.TAKEN:
        return 0, 0, 1
    return int(use.good is True), int(use.good is False), 0
