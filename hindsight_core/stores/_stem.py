"""The Porter stemmer that is inside SQLite's FTS5, as a function over words.

Index and query call this one function, and the text search can compare the words of a record with
those of a query by itself, which FTS5's own tokenizer would keep to itself.
"""

from __future__ import annotations

import os
import sqlite3
import unicodedata
from collections.abc import Sequence
from threading import Lock
from typing import Final

__all__ = ["stems"]

_LONGEST: Final = 64
_REMEMBERED: Final = 50_000


def stems(words: Sequence[str]) -> list[str]:
    """Return the stem of each word (as `hindsight_core.text.terms` cuts them), in their order.

    English is stemmed, accents are taken off Latin letters, every other script stays as it is.
    Words are cut at 64 characters.
    """
    return _stemmer.stems([word[:_LONGEST] for word in words])


class _Stemmer:
    """A table of one column in memory, whose tokens are read back through fts5vocab."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = Lock()
        self._pid = 0
        self._connection: sqlite3.Connection | None = None

    def stems(self, words: list[str]) -> list[str]:
        known = self._known
        new = [word for word in words if word not in known]
        if not new:
            return [known.get(word, word) for word in words]
        found = dict(zip(new, self._stem([_plain(word) for word in new]), strict=True))
        result = [known.get(word) or found.get(word, word) for word in words]
        if len(known) + len(found) > _REMEMBERED:
            known = self._known = {}
        known.update(found)
        return result

    def _stem(self, words: list[str]) -> list[str]:
        latin = [word for word in words if word.isascii()]
        if self._pid != os.getpid():  # neither lock nor connection survives a fork
            self._lock, self._connection, self._pid = Lock(), None, os.getpid()
        with self._lock:
            stemmed = iter(self._porter(latin) if latin else [])
        return [next(stemmed) if word.isascii() else word for word in words]

    def _porter(self, words: list[str]) -> list[str]:
        if self._connection is None:
            self._connection = sqlite3.connect(
                ":memory:", isolation_level=None, check_same_thread=False
            )
            self._connection.executescript(
                "CREATE VIRTUAL TABLE word USING fts5 (text, tokenize = 'porter ascii');"
                "CREATE VIRTUAL TABLE stem USING fts5vocab (word, 'instance');"
            )
        self._connection.execute("DELETE FROM word")
        self._connection.execute("INSERT INTO word VALUES (?)", (" ".join(words),))
        rows = self._connection.execute("SELECT term FROM stem ORDER BY offset").fetchall()
        return [row[0] for row in rows]


def _plain(word: str) -> str:
    if word.isascii():
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return bare if bare.isascii() else word


_stemmer: Final = _Stemmer()
