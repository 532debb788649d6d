"""How alike two calls are by their arguments, and what is different between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hindsight_core.capture.signatures import canonical
from hindsight_core.text import fold, terms

__all__ = [
    "Difference",
    "Profile",
    "difference",
    "mentions",
    "profile",
    "short_value",
    "similarity",
]

_MAX_VALUE: Final = 2_000
_NUMBER: Final = re.compile(r"[0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What was changed from one call's arguments to another's; values are short texts."""

    changed: tuple[tuple[str, str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed)

    def only(self, names: Collection[str]) -> Difference:
        """The part of it that is about arguments of these names."""
        return Difference(
            changed=tuple(one for one in self.changed if one[0] in names),
            added=tuple(one for one in self.added if one[0] in names),
            removed=tuple(one for one in self.removed if one in names),
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A call's arguments, made ready to be compared: canonical values, and the words of texts."""

    canonical: Mapping[str, str]
    words: Mapping[str, frozenset[str]]

    @property
    def terms(self) -> frozenset[str]:
        """The words and numbers of all argument values."""
        return frozenset(word for words in self.words.values() for word in words)


def profile(args: Mapping[str, Any]) -> Profile:
    """Read a call's arguments once, for any number of comparisons."""
    values = {name: canonical(value) for name, value in args.items()}
    return Profile(
        canonical=values,
        words={
            name: frozenset(terms(text[:_MAX_VALUE].replace("_", " ")))
            for name, text in values.items()
        },
    )


def similarity(left: Profile, right: Profile) -> float:
    """Return how alike two calls of one tool are, 0 to 1: the mean over all argument names.

    An equal value counts 1, a missing one 0.5 (what was added or dropped is how calls are fixed),
    others by the share of words that the shorter has in common with the longer. A single word or
    number that was exchanged beside other arguments counts 0.4.
    """
    names = left.canonical.keys() | right.canonical.keys()
    if not names:
        return 1.0
    return sum(_alike(left, right, name, len(names)) for name in names) / len(names)


def _alike(left: Profile, right: Profile, name: str, count: int) -> float:
    if name not in left.canonical or name not in right.canonical:
        return 0.5
    if left.canonical[name] == right.canonical[name]:
        return 1.0
    a, b = left.words[name], right.words[name]
    if not a or not b:
        return 0.4
    floor = 0.4 if count > 1 and len(a) <= 2 and len(b) <= 2 else 0.0
    return max(floor, len(a & b) / min(len(a), len(b)))


def difference(failed: Mapping[str, Any], worked: Mapping[str, Any]) -> Difference:
    """Compare the arguments of a call that failed with those of one that worked."""
    changed: list[tuple[str, str, str]] = []
    added: list[tuple[str, str]] = []
    for name, value in worked.items():
        if name not in failed:
            added.append((name, short_value(value)))
        elif canonical(failed[name]) != canonical(value):
            changed.append((name, short_value(failed[name]), short_value(value)))
    removed = tuple(name for name in failed if name not in worked)
    return Difference(changed=tuple(changed), added=tuple(added), removed=removed)


def short_value(value: Any, limit: int = 80) -> str:
    """Write a value for people: texts in quotes, the rest as JSON, cut to `limit` characters."""
    text = f"'{value}'" if isinstance(value, str) else canonical(value)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def mentions(text: str) -> frozenset[str]:
    """Return the things a text names by kind and number, such as `cabinet 3`, folded."""
    return frozenset(f"{kind} {number}" for kind, number in _NAMED.findall(fold(text[:20_000])))


_NAMED: Final = re.compile(r"([^\W\d_]{2,30})[ _#-]{0,2}([0-9]{1,6})\b")
