"""The languages that outcomes are judged in, put together for lookup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from hindsight_core.capture.outcomes_en import ENGLISH
from hindsight_core.capture.outcomes_rules import Phrases, Rule
from hindsight_core.capture.outcomes_zh import CHINESE

__all__ = ["LANGUAGES", "found", "key_roles", "rules", "words"]

LANGUAGES: Final[tuple[Phrases, ...]] = (ENGLISH, CHINESE)
_SIGNS: Final = re.compile(r"[\W_]+")


def found(text: str, pattern: Callable[[Phrases], re.Pattern[str]]) -> re.Match[str] | None:
    """Search a normalised text for one kind of pattern in every language."""
    for language in LANGUAGES:
        if match := pattern(language).search(text):
            return match
    return None


def rules(kind: Callable[[Phrases], tuple[Rule, ...]]) -> Iterable[Rule]:
    """Rules of one rank, of every language."""
    for language in LANGUAGES:
        yield from kind(language)


@cache
def _key_table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for role, names in language.keys.items():
            for name in names:
                table.setdefault(name, set()).add(role)
    return {name: frozenset(roles) for name, roles in table.items()}


def key_roles(key: str) -> frozenset[str]:
    """What a result's key may stand for: error, flag, code, message … ; empty for data."""
    return _key_table().get(_SIGNS.sub("", key.casefold()), frozenset())


@cache
def words(role: str) -> frozenset[str]:
    """The words of tools' names that speak for a role, of every language."""
    return frozenset(word for language in LANGUAGES for word in language.words.get(role, ()))
