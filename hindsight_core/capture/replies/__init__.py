"""What a user says of what he said before, as data: one table a language.

Patterns match a whole turn or sentence of folded text, simplified signs; `<<NAME>>` stands for the
macro of that name. `families` are values of one kind, of which one can be exchanged for another.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["LANGUAGES", "TABLES", "families", "find"]

LANGUAGES: Final = ("en", "zh")
TABLES: Final = ("erase", "forget", "instead", "same_act")
"""The tables that each language has."""


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    found: list[re.Pattern[str]] = []
    for language in LANGUAGES:
        table = _table(language)
        for pattern in table["patterns"][name]:
            for macro, text in table["macros"].items():
                pattern = pattern.replace(f"<<{macro}>>", text)
            found.append(re.compile(pattern, re.IGNORECASE))
    return tuple(found)


def find(name: str, text: str) -> re.Match[str] | None:
    """The match of the first pattern of a table, in any language, that fits the whole text."""
    return next((match for one in _patterns(name) if (match := one.fullmatch(text))), None)


@cache
def families() -> tuple[re.Pattern[str], ...]:
    """Values of one kind each, in all languages together."""
    tables = [_table(language)["families"] for language in LANGUAGES]
    names = dict.fromkeys(name for table in tables for name in table)
    joined = ("|".join(f"(?:{one[name]})" for one in tables if name in one) for name in names)
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in joined)


@cache
def _table(language: str) -> dict[str, dict[str, str]]:
    path = files("hindsight_core.capture.replies").joinpath(f"{language}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
