"""Weighs the evidence on a pair: a small kernel model whose numbers are shipped as JSON. Pure.

A radial kernel compares the pair with landmarks (centres of the pairs learnt from), and a
logistic layer turns the likenesses into probabilities. `benchmarks/conflicts_train.py` makes the
file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Final

from hindsight_core.guard.conflicts_evidence import Evidence

__all__ = ["FEATURES", "LABELS", "features", "grounds", "probabilities"]

LABELS: Final = ("duplicate", "contradiction", "refinement", "unrelated_similar")
FEATURES: Final = (
    "cover_a",
    "cover_b",
    "exact_a",
    "exact_b",
    "rest_a",
    "rest_b",
    "extra_a",
    "extra_b",
    "head_a",
    "head_b",
    "denied",
    "refuted",
    "weakest",
    "growth",
    "length",
    "clauses",
    "same_numbers",
    "new_numbers",
    "lost_numbers",
    "same_values",
    "same_sides",
    "axes",
    "slots",
    "places",
    "numbers",
    "negation_shift",
    "exclusives",
    "exceptions",
    "conditions",
    "changes",
    "universals",
    "existentials",
    "opposed",
    "opposed_here",
    "explicit",
)
_CAP: Final = 3
_REFUTED: Final = 0.65
"""From here on what one text denies counts as said by the other (SICK: precision .85 at .71)."""


def features(found: Evidence) -> tuple[float, ...]:
    """The numbers that the model sees, in the order of `FEATURES`."""
    words = found.alignment
    opposed = max(
        words.denied,
        min(1.0, 0.6 * len(found.axes)),
        min(1.0, 0.8 * len(found.slots)),
        0.8 if found.numbers else 0.0,
    )
    news = found.news
    return (
        words.cover_a,
        words.cover_b,
        words.exact_a,
        words.exact_b,
        words.rest_a,
        words.rest_b,
        math.log1p(words.extra_a),
        math.log1p(words.extra_b),
        words.head_a,
        words.head_b,
        words.denied,
        words.refuted,
        words.weakest,
        found.growth,
        found.length,
        float(max(-_CAP, min(_CAP, found.clauses))),
        float(min(_CAP, found.same_numbers)),
        float(min(_CAP, found.new_numbers)),
        float(min(_CAP, found.lost_numbers)),
        float(min(_CAP, found.same_values)),
        float(min(_CAP, found.same_sides)),
        float(min(2, len(found.axes))),
        float(min(2, len(found.slots))),
        float(min(2, len(found.places))),
        float(min(2, len(found.numbers))),
        float(abs(found.negation_shift)),
        float(news["exclusives"]),
        float(news["exceptions"]),
        float(news["conditions"]),
        float(news["changes"]),
        float(news["universals"]),
        float(news["existentials"]),
        opposed,
        opposed * words.cover_a,
        words.refuted * max(words.exact_a, words.exact_b),
    )


def grounds(found: Evidence) -> tuple[str, ...]:
    """What a contradiction could rest on; without any there is none.

    A value, side or number that differs is no ground where a text introduces somebody unknown: a
    man who plays the guitar and a man who plays the piano may be two.
    """
    reasons: list[str] = []
    if found.alignment.refuted >= _REFUTED:
        reasons.append("denial")
    if found.scenes:
        return tuple(reasons)
    reasons += [f"opposite: {axis.partition('/')[2]}" for axis in found.axes]
    reasons += [f"value: {slot}" for slot in found.slots]
    reasons += [f"number: {dimension or 'plain'}" for dimension in found.numbers]
    for kind, name in (("changes", "change"), ("exclusives", "exclusion")):
        if found.news[kind] > 0:
            reasons.append(name)
    if not reasons and found.alignment.denied >= 1 - _REFUTED:
        reasons.append("denial in part")
    return tuple(reasons)


def probabilities(numbers: Sequence[float]) -> tuple[float, ...]:
    """Probabilities of `LABELS`, which sum to 1."""
    model = _model()
    scaled = [(x - mean) * scale for x, mean, scale in zip(numbers, *model.scaling, strict=True)]
    length = sum(map(mul, scaled, scaled))
    # |x - l|^2 as |x|^2 + |l|^2 - 2 x.l: a third of the time of subtracting first.
    near = [
        math.exp(model.gamma * (2 * sum(map(mul, scaled, landmark)) - length - square))
        for landmark, square in zip(model.landmarks, model.squares, strict=True)
    ]
    scores = [
        bias + sum(map(mul, row, near))
        for bias, row in zip(model.biases, model.weights, strict=True)
    ]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return tuple(power / total for power in powers)


@dataclass(frozen=True, slots=True)
class _Model:
    scaling: tuple[list[float], list[float]]
    gamma: float
    landmarks: list[list[float]]
    squares: list[float]
    weights: list[list[float]]
    biases: list[float]


@cache
def _model() -> _Model:
    path = files("hindsight_core.guard").joinpath("conflicts_model.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    if tuple(raw["features"]) != FEATURES:
        msg = "conflicts_model.json was made for other features; run benchmarks.conflicts_train"
        raise RuntimeError(msg)
    return _Model(
        scaling=(raw["means"], raw["scales"]),
        gamma=raw["gamma"],
        landmarks=raw["landmarks"],
        squares=[sum(x * x for x in landmark) for landmark in raw["landmarks"]],
        weights=raw["weights"],
        biases=raw["biases"],
    )
