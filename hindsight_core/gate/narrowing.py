"""In what a call that failed is apart from calls of its kind that worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hindsight_core.gate.arguments import Argument

__all__ = ["apart", "beside"]

_CLASSES: Final = frozenset(("words", "bool"))
"""Formats of values that put a thing into a class: a country, a mode; not a number, not a name."""
_NUMBERS: Final = frozenset(("int", "number"))
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


def beside(
    named: Iterable[tuple[str, str]],
    failed: Iterable[Sequence[Argument]],
    worked: Sequence[Sequence[Argument]],
) -> Iterator[frozenset[str]]:
    """Give, for each value that an error names and that worked elsewhere, what was different there.

    `named` are such values, each with its argument. Of a card that cannot be split and paid in one
    go it is the number of parts. Names and texts are different in any two calls and tell nothing.
    """
    for call in failed:
        held = {(one.name, part) for one in call for part in one.parts}
        for name, part in sorted(held.intersection(named)):
            good = [
                {one.name: one.text for one in other}
                for other in worked
                if any(one.name == name and part in one.parts for one in other)
            ]
            told = [
                f"{one.name} has {one.text}"
                for one in call
                if one.name != name and (_is_class(one) or one.format in _NUMBERS)
                if all(other.get(one.name) != one.text for other in good)
            ]
            if good and told:
                yield frozenset((f"{name} has {part}", *told))


def _is_class(value: Argument) -> bool:
    short = len(value.text) <= _LONGEST and len(value.text.split()) <= _MOST_WORDS
    return value.format in _CLASSES and short
