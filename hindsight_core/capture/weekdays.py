"""The days of the week that a statement or the values of a call name."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["weekdays_in", "weekdays_of"]

_MAX_READ: Final = 600
_WEEK_ZH: Final = "一二三四五六日"
_WEEK_EN: Final = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_DAYS: Final = re.compile(
    r"\b(?:on |every )?(?P<en>mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|(?P<five>\bweekdays?\b|\bworking days?\b|工作日)|(?P<two>\bweekends?\b|周末)"
    r"|(?<![上下这本])(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])"
)
_DATE: Final = re.compile(
    r"(?<![0-9])([12][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?![0-9])"
)
_FIVE: Final = frozenset(range(5))


def weekdays_of(statement: str) -> frozenset[int]:
    """Return the days of the week that a statement names, Monday being 0."""
    text = simplified(fold(statement[:_MAX_READ]))
    return frozenset(day for match in _DAYS.finditer(text) for day in _days(match))


def _days(match: re.Match[str]) -> frozenset[int]:
    if match["en"]:
        return frozenset((_WEEK_EN.index(match["en"]),))
    if match["five"]:
        return _FIVE
    if match["two"]:
        return frozenset((5, 6))
    return frozenset((6 if match["zh"] == "天" else _WEEK_ZH.index(match["zh"]),))


def weekdays_in(text: str) -> frozenset[int]:
    """Return the days of the week that a text names, or that its dates (YYYY-MM-DD) are."""
    named = (m for m in _DAYS.finditer(simplified(text)) if m["en"] or m["zh"])
    found = {day for match in named for day in _days(match)}
    for match in _DATE.finditer(text):
        try:
            found.add(date(int(match[1]), int(match[2]), int(match[3])).weekday())
        except ValueError:
            continue  # 30 February is no day
    return frozenset(found)
