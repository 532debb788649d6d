"""What speaks for each relation of two texts, as named numbers. Pure.

`a` is the text that stands, `b` the one that came later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

from hindsight_core.guard.conflicts_alignment import Alignment, align
from hindsight_core.guard.conflicts_polarity import (
    opposed_axes,
    opposed_quantities,
    opposed_slots,
)
from hindsight_core.guard.conflicts_reading import Reading, read
from hindsight_core.guard.conflicts_tables import LANGUAGES, word_list

__all__ = ["Evidence", "gather"]

_CAP: Final = 2
_FLAGS: Final = ("exclusives", "exceptions", "conditions", "changes", "universals", "existentials")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The facts about a pair that the judgement rests on.

    `axes`, `slots` and `numbers` name the opposites, values and dimensions in which the texts
    differ, `places` those slots that name the subject itself. `news` counts what b has of each
    kind of flag more than a. `growth` is the log ratio of the lengths, `length` log(1 + units of
    b), `shorter` that of the shorter text. `scenes` says that one of them introduces somebody
    unknown, so that the other need not speak of the same one. The others are counts.
    """

    alignment: Alignment
    axes: tuple[str, ...]
    slots: tuple[str, ...]
    places: tuple[str, ...]
    numbers: tuple[str, ...]
    same_numbers: int
    new_numbers: int
    lost_numbers: int
    same_values: int
    same_sides: int
    negation_shift: int
    news: dict[str, int]
    growth: float
    length: float
    shorter: float
    clauses: int
    scenes: bool


def gather(a: str, b: str) -> Evidence:
    """Compare the readings of two texts."""
    first, second = read(a), read(b)
    axes = opposed_axes(first, second)
    slots = opposed_slots(first, second)
    places = _places()
    numbers_a = {(q.dimension, q.value) for q in first.quantities}
    numbers_b = {(q.dimension, q.value) for q in second.quantities}
    return Evidence(
        alignment=align(first, second, {*axes, *slots}),
        axes=tuple(axes),
        slots=tuple(slot for slot in slots if slot not in places),
        places=tuple(sorted(slot for slot in places if _elsewhere(first, second, slot))),
        numbers=tuple(opposed_quantities(first, second)),
        same_numbers=len(numbers_a & numbers_b),
        new_numbers=len(numbers_b - numbers_a),
        lost_numbers=len(numbers_a - numbers_b),
        same_values=sum(
            bool(said & second.values.get(slot, frozenset())) for slot, said in first.values.items()
        ),
        same_sides=sum(
            bool(sides & second.axes.get(axis, frozenset())) for axis, sides in first.axes.items()
        ),
        negation_shift=min(_CAP, second.negations) - min(_CAP, first.negations),
        news={
            name: min(_CAP, second.flags.get(name, 0)) - min(_CAP, first.flags.get(name, 0))
            for name in _FLAGS
        },
        growth=math.log((second.units + 1) / (first.units + 1)),
        length=math.log1p(second.units),
        shorter=math.log1p(min(first.units, second.units)),
        clauses=second.clauses - first.clauses,
        scenes=first.scene or second.scene,
    )


@cache
def _places() -> frozenset[str]:
    return frozenset[str]().union(*(word_list(code, "places") for code in LANGUAGES))


def _elsewhere(a: Reading, b: Reading, slot: str) -> bool:
    """Whether both name this slot, said or denied, and nothing in common."""
    there, here = (
        reading.values.get(slot, frozenset[str]()) | reading.denied.get(slot, frozenset[str]())
        for reading in (a, b)
    )
    return bool(there and here and not there & here)
