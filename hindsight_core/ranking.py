"""The ranking formula: pure, and every part of a score is returned.

Default profile: `0.6*similarity + 0.2*exp(-age_days/30) + 0.15*trust + 0.05*min(0.05*references,
0.3)`. `exp(-age/30)` falls to 0.37 at 30 days: 30 is the e-folding time, named `decay_days`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight_core.schema import Memory

__all__ = ["DEFAULT", "ScoreBreakdown", "Weights", "score"]

_DAY: Final = 86_400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """One profile of the formula; `decay_days` is the e-folding time of recency."""

    similarity: float = 0.6
    recency: float = 0.2
    trust: float = 0.15
    references: float = 0.05
    decay_days: float = 30.0
    per_reference: float = 0.05
    references_cap: float = 0.3


DEFAULT: Final = Weights()


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreBreakdown:
    """A score and what it is made of; each part is weighted already, so `total` is their sum."""

    similarity: float
    recency: float
    trust: float
    references: float

    @property
    def total(self) -> float:
        """The sum of the weighted parts."""
        return self.similarity + self.recency + self.trust + self.references


def score(
    memory: Memory, similarity: float, now: datetime, weights: Weights = DEFAULT
) -> ScoreBreakdown:
    """Score a memory for a query that it is `similarity` (0 to 1) alike.

    A memory from the future counts as new. Similarity outside 0..1 is clipped, NaN counts as 0.
    """
    age_days = max(0.0, (now - memory.created_at).total_seconds() / _DAY)
    alike = 0.0 if math.isnan(similarity) else min(1.0, max(0.0, similarity))
    popular = min(weights.per_reference * memory.references, weights.references_cap)
    return ScoreBreakdown(
        similarity=weights.similarity * alike,
        recency=weights.recency * math.exp(-age_days / weights.decay_days),
        trust=weights.trust * memory.trust,
        references=weights.references * popular,
    )
