"""Whether two memories say together what neither may say alone: an order cut in halves. Pure.

Each half passes the guard at its write, for there is no order in it. Where both are about to be
shown in one block they are read as one text, in both orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Final

from hindsight_core.guard.reading import read
from hindsight_core.guard.rules import Finding, Gravity, judge_text

__all__ = ["clear_joint", "said_together"]

_READ: Final = 600
"""Characters of each end that meet: what a longer text says stands in it as a whole."""
_ENDS: Final = " .。!！…,，;；:：-–—\n\t"


def said_together(texts: Sequence[str]) -> frozenset[int]:
    """The places of those texts that make up an order only with another one."""
    found: set[int] = set()
    for one, other in permutations(range(len(texts)), 2):
        if _meet(texts[one][-_READ:], texts[other][:_READ]):
            found |= {one, other}
    return frozenset(found)


def clear_joint() -> None:
    """Forget the texts that were read together."""
    _meet.cache_clear()


@lru_cache(maxsize=4_096)
def _meet(first: str, second: str) -> bool:
    whole = _grave(f"{first.rstrip(_ENDS)} {second.lstrip(_ENDS)}")
    return bool(whole) and not whole <= _grave(first) | _grave(second)


def _grave(text: str) -> set[str]:
    reading = read(text)
    layers = (reading, *reading.hidden)
    findings: list[Finding] = [finding for layer in layers for finding in judge_text(layer)]
    return {f.reason for f in findings if f.firm or f.gravity is Gravity.REFUSE}
