"""The holdout: a lesson is withheld in a share of the runs to see what difference it makes.

Which runs those are follows from the run's id and a seed alone, so every process decides alike and
a replay decides again as before. A lesson harms when the interval of its uplift lies below zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from hindsight_core.ledger.posterior import Posterior

__all__ = ["MIN_RUNS", "Uplift", "estimate_uplift", "is_withheld"]

MIN_RUNS: Final = 10
"""Runs of known end on each side, below which nothing is said."""
_Z: Final = 1.959963984540054
"""Standard deviations of the 95 % interval of a normal distribution."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Uplift:
    """By how much the share of runs that end well rises with a lesson: mean, and 95 % interval."""

    mean: float
    low: float
    high: float
    shown_runs: int
    withheld_runs: int

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ({self.low:+.2f} to {self.high:+.2f})"

    @property
    def harms(self) -> bool:
        """Whether the lesson does harm, beyond what chance explains."""
        return min(self.shown_runs, self.withheld_runs) >= MIN_RUNS and self.high < 0


def is_withheld(run_id: str, memory_id: str, *, share: float, seed: str) -> bool:
    """Whether a run is one of the `share` (0 to 1) that go without this memory."""
    if share <= 0:
        return False
    text = "\n".join((seed, run_id, memory_id))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64 < share


def estimate_uplift(shown: Posterior, withheld: Posterior) -> Uplift | None:
    """Compare how runs ended with a lesson and without; None while one side has no run.

    The difference of two Beta posteriors, taken as normal with the sum of their variances.
    """
    sides = (shown.hits + shown.misses, withheld.hits + withheld.misses)
    if not all(sides):
        return None
    mean = shown.mean - withheld.mean
    reach = _Z * math.sqrt(shown.variance + withheld.variance)
    return Uplift(
        mean=mean,
        low=mean - reach,
        high=mean + reach,
        shown_runs=sides[0],
        withheld_runs=sides[1],
    )
