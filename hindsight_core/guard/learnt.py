"""What persons decided about held-back memories, kept to know the like again (A-MemGuard's idea).

A-MemGuard (arXiv 2510.02373) keeps the lessons of the guard in a memory of their own. Here such a
lesson is a decision on one text, kept as marks. A refusal reaches to similar texts; an admission
only to the very same statement from the same channel, since one other number may be another payee.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hindsight_core.guard.marks import Marks, alike
from hindsight_core.schema import Record, Source

__all__ = ["ADMITTED", "REFUSED", "Decided", "recognise"]

ADMITTED: Final = "admitted"
REFUSED: Final = "refused"
_SIMILAR: Final = 0.6
"""Jaccard index of all marks from which a text counts as one that was refused."""
_CONTAINED: Final = 0.9
"""Share of a refused text's marks that a longer text may hold until it counts as the same."""
_FEWEST: Final = 3


class Decided(Record):
    """One decision of a person; `words` and `numbers` are the marks of the text.

    `why` is the person's own words: it stays with the record, which erasure reaches.
    """

    decision: str
    source: Source
    by: str
    why: str = ""
    reasons: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


def recognise(marks: Marks, source: Source, decided: Iterable[Decided]) -> Decided | None:
    """Return the newest decision, first in `decided`, on a text like this one, or None."""
    own = marks.all
    for one in decided:
        known = frozenset(one.words) | frozenset(one.numbers)
        if one.decision == ADMITTED:
            if known == own and one.source is source and own:
                return one
        elif min(len(known), len(own)) >= _FEWEST and (
            alike(known, own) >= _SIMILAR or len(known & own) >= _CONTAINED * len(known)
        ):
            return one
    return None
