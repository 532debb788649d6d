"""Whether a call is beyond a bound that the user set: a time of day, an amount."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from hindsight_core.capture import CLOCK, Limit, amounts_in, clocks_in, unit_of
from hindsight_core.gate._rule_words import LATE_ENDS
from hindsight_core.gate.arguments import Argument, name_words, plain
from hindsight_core.gate.calls import CallView, acts

__all__ = ["is_beyond"]

_SPLIT: Final = re.compile(r"[^a-z€$£¥%\u3400-\u9fff]+")
_OF_MONEY: Final = frozenset(
    [
        "price",
        "cost",
        "costs",
        "amount",
        "budget",
        "total",
        "fee",
        "pay",
        "money",
        "价格",
        "金额",
        "费用",
        "预算",
        "总价",
        "单价",
    ]
)
_OF_PEOPLE: Final = frozenset(
    [
        "people",
        "persons",
        "guests",
        "seats",
        "attendees",
        "participants",
        "party",
        "capacity",
        "headcount",
        "人数",
        "座位",
        "席位",
        "名额",
    ]
)
_OF_TIME: Final = frozenset(["duration", "length", "时长"])
_MONEY: Final = frozenset(("euro", "dollar", "pound", "yuan"))


def is_beyond(limits: Sequence[Limit], call: CallView, spoken: Collection[str] = ()) -> bool:
    """Whether a value of a call breaks one of the bounds; one of another unit says nothing.

    `spoken` are words of the rule: a bound without a unit is one of what they name, or of money.
    """
    return any(
        limit.is_broken_by(value)
        for limit in limits
        for one in call.arguments
        if acts(one)
        for value in (_values(one, limit.unit) if limit.unit else _bare(one, spoken))
    )


def _bare(value: Argument, spoken: Collection[str]) -> Iterator[float]:
    if value.format in ("int", "float") and name_words(value.name) & {*spoken, *_OF_MONEY}:
        yield from (amount for _, amount in amounts_in(value.text))


def _values(value: Argument, unit: str) -> Iterator[float]:
    if unit == CLOCK:
        if not name_words(value.name) & LATE_ENDS:
            yield from clocks_in(value.text)
        return
    for told, amount in amounts_in(value.text):
        if told == unit:
            yield amount
        elif not told and value.format in ("int", "float", "number"):
            yield from _in_unit_of_name(value.name, amount, unit)


def _in_unit_of_name(name: str, amount: float, unit: str) -> Iterator[float]:
    """A bare number, in the unit that its name tells: `duration_minutes`, 时长(分钟)."""
    named = [found for word in _SPLIT.split(plain(name)) if (found := unit_of(word))]
    if named:
        yield from (amount * size for told, size in named if told == unit)
    elif (
        (unit in _MONEY and name_words(name) & _OF_MONEY)
        or (unit == "minute" and name_words(name) & _OF_TIME)
        or (unit == "person" and name_words(name) & _OF_PEOPLE)
    ):
        yield amount
