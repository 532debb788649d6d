"""Dates, numbers, quantities and compounds of a question in their other spellings.

"April 3rd" is 4月3日 and 2026-04-03, fourteen is 14 and 十四, "90 s" is 90s and 90秒, "e-mail" is
email. Nothing is reckoned: another year, another number or another unit is another thing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from hindsight_core.han import simplified
from hindsight_core.recall.synonyms import SYNONYM_WEIGHT, Synonym
from hindsight_core.text import fold, terms

__all__ = ["forget_spellings", "other_spellings"]

_READ: Final = 1_000
"""Signs of a question that are looked at."""
_MOST: Final = 6
_HAN: Final = "零一二三四五六七八九"
_HAN_NUMBER: Final = "[一二三四五六七八九]?十[一二三四五六七八九]?"
_DAY: Final = f"(?:[0-9]{{1,2}}|{_HAN_NUMBER}|[一二三四五六七八九])"
_LAST_MONTH, _LAST_DAY, _LARGEST = 12, 31, 99
_BASE: Final = 10
_HYPHENATED: Final = re.compile(r"(?<![a-z0-9-])[a-z]+(?:-[a-z]{2,})+(?![a-z0-9-])")
_WORD: Final = re.compile(r"(?<![a-z0-9-])[a-z]{4,}(?![a-z0-9-])")
_YEAR, _OF_YEARS = len("2026"), ("年", "year", "years")


@dataclass(frozen=True, slots=True)
class _Tables:
    months: tuple[tuple[str, ...], ...]
    words: dict[int, str]
    apart: dict[str, str]
    compound: re.Pattern[str]
    prefixed: re.Pattern[str]
    units: dict[str, tuple[str, ...]]
    dates: tuple[re.Pattern[str], ...]
    number: re.Pattern[str]
    quantity: re.Pattern[str]


@lru_cache(maxsize=512)
def other_spellings(question: str) -> tuple[Synonym, ...]:
    """Return what a question says in figures or in words, with its other spellings as synonyms."""
    plain = simplified(fold(question[:_READ]))
    found: dict[tuple[str, ...], list[str]] = {}
    for said, others in (
        *_dates(plain),
        *_quantities(plain),
        *_numbers(plain),
        *_compounds(plain),
    ):
        found.setdefault(tuple(dict.fromkeys(terms(said))), []).extend(others)
    synonyms = (_synonym(word, others) for word, others in found.items() if word)
    return tuple(one for one in synonyms if one.others)[:_MOST]


def forget_spellings() -> None:
    """Drop every question that was read."""
    other_spellings.cache_clear()


def _synonym(word: tuple[str, ...], others: Iterable[str]) -> Synonym:
    cut = (tuple(dict.fromkeys(terms(other))) for other in others)
    return Synonym(
        word=word,
        others=tuple(dict.fromkeys(other for other in cut if other and other != word)),
        weight=SYNONYM_WEIGHT,
    )


def _dates(plain: str) -> Iterator[tuple[str, list[str]]]:
    tables = _tables()
    for pattern in tables.dates:
        for match in pattern.finditer(plain):
            month, day = _month(match["m"]), _number(match["d"])
            if not (1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY):
                continue
            names = [
                f"{name} {day}{end}" for name in tables.months[month - 1] for end in _ends(day)
            ]
            yield (
                match[0],
                [
                    *names,
                    f"{month}月{day}",
                    f"{_in_han(month)}月{_in_han(day)}",
                    f"{month:02} {day:02}",
                ],
            )


def _ends(day: int) -> tuple[str, str]:
    last = {1: "st", 2: "nd", 3: "rd"}.get(day % _BASE, "th")
    return "", "th" if day // _BASE == 1 else last


def _quantities(plain: str) -> Iterator[tuple[str, list[str]]]:
    units = _tables().units
    for match in _tables().quantity.finditer(plain):
        number = match["n"]
        if len(number) == _YEAR and match["unit"] in _OF_YEARS:
            continue
        value = _number(number)
        spelt = {number, *([str(value)] if 0 < value <= _LARGEST else [])}
        others = [
            form
            for other in units[match["unit"]]
            for one in sorted(spelt)
            for form in (f"{one}{other}", f"{one} {other}")
            if terms(other)  # a bare sign is no term: 12 % would be any 12
        ]
        yield match[0], others


def _numbers(plain: str) -> Iterator[tuple[str, list[str]]]:
    for match in _tables().number.finditer(plain):
        value = _number(match[0])
        if _BASE <= value <= _LARGEST:
            yield match[0], [str(value), _in_han(value), _tables().words[value]]


def _compounds(plain: str) -> Iterator[tuple[str, list[str]]]:
    """Words of two parts: as one, with a hyphen (which parts them in the index), or apart."""
    tables = _tables()
    for match in _HYPHENATED.finditer(plain):
        yield match[0], [match[0].replace("-", "")]
    for match in tables.compound.finditer(plain):
        yield match[0], [match[0].replace(" ", "")]
    for word in _WORD.findall(plain):
        if parts := tables.apart.get(word.removesuffix("s")):
            yield word, [parts]
        elif match := tables.prefixed.fullmatch(word):
            yield word, [f"{match[1]} {match[2]}"]


def _month(said: str) -> int:
    names = _tables().months
    place = next((n for n, spelt in enumerate(names, 1) if said in spelt), 0)
    return place or _number(said)


def _number(said: str) -> int:
    """The value of a number below a hundred in figures, English or Chinese words; else -1."""
    if said.isascii() and said.isdigit():
        return int(said) if len(said) < 4 else -1
    if (value := _spoken().get(re.sub(r"[\s-]+", " ", said))) is not None:
        return value
    tens, ten, ones = said.rpartition("十")
    if not ten:
        return _HAN.find(said) if len(said) == 1 else -1
    return (_HAN.find(tens) if tens else 1) * _BASE + (_HAN.find(ones) if ones else 0)


def _in_han(value: int) -> str:
    tens, ones = divmod(value, _BASE)
    head = "" if not tens else ("" if tens == 1 else _HAN[tens]) + "十"
    return head + (_HAN[ones] if ones or not tens else "")


@lru_cache(maxsize=1)
def _spoken() -> dict[str, int]:
    return {word: value for value, word in _tables().words.items()}


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    source = files("hindsight_core.recall").joinpath("spellings.toml")
    table: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    months = tuple(tuple(names.split()) for names in table["months"])
    apart = {parts.replace(" ", ""): parts for parts in table["compounds"]}
    words = {value: _in_words(table, *divmod(value, _BASE)) for value in range(_BASE, _LARGEST + 1)}
    units = {unit: tuple(line.split()) for line in table["units"] for unit in line.split()}
    month = "|".join(sorted((name for names in months for name in names), key=len, reverse=True))
    spoken = "|".join(
        re.escape(word).replace(r"\ ", r"[\s-]")
        for word in sorted(words.values(), key=len, reverse=True)
    )
    unit = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    return _Tables(
        months=months,
        words=words,
        apart=apart,
        compound=re.compile(rf"(?<![a-z0-9-])(?:{'|'.join(table['compounds'])})(?![a-z0-9-])"),
        prefixed=re.compile(rf"({'|'.join(table['prefixes'])})([a-z]{{4,}})"),
        units=units,
        dates=(
            re.compile(
                rf"\b(?P<m>{month})\.? (?:the )?(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\b", re.ASCII
            ),
            re.compile(
                rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{month})\b", re.ASCII
            ),
            re.compile(r"\b[0-9]{4}[-/.](?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})\b", re.ASCII),
            re.compile(rf"(?<![0-9一二三四五六七八九十])(?P<m>{_DAY})月(?P<d>{_DAY})(?:日|号)?"),
        ),
        number=re.compile(
            rf"(?<![0-9A-Za-z_:/-])(?<![0-9][.,])[0-9]{{2}}(?![0-9A-Za-z_:/%-])(?![.,][0-9])|(?<![0-9])[0-9]{{2}}(?=[个位人名])"
            rf"|{_HAN_NUMBER}|\b(?:{spoken})\b",
            re.ASCII,
        ),
        quantity=re.compile(
            rf"(?<![0-9A-Za-z_])(?<![0-9][.,])(?P<n>[0-9]+(?:[.,][0-9]+)?|{_HAN_NUMBER}|\b(?:{spoken}))"
            rf"[\s-]?(?P<unit>{unit})(?![a-z])",
            re.ASCII,
        ),
    )


def _in_words(table: dict[str, Any], tens: int, ones: int) -> str:
    if tens == 1:
        return str(table["teens"][ones])
    return " ".join(part for part in (table["tens"][tens], table["ones"][ones]) if part)
