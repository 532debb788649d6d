"""Whether a text asks for or against something, and whether two like texts differ in that."""

from __future__ import annotations

from typing import Final

from hindsight_core.guard.conflicts_alignment import align
from hindsight_core.guard.conflicts_quantities import Quantity
from hindsight_core.guard.conflicts_reading import Reading, read
from hindsight_core.schema import Polarity

__all__ = [
    "opposed_axes",
    "opposed_quantities",
    "opposed_slots",
    "polarity",
    "same_polarity",
]

_DENIED: Final = 0.25
"""Share of what both speak of that must be denied by one, for the texts to differ."""


def polarity(text: str) -> Polarity:
    """Tell whether a text says or denies; NEUTRAL where it says nothing.

    AGAINST means that most of its content terms stand under a negation, a prohibition or a verb
    of refusal.
    """
    words = read(text).words
    if not words:
        return Polarity.NEUTRAL
    balance = sum(sum(word.signs) for word in words)
    return Polarity.AGAINST if balance < 0 else Polarity.FOR


def same_polarity(a: str, b: str) -> bool:
    """Whether two texts that look alike also say the same.

    False when what one says the other denies, when they take opposite sides (open, closed), name
    other values of one slot (Monday, Tuesday) or other numbers of one dimension. Meant for texts
    that are near-duplicates by cosine already; `relate` judges all others.
    """
    first, second = read(a), read(b)
    return not (
        align(first, second, frozenset()).denied > _DENIED
        or opposed_axes(first, second)
        or opposed_slots(first, second)
        or opposed_quantities(first, second)
    )


def opposed_axes(a: Reading, b: Reading) -> list[str]:
    """Axes on which the texts take opposite sides and no common one, sorted."""
    return sorted(axis for axis in a.axes.keys() & b.axes.keys() if not a.axes[axis] & b.axes[axis])


def opposed_slots(a: Reading, b: Reading) -> list[str]:
    """Slots for which both name values, but none in common, or one denies the other's, sorted."""
    found = {
        slot for slot in a.values.keys() & b.values.keys() if not a.values[slot] & b.values[slot]
    }
    for first, second in ((a, b), (b, a)):
        found |= {
            slot
            for slot in first.values.keys() & second.denied.keys()
            if first.values[slot] & (second.denied[slot] - second.values.get(slot, frozenset()))
        }
    return sorted(found)


def opposed_quantities(a: Reading, b: Reading) -> list[str]:
    """Dimensions in which both texts have numbers, and no number in common, sorted."""
    first, second = _by_dimension(a.quantities), _by_dimension(b.quantities)
    return sorted(
        dimension
        for dimension in first.keys() & second.keys()
        if not any(_close(x, y) for x in first[dimension] for y in second[dimension])
    )


def _by_dimension(found: tuple[Quantity, ...]) -> dict[str, list[float]]:
    table: dict[str, list[float]] = {}
    for quantity in found[:64]:
        table.setdefault(quantity.dimension, []).append(quantity.value)
    return table


def _close(x: float, y: float) -> bool:
    return abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1.0)
