"""Confidence as a Beta posterior: its mean, and the interval in which it lies.

The cumulative distribution is the regularised incomplete beta function by Lentz's continued
fraction (W. Press et al., Numerical Recipes, 3rd ed., section 6.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

__all__ = ["Posterior", "beta_cdf", "beta_quantile"]

_TINY: Final = 1e-300
_ENOUGH: Final = 1e-12
_STEPS: Final = 10_000
_HALVINGS: Final = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Posterior:
    """Beta(1 + hits, 1 + misses): what is known of a chance after so many good and bad ends.

    The prior is uniform, so without any use the mean is 0.5 and the interval wide.
    """

    hits: int
    misses: int

    @property
    def mean(self) -> float:
        """The expected chance, 0 to 1; the same number as `Memory.confidence`."""
        return (1 + self.hits) / (2 + self.hits + self.misses)

    @property
    def variance(self) -> float:
        """The variance of the chance."""
        whole = 2 + self.hits + self.misses
        return self.mean * (1 - self.mean) / (whole + 1)

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the chance with this probability."""
        tail = (1 - mass) / 2
        a, b = 1 + self.hits, 1 + self.misses
        return beta_quantile(tail, a, b), beta_quantile(1 - tail, a, b)

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.mean:.2f} ({low:.2f} to {high:.2f})"


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the probability that a Beta(a, b) chance is at most `x`."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # where the fraction would converge slowly
        return 1 - beta_cdf(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return front * _fraction(x, a, b) / a


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the chance that a Beta(a, b) is below with probability `p`, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _apart(1 + term * d)
            c = _apart(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return value


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
