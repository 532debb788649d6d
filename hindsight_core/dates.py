"""Dates that are said relative to the day of speaking: "last Tuesday", 上周三, 昨天.

Pure: from a text and the time at which it was said to the days that are meant. The words are data,
one table a language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["Span", "spans", "without_dates"]

_MOST: Final = 4
"""Dates of one text that are resolved."""
_MOST_OF_ONE: Final = 32
"""Times that one rule is looked for in a text: each is compared with what was found before."""
_LONGEST: Final = 4_000
"""Characters of a text that are looked at."""
_WEEK: Final = 7
_YEAR: Final = 12


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    def holds(self, day: date) -> bool:
        """Whether a day is one of them."""
        return self.first <= day <= self.last

    def meets(self, other: Span) -> bool:
        """Whether they have a day in common."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern and what it means: `unit` day, week, month, year or weekday, `by` of them from now.

    A group `n` of the pattern multiplies `by`; a group `day` names the day of the week.
    """

    pattern: re.Pattern[str]
    unit: str
    by: int
    numbers: dict[str, int]
    days: dict[str, int]


@lru_cache(maxsize=2_048)
def spans(text: str, said_on: date) -> tuple[Span, ...]:
    """Return the days that a text means by its relative dates, in the order of its words.

    `said_on` is the day on which it was said. English and Chinese, simplified and traditional. A
    month or a year means all of its days, a week Monday to Sunday.
    """
    found: list[Span] = []
    for rule, match in _matches(simplified(fold(text[:_LONGEST]))):
        if (span := _span(rule, match, said_on)) is not None:
            found.append(span)
    return tuple(dict.fromkeys(found))[:_MOST]


def without_dates(text: str) -> str:
    """Return a text, folded, without its relative dates: what else it asks for."""
    plain = simplified(fold(text[:_LONGEST]))
    for _, match in reversed(_matches(plain)):
        plain = f"{plain[: match.start()]} {plain[match.end() :]}"
    return plain


def _matches(plain: str) -> list[tuple[_Rule, re.Match[str]]]:
    """The relative dates in their order; "the day before yesterday" is not "yesterday" as well."""
    found: list[tuple[_Rule, re.Match[str]]] = []
    rules = (rule for hint, rules in _rules() if hint.search(plain) for rule in rules)
    for rule in rules:
        for match in islice(rule.pattern.finditer(plain), _MOST_OF_ONE):
            start, end = match.span()
            if all(end <= other.start() or other.end() <= start for _, other in found):
                found.append((rule, match))
    return sorted(found, key=lambda one: one[1].start())


def _span(rule: _Rule, match: re.Match[str], today: date) -> Span | None:
    groups = match.groupdict()
    number = groups.get("n")
    times = 1 if number is None else rule.numbers.get(number) or int(number)
    try:
        return _UNITS[rule.unit](today, rule.by * times, rule.days.get(groups.get("day") or "", 0))
    except (OverflowError, ValueError):
        return None  # a million years ago


def _days(today: date, by: int, _: int) -> Span:
    day = today + timedelta(days=by)
    return Span(day, day)


def _weeks_off(today: date, by: int, _: int) -> Span:
    return _days(today, by * _WEEK, 0)


def _week(today: date, by: int, _: int) -> Span:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=by)
    return Span(monday, monday + timedelta(days=_WEEK - 1))


def _month(today: date, by: int, _: int) -> Span:
    first = _first_of(today, by)
    return Span(first, _first_of(today, by + 1) - timedelta(days=1))


def _year(today: date, by: int, _: int) -> Span:
    return Span(date(today.year + by, 1, 1), date(today.year + by, 12, 31))


def _weekday_of_week(today: date, by: int, day: int) -> Span:
    return _days(_week(today, by, 0).first, day, 0)


def _weekday_nearest(today: date, by: int, day: int) -> Span:
    """The last such day before today, or the next one after it."""
    ahead = (day - today.weekday()) % _WEEK or _WEEK
    return _days(today, ahead if by > 0 else (ahead % _WEEK) - _WEEK, 0)


def _first_of(today: date, by: int) -> date:
    years, month = divmod(today.month - 1 + by, _YEAR)
    return date(today.year + years, month + 1, 1)


_UNITS: Final = {
    "day": _days,
    "weeks": _weeks_off,
    "week": _week,
    "month": _month,
    "year": _year,
    "weekday_of_week": _weekday_of_week,
    "weekday": _weekday_nearest,
}


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[re.Pattern[str], tuple[_Rule, ...]], ...]:
    """The rules of each language, after the pattern without which none of them can match."""
    source = files("hindsight_core").joinpath("dates.toml")
    tables = tomllib.loads(source.read_text(encoding="utf-8"))
    return tuple((re.compile(table["hint"]), tuple(_rules_of(table))) for table in tables.values())


def _rules_of(table: dict[str, Any]) -> Iterator[_Rule]:
    numbers = {name: int(value) for name, value in table["numbers"].items()}
    days = {name: int(value) for name, value in table["days"].items()}
    number = "|".join([*sorted(numbers, key=len, reverse=True), r"[0-9]{1,4}"])
    day = "|".join(sorted(days, key=len, reverse=True))
    for pattern, meaning in table["rules"].items():
        unit, _, by = str(meaning).partition(" ")
        filled = pattern.replace("{n}", f"(?P<n>{number})").replace("{day}", f"(?P<day>{day})")
        yield _Rule(re.compile(filled), unit, int(by), numbers, days)
