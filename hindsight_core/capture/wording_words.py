"""The words by which statements and calls are tied, read from the table of each language."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hindsight_core.text import count_cjk

__all__ = ["all_codes", "codes", "empty_words", "han_codes", "han_names", "light_words", "says"]


@cache
def _tables() -> list[dict[str, Any]]:
    """The words of each language."""
    text = files("hindsight_core.capture").joinpath("wording.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text).values())


@cache
def empty_words() -> frozenset[str]:
    """Words that say nothing."""
    return frozenset(word for table in _tables() for word in table["empty"])


@cache
def light_words() -> frozenset[str]:
    """Words that do not tell one thing from another."""
    return frozenset(word for table in _tables() for word in table["light"])


@cache
def codes() -> dict[str, tuple[str, ...]]:
    """What tools call the things of these names: a name may have several codes."""
    found: dict[str, tuple[str, ...]] = {}
    for code, names in (item for table in _tables() for item in table["codes"].items()):
        for name in names:
            found[name] = (*found.get(name, ()), code)
    return found


@cache
def all_codes() -> frozenset[str]:
    """The codes themselves, which tell nothing of a thing."""
    return frozenset(code for codes in codes().values() for code in codes)


@cache
def han_codes() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The codes of names that stand in a text without borders."""
    return tuple((name, codes) for name, codes in codes().items() if count_cjk(name))


@cache
def han_names() -> dict[str, tuple[str, ...]]:
    """How a language without borders names what tools name in English."""
    found: dict[str, tuple[str, ...]] = {}
    for words, names in (item for table in _tables() for item in table["names"].items()):
        for word in words.split():
            found[word] = tuple(names)
    return found


def says(name: str, text: str) -> bool:
    """Whether a folded text has what a list of the tables names, in any language: `force`."""
    return _pattern(name).search(text) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(one for table in _tables() for one in table[name]))
