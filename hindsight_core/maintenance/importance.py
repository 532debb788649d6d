"""How strong a memory still is, and how important: pure formulas of the record and the time.

Nothing is stored when time passes: both follow from when the memory was last of use, so looking
twice changes nothing. A recall that shows it, new evidence and a person's word are such a use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from hindsight_core.schema import Memory, Tier
from hindsight_core.text import terms

__all__ = [
    "DECAY",
    "DECAY_DAYS",
    "FADING_DAYS",
    "days_unreferenced",
    "density",
    "importance",
    "strength",
]

DECAY: Final = 0.9
"""What is left of a memory's strength after `DECAY_DAYS` without a reference."""
DECAY_DAYS: Final = 30.0
FADING_DAYS: Final[Mapping[Tier, float]] = {
    Tier.WORKING: 1.0,
    Tier.SHORT: 30.0,
    Tier.LONG: 90.0,
}
"""After how many days without a reference importance has lost two thirds of its recency."""

_DAY: Final = 86_400.0
_REFERENCES: Final = 0.3
_RECENCY: Final = 0.3
_FEEDBACK: Final = 0.25
_DENSITY: Final = 0.15
_MANY: Final = 5.0
"""References at which their part is half of what it can be."""
_TELLING: Final = 8
"""Distinct terms from which a text is not short."""


def days_unreferenced(memory: Memory, now: datetime) -> float:
    """Return the days since the memory was last of use; one from the future was so just now."""
    used = max(memory.created_at, memory.updated_at, memory.last_referenced_at or memory.created_at)
    return max(0.0, (now - used).total_seconds() / _DAY)


def strength(memory: Memory, now: datetime) -> float:
    """Return `decay * 0.9 ** (days / 30)`: what runs and time have left of a memory, 0 to 1.

    `decay` is what the ledger made of it, times 0.95 for each run that did not take it.
    """
    return memory.decay * DECAY ** (days_unreferenced(memory, now) / DECAY_DAYS)


def importance(memory: Memory, now: datetime) -> float:
    """Return `0.3*references + 0.3*recency + 0.25*feedback + 0.15*density`, 0 to 1.

    References are `n / (n + 5)`, recency `exp(-days / 30)` of a short-term and `exp(-days / 90)`
    of a long-term memory, feedback is the confidence, density that of its words.
    """
    fading = FADING_DAYS[memory.tier]
    return (
        _REFERENCES * memory.references / (memory.references + _MANY)
        + _RECENCY * math.exp(-days_unreferenced(memory, now) / fading)
        + _FEEDBACK * memory.confidence
        + _DENSITY * density(memory.content)
    )


def density(text: str) -> float:
    """Return how much a text tells for its length, 0 to 1.

    The share of its terms that are new, times how far it is from being too short to tell much (8
    distinct terms). Chinese counts by bigrams, as the text index does.
    """
    found = terms(text)
    if not found:
        return 0.0
    distinct = len(set(found))
    return distinct / len(found) * min(1.0, distinct / _TELLING)
