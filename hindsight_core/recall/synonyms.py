"""Words that mean one thing: 退款, 退货 and "refund" find each other; users add their own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Self

from hindsight_core.errors import ConfigurationError
from hindsight_core.han import simplified
from hindsight_core.text import fold, terms

__all__ = [
    "SYNONYM_WEIGHT",
    "Synonym",
    "Synonyms",
    "held_in_other_words",
    "shipped_synonyms",
]

SYNONYM_WEIGHT: Final = 0.6
"""What one occurrence of another word for it counts, against one of the word itself."""

Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Synonym:
    """A word of a question and the other words for it, all cut into index terms."""

    word: Words
    others: tuple[Words, ...]


class Synonyms:
    """Groups of words that mean one thing; a word may be of several terms or several groups."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._groups = tuple(tuple(group) for group in groups)
        self._others: dict[Words, dict[Words, None]] = {}
        self._spellings: dict[str, dict[str, None]] = {}
        for group in self._groups:
            cut = [tuple(terms(word)) for word in group]
            if len(group) < 2 or not all(cut):
                raise ConfigurationError(
                    f"synonyms: {list(group)!r:.200} must be at least two words, none of them empty"
                )
            for word, own in zip(group, cut, strict=True):
                others = self._others.setdefault(own, {})
                others.update((other, None) for other in cut if other != own)
                self._spellings.setdefault(_plain(word), {}).update(dict.fromkeys(group))
        self._longest = max((len(word) for word in self._others), default=0)

    @classmethod
    def shipped(cls) -> Self:
        """Return the words of support and development that come with the package."""
        return cls(_shipped_groups())

    def extended(self, groups: Iterable[Sequence[str]]) -> Synonyms:
        """Return these and more groups; a word of several groups means all of them."""
        return Synonyms((*self._groups, *groups))

    def of(self, asked: Sequence[str]) -> tuple[Synonym, ...]:
        """Find the words with synonyms among the terms of a question, in their order."""
        found: dict[Words, Synonym] = {}
        for start in range(len(asked)):
            for length in range(1, self._longest + 1):
                word = tuple(asked[start : start + length])
                if len(word) == length and word in self._others:
                    found[word] = Synonym(word=word, others=tuple(self._others[word]))
        return tuple(found.values())

    def spellings(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names (entities) and every other word for each, without repetition."""
        every = dict.fromkeys(names)
        for name in names:
            every.update(self._spellings.get(_plain(name), {}))
        return tuple(every)


def held_in_other_words(
    held: Mapping[str, float], synonyms: Iterable[Synonym]
) -> Mapping[str, float]:
    """Count a word's terms as held, at `SYNONYM_WEIGHT`, where another word for it is."""
    added: dict[str, float] = {}
    for synonym in synonyms:
        if all(term in held for term in synonym.word):
            continue
        times = max(min(held.get(term, 0.0) for term in other) for other in synonym.others)
        if times:
            for term in synonym.word:
                added[term] = max(added.get(term, 0.0), SYNONYM_WEIGHT * times)
    return {**added, **held} if added else held


@lru_cache(maxsize=1)
def shipped_synonyms() -> Synonyms:
    """The shipped groups, read once."""
    return Synonyms.shipped()


def _shipped_groups() -> list[list[str]]:
    source = files("hindsight_core.recall").joinpath("synonyms.toml")
    tables = tomllib.loads(source.read_text(encoding="utf-8"))
    return [group for table in tables.values() for group in table["groups"]]


def _plain(word: str) -> str:
    return simplified(fold(word)).strip()
