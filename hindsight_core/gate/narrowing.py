"""In what a call that failed is apart from calls of its kind that worked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hindsight_core.gate.arguments import Argument

__all__ = ["apart"]

_CLASSES: Final = frozenset(("words", "bool"))
"""Formats of values that put a thing into a class: a country, a mode; not a number, not a name."""
_LONGEST: Final = 24
_MOST_WORDS: Final = 2


def apart(failed: Sequence[Argument], worked: Iterable[Sequence[Argument]]) -> frozenset[str]:
    """Return what is said of a failing call that none of those that worked has, as traits.

    What puts it into another class than each of them: the country to which it was sent. Where no
    value does, all of its values together, which is no more than the call itself.
    """
    others = [{value.name: value.text for value in call} for call in worked]
    mine = {value.name: value for value in failed}
    told = [
        f"{name} has {value.text}"
        for name, value in mine.items()
        if _is_class(value) and all(other.get(name, value.text) != value.text for other in others)
    ]
    return frozenset(told or (f"{one.name} has {one.text}" for one in failed if one.text))


def _is_class(value: Argument) -> bool:
    short = len(value.text) <= _LONGEST and len(value.text.split()) <= _MOST_WORDS
    return value.format in _CLASSES and short
