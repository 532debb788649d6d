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
from hindsight_core.guard.conflicts_vectors import known
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


_VOWELS: Final = re.compile(r"[aeiouy]+")
_SHORT: Final = re.compile(r"^[^aeiou]*[aeiouy][^aeiouwxy]$")
_DOUBLED: Final = re.compile(r"([bdfgkmnprt])\1$")


def stem(word: str) -> str:
    """Strip the common English endings, by the first steps of Porter's stemmer.

    Rough, and the same for tables and texts: `hated` and `hate` meet, `hate` and `hat` do not.
    """
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
    for ending in ("ing", "ed", "ly"):
        root = word.removesuffix(ending)
        if root != word and _VOWELS.search(root) and len(root) > 1 and not root.endswith("e"):
            if ending == "ly":
                return root if len(root) > 3 else word
            if _DOUBLED.search(root):
                return root[:-1]
            return root + "e" if _SHORT.match(root) else root
    root = word.removesuffix("e")
    return root if root != word and len(root) > 2 and not _SHORT.match(root) else word


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
    """Cut units into entries and plain words from left to right, the longest first.

    What is no entry of the tables has no marks. A known word that merely begins like an entry is
    taken whole; between two of one length the entry is preferred.
    """
    root = _trie()
    found: list[Found] = []
    at = 0
    while at < len(units):
        marks, stop = _longest(root, units, at)
        if units[at].kind == "cjk":
            reach = _known_word(units, at)
            if reach > stop:
                marks, stop = (), reach
        stop = max(stop, at + 1)
        if units[at].kind != "punct":
            joiner = "" if units[at].kind == "cjk" else " "
            found.append(Found(at, stop, joiner.join(u.text for u in units[at:stop]), marks))
        at = stop
    return found


def _longest(root: _Node, units: list[Unit], at: int) -> tuple[tuple[Mark, ...], int]:
    node, best, stop = root, (), at
    for ahead in range(at, len(units)):
        unit = units[ahead]
        following = node.next.get(unit.text) or node.next.get(unit.stem)
        if following is None:
            break
        node = following
        if node.marks is not None:
            best, stop = node.marks, ahead + 1
    return best, stop


def _known_word(units: list[Unit], at: int) -> int:
    """Where the longest word of the vector table that begins here ends; `at` if none does."""
    text = ""
    stop = at
    for ahead in range(at, min(at + _LONGEST_WORD, len(units))):
        if units[ahead].kind != "cjk":
            break
        text += units[ahead].text
        if known(text):
            stop = ahead + 1
    return stop


_LONGEST_WORD: Final = 4
_SILENT: Final = ("compounds", "pseudo_negators")
_APART: Final = ("auxiliaries", "conjunctions", "indefinites", "places", "light")


@cache
def _trie() -> _Node:
    marks: dict[tuple[str, ...], list[Mark]] = {}
    for language in LANGUAGES:
        for word, mark in marks_of(language):
            if mark.table in _APART:
                continue
            units = units_of(word)
            for key in {tuple(u.text for u in units), tuple(u.stem for u in units)}:
                known = marks.setdefault(key, [])
                if mark not in known and mark.table not in _SILENT:
                    known.append(mark)
    root = _Node()
    for key, values in marks.items():
        node = root
        for unit in key:
            node = node.next.setdefault(unit, _Node())
        node.marks = tuple(values)
    return root
