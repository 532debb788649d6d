"""How alike two calls are by their arguments, and what is different between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hindsight_core.capture.signatures import canonical
from hindsight_core.text import fold, terms

__all__ = ["Difference", "argument_terms", "difference", "short_value", "similarity"]

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


def argument_terms(args: Mapping[str, Any]) -> frozenset[str]:
    """Return the words and numbers of all argument values."""
    found: set[str] = set()
    for value in args.values():
        text = value if isinstance(value, str) else canonical(value)
        found.update(terms(text[:_MAX_VALUE].replace("_", " ")))
    return frozenset(found)


def similarity(left: Mapping[str, Any], right: Mapping[str, Any]) -> float:
    """Return how alike two calls of one tool are, 0 to 1: the mean over all argument names.

    An equal value counts 1, a missing one 0.5 (what was added or dropped is how calls are fixed),
    two texts by the words they share, other values 0.4.
    """
    names = left.keys() | right.keys()
    if not names:
        return 1.0
    return sum(_alike(left, right, name) for name in names) / len(names)


def _alike(left: Mapping[str, Any], right: Mapping[str, Any], name: str) -> float:
    if name not in left or name not in right:
        return 0.5
    a, b = left[name], right[name]
    if canonical(a) == canonical(b):
        return 1.0
    if not (isinstance(a, str) and isinstance(b, str)):
        return 0.4
    words_a, words_b = set(terms(a[:_MAX_VALUE])), set(terms(b[:_MAX_VALUE]))
    if not words_a or not words_b:
        return 0.4
    shared = len(words_a & words_b)
    alone = 0.4 if len(words_a) <= 2 and len(words_b) <= 2 else 0.0
    return max(alone if len(left) > 1 else 0.0, shared / min(len(words_a), len(words_b)))


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
