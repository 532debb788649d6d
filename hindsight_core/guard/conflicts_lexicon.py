"""Finds the entries of the language tables in a text, both languages in one pass.

A text is cut into units (a Latin word, a number, one CJK sign, one mark of punctuation); a trie
over units gives the longest entry at each place. Linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from hindsight_core.guard.conflicts_hant import simplify
from hindsight_core.guard.conflicts_tables import LANGUAGES, Mark, marks_of
from hindsight_core.text import clean, fold

__all__ = ["Found", "Unit", "find_entries", "stem", "units_of"]

_TAIL: Final = r"[^\W_\u3400-\u4dbf\u4e00-\u9fff]"
_UNIT: Final = re.compile(
    r"(?P<cjk>[\u3400-\u4dbf\u4e00-\u9fff])"
    r"|(?P<num>\d+(?:[.,:/-]\d+)*)"
    rf"|(?P<word>[^\W\d_]{_TAIL}*(?:['’_.+#/-]{_TAIL}+)*[+#]*)"
    r"|(?P<punct>[^\w\s])"
)
_APOSTROPHE: Final = str.maketrans("", "", "'’")


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a text: what it is, folded, and its stem."""

    kind: str
    text: str
    stem: str


@dataclass(slots=True)
class _Node:
    """A node of the trie; `marks` is None where no entry ends."""

    next: dict[str, _Node] = field(default_factory=dict[str, "_Node"])
    marks: tuple[Mark, ...] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """An entry found at units `start` to `stop` (exclusive)."""

    start: int
    stop: int
    text: str
    marks: tuple[Mark, ...]


_SUFFIXES: Final = (
    ("ies", "y", 2),
    ("sses", "ss", 2),
    ("ing", "", 3),
    ("ied", "y", 2),
    ("ed", "", 3),
    ("es", "", 3),
    ("s", "", 3),
    ("ly", "", 4),
)
_DOUBLED: Final = re.compile(r"([bdfgmnprt])\1$")


def stem(word: str) -> str:
    """Strip the common English endings: a rough stem, the same for table and text."""
    for suffix, instead, least in _SUFFIXES:
        if word.endswith(suffix) and not word.endswith(("ss", "us", "is")):
            root = word[: -len(suffix)]
            if len(root) >= least:
                word = _DOUBLED.sub(r"\1", root) + instead
                break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def units_of(text: str) -> list[Unit]:
    """Cut a text into units, folded and in simplified signs."""
    found: list[Unit] = []
    for match in _UNIT.finditer(simplify(fold(clean(text)))):
        kind = match.lastgroup or "punct"
        token = match.group()
        if kind == "word":
            token = token.translate(_APOSTROPHE)
            found.append(Unit(kind, token, stem(token) if token.isascii() else token))
        else:
            found.append(Unit(kind, token, token))
    return found


def find_entries(units: list[Unit]) -> list[Found]:
    """Return the longest entries from left to right, none overlapping another."""
    root = _trie()
    found: list[Found] = []
    at = 0
    while at < len(units):
        node, best, stop = root, None, at
        for ahead in range(at, len(units)):
            unit = units[ahead]
            node = node.next.get(unit.text) or node.next.get(unit.stem)
            if node is None:
                break
            if node.marks is not None:
                best, stop = node.marks, ahead + 1
        if best is None:
            at += 1
            continue
        found.append(Found(at, stop, " ".join(u.text for u in units[at:stop]), best))
        at = stop
    return found


_BLOCKERS: Final = ("compounds", "pseudo_negators")


@cache
def _trie() -> _Node:
    marks: dict[tuple[str, ...], list[Mark]] = {}
    for language in LANGUAGES:
        for word, mark in marks_of(language):
            units = units_of(word)
            for key in {tuple(u.text for u in units), tuple(u.stem for u in units)}:
                known = marks.setdefault(key, [])
                if mark not in known and mark.table not in _BLOCKERS:
                    known.append(mark)
    root = _Node()
    for key, values in marks.items():
        node = root
        for unit in key:
            node = node.next.setdefault(unit, _Node())
        node.marks = tuple(values)
    return root
