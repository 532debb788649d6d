"""How a short value is written: `2031Q1` and `2031年第一季度` say the same in two shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from hindsight_core.gate.arguments import Argument
from hindsight_core.text import is_cjk

__all__ = ["is_rewritten", "shape_of"]

_LONGEST: Final = 40
"""Longer texts are prose: how they are written says nothing of them."""
_PAIR: Final = re.compile(
    r"([-+]?[0-9]{1,3}(?:\.[0-9]{1,15})?) ?[,;，；| ] ?([-+]?[0-9]{1,3}(?:\.[0-9]{1,15})?)"
)
_PARTS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+")
_YEAR: Final = 4
"""Digits of a year."""
_POLE: Final = 90
"""The most that a latitude can be, in degrees."""
_HALF_TURN: Final = 180
"""The most that a longitude can be."""


def shape_of(text: str) -> str:
    """Return a folded text with its digits as `9`, its letters as `a`, its CJK signs as `字`.

    Four digits are `9999`, for they may be a year, which comes first or last in a date. Of two
    numbers that can only be the degrees of a place, it says too which comes first.
    """
    if len(text) > _LONGEST:
        return ""
    runs = ((kind, len([*run])) for kind, run in groupby(text, key=_kind))
    shape = "".join(_run(kind, length) for kind, length in runs)
    return f"{shape} {_order(text)}".rstrip()


def is_rewritten(
    name: str, failed: Sequence[Argument], fix: Sequence[Argument], *, of_form: bool
) -> bool:
    """Whether a fix wrote one value of a failing call otherwise and kept all others.

    Where the error is not `of_form`, the value must have the same words and numbers in another
    order; any number of them may have been put so.
    """
    old = {value.name: value.text for value in failed}
    new = {value.name: value.text for value in fix}
    changed = {one for one in old if old[one] != new.get(one)}
    if old.keys() != new.keys() or name not in changed:
        return False
    moved = all(_parts(old[one]) == _parts(new[one]) for one in changed)
    return moved or (of_form and len(changed) == 1)


def _parts(text: str) -> list[str]:
    return sorted(_PARTS.findall(text))


def _kind(sign: str) -> str:
    if sign.isdigit():
        return "9"
    if is_cjk(sign):
        return "字"
    return "a" if sign.isalpha() else sign


def _run(kind: str, length: int) -> str:
    if kind == "9":
        return "9999" if length == _YEAR else "9"
    return kind if kind in "a字" else kind * length


def _order(text: str) -> str:
    pair = _PAIR.fullmatch(text)
    if pair is None:
        return ""
    first, second = (abs(float(number)) for number in pair.groups())
    if first <= _POLE < second <= _HALF_TURN:
        return "north first"
    if second <= _POLE < first <= _HALF_TURN:
        return "east first"
    return ""
