"""Words that mean one thing: 退款, 退货 and "refund" find each other; users add their own.

A kind of things ("package manager") finds what is of that kind (pnpm), which is no word for it: at
a lower weight, and never the other way round.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Self, TypeAlias

from hindsight_core.errors import ConfigurationError
from hindsight_core.han import simplified
from hindsight_core.text import fold, terms

__all__ = [
    "KIND_WEIGHT",
    "SYNONYM_WEIGHT",
    "Synonym",
    "Synonyms",
    "held_in_other_words",
    "shipped_synonyms",
]

SYNONYM_WEIGHT: Final = 0.6
"""What one occurrence of another word for it counts, against one of the word itself."""

KIND_WEIGHT: Final = 0.4
"""The same for a thing of the kind that the word names."""

Words = tuple[str, ...]

KindOfThing: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The words for a kind, and what is of that kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Synonym:
    """A word of a question and the other words for it, all cut into index terms.

    `weight` is what one occurrence of another word counts, against one of the word itself.
    """

    word: Words
    others: tuple[Words, ...]
    weight: float = SYNONYM_WEIGHT


class Synonyms:
    """Groups of words that mean one thing; a word may be of several terms or several groups.

    `kinds` are words for a kind of things, each with the names of such things.
    """

    def __init__(self, groups: Iterable[Sequence[str]], kinds: Iterable[KindOfThing] = ()) -> None:
        self._groups = tuple(tuple(group) for group in groups)
        self._kinds = tuple(kinds)
        self._things: dict[Words, tuple[Words, ...]] = {}
        self._named: dict[str, tuple[str, ...]] = {}
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
        for names, things in self._kinds:
            for name in names:
                self._things[tuple(terms(name))] = tuple(tuple(terms(thing)) for thing in things)
                self._named[_plain(name)] = tuple(things)
        self._longest = max((len(word) for word in (*self._others, *self._things)), default=0)

    @classmethod
    def shipped(cls) -> Self:
        """Return the words of support and development that come with the package."""
        kinds = [(kind["names"], kind["members"]) for kind in _table("kinds.toml")["kind"]]
        groups = [group for table in _table("synonyms.toml").values() for group in table["groups"]]
        return cls([*groups, *(names for names, _ in kinds)], kinds)

    def extended(self, groups: Iterable[Sequence[str]]) -> Synonyms:
        """Return these and more groups; a word of several groups means all of them."""
        return Synonyms((*self._groups, *groups), self._kinds)

    def of(self, asked: Sequence[str]) -> tuple[Synonym, ...]:
        """Find the words with synonyms among the terms of a question, in their order."""
        found: dict[Synonym, None] = {}
        for start in range(len(asked)):
            for length in range(1, self._longest + 1):
                word = tuple(asked[start : start + length])
                if len(word) < length:
                    break
                if self._others.get(word):  # all words of a group may have one stem
                    found[Synonym(word=word, others=tuple(self._others[word]))] = None
                if self._things.get(word):
                    things = self._things[word]
                    found[Synonym(word=word, others=things, weight=KIND_WEIGHT)] = None
        return tuple(found)

    def spellings(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names (entities) and every other word for each, without repetition."""
        every = dict.fromkeys(names)
        for name in names:
            every.update(self._spellings.get(_plain(name), {}))
        return tuple(every)

    def matching(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names (entities), every other word for each, and what is of the kind it names."""
        every = dict.fromkeys(self.spellings(names))
        for name in names:
            every.update(dict.fromkeys(self._named.get(_plain(name), ())))
        return tuple(every)


def held_in_other_words(
    held: Mapping[str, float], synonyms: Iterable[Synonym]
) -> Mapping[str, float]:
    """Count a word's terms as held, at the synonym's weight, where another word for it is."""
    added: dict[str, float] = {}
    for synonym in synonyms:
        if all(term in held for term in synonym.word):
            continue
        times = max(min(held.get(term, 0.0) for term in other) for other in synonym.others)
        if times:
            for term in synonym.word:
                added[term] = max(added.get(term, 0.0), synonym.weight * times)
    return {**added, **held} if added else held


@lru_cache(maxsize=1)
def shipped_synonyms() -> Synonyms:
    """The shipped groups, read once."""
    return Synonyms.shipped()


def _table(name: str) -> dict[str, Any]:
    source = files("hindsight_core.recall").joinpath(name)
    return tomllib.loads(source.read_text(encoding="utf-8"))


def _plain(word: str) -> str:
    return simplified(fold(word)).strip()
