"""Text search: FTS5 finds, BM25 over the scope's own statistics ranks.

Every token in the index carries the id of its scope (`12xrefund`), so the posting list that a query
reads holds the records of one scope and no others: a search costs what the scope holds, not what
the store does, and one user's texts never weigh in another's ranking.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hindsight_core.indexed import CONTEXT_WEIGHT, SearchText
from hindsight_core.ports import TermCounts, TextHit, Where
from hindsight_core.schema import Scope
from hindsight_core.stores._sqlite_scopes import filter_sql, marks, visible_ids
from hindsight_core.text import terms

__all__ = ["TextSearch", "add", "remove"]

_K1: Final = 1.2
_B: Final = 0.75
_LONGEST_TERM: Final = 64
_REMEMBERED: Final = 100_000
_LONGEST_LIST: Final = 4_096
"""A term that more records of one scope hold is common: it ranks what other terms found."""


def add(connection: sqlite3.Connection, scope: int, rid: int, found: SearchText) -> None:
    """Index the text of a record."""
    own, context = _tokens(scope, found.own), _tokens(scope, found.context)
    connection.execute(
        "INSERT INTO texts (rowid, own, context) VALUES (?, ?, ?)",
        (rid, " ".join(own), " ".join(context)),
    )
    connection.execute(
        "UPDATE scopes SET documents = documents + 1, tokens = tokens + ? WHERE id = ?",
        (_length(len(own), len(context)), scope),
    )


def remove(connection: sqlite3.Connection, scope: int, rid: int) -> None:
    """Take the text of a record out of the index; nothing happens if it is not there."""
    row = connection.execute("SELECT own, context FROM texts WHERE rowid = ?", (rid,)).fetchone()
    if row is None:
        return
    connection.execute("DELETE FROM texts WHERE rowid = ?", (rid,))
    length = _length(len(row[0].split()), len(row[1].split()))
    connection.execute(
        "UPDATE scopes SET documents = documents - 1, tokens = tokens - ? WHERE id = ?",
        (length, scope),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One visible scope: how many documents it holds and how long they are together."""

    id: int
    documents: int
    tokens: float


class TextSearch:
    """Searches, and remembers how many records of a scope hold a common term."""

    def __init__(self) -> None:
        self._common: dict[tuple[int, str], tuple[int, int]] = {}

    def match(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        where: Where,
        words: Sequence[str],
        limit: int,
    ) -> list[TextHit]:
        """Return the best matches for any of the words; see `MemoryStore.match_text`."""
        query = list(dict.fromkeys(words))
        parts = _parts(connection, scope)
        if not query or not parts or limit < 1:
            return []
        held = {
            (part, term): self._held(connection, part, term) for part in parts for term in query
        }
        weight = _idf(parts, held)
        wanted = max(4 * limit, 100)
        mass: dict[int, float] = {}
        found: list[tuple[str, str, str]] = []
        for common in (False, True):
            for (part, term), count in held.items():
                if count and (count > _LONGEST_LIST) == common:
                    gain = weight[term]
                    for rid in _newest(connection, part.id, term):
                        mass[rid] = mass.get(rid, 0.0) + gain
            ranked = sorted(mass, key=lambda rid: (mass[rid], rid), reverse=True)
            found = _read(connection, filter_sql([p.id for p in parts], where), ranked, wanted)
            if len(found) >= limit:
                break
        average = sum(part.tokens for part in parts) / sum(part.documents for part in parts)
        hits = [_score(row, weight, average) for row in found]
        hits.sort(key=lambda hit: hit.score, reverse=True)
        return hits[:limit]

    def count(
        self, connection: sqlite3.Connection, scope: Scope, words: Sequence[str]
    ) -> TermCounts:
        """Count in how many records that the scope sees each word occurs."""
        parts = _parts(connection, scope)
        holding: dict[str, int] = {}
        for term in dict.fromkeys(words):
            held = sum(self._held(connection, part, term) for part in parts)
            if held:
                holding[term] = held
        return TermCounts(total=sum(part.documents for part in parts), holding=holding)

    def _held(self, connection: sqlite3.Connection, part: _Part, term: str) -> int:
        """Count the records that hold a term: of a common one from memory, within a tenth."""
        known = self._common.get((part.id, term))
        if known is not None and 0.9 * known[1] <= part.documents <= 1.1 * known[1]:
            return min(part.documents, known[0])
        (held,) = connection.execute(
            "SELECT count(*) FROM texts WHERE texts MATCH ?", (_phrase(part.id, term),)
        ).fetchone()
        if held > _LONGEST_LIST:
            if len(self._common) >= _REMEMBERED:
                self._common.clear()
            self._common[part.id, term] = (held, part.documents)
        return int(held)


def _tokens(scope: int, text: str) -> list[str]:
    return [_token(scope, term) for term in terms(text)]


def _token(scope: int, term: str) -> str:
    return f"{scope}x{term[:_LONGEST_TERM]}"


def _phrase(scope: int, term: str) -> str:
    quoted = _token(scope, term).replace('"', '""')
    return f'"{quoted}"'


def _idf(parts: Sequence[_Part], held: Mapping[tuple[_Part, str], int]) -> dict[str, float]:
    documents = sum(part.documents for part in parts)
    counts: dict[str, int] = {}
    for (_, term), count in held.items():
        counts[term] = counts.get(term, 0) + count
    return {
        term: math.log(1 + (documents - count + 0.5) / (count + 0.5))
        for term, count in counts.items()
    }


def _length(own: int, context: int) -> float:
    return own + CONTEXT_WEIGHT * context


def _parts(connection: sqlite3.Connection, scope: Scope) -> list[_Part]:
    ids = visible_ids(connection, scope)
    rows = connection.execute(
        f"SELECT id, documents, tokens FROM scopes WHERE id IN ({marks(ids)}) AND documents > 0",
        ids,
    )
    return [_Part(*row) for row in rows]


def _newest(connection: sqlite3.Connection, scope: int, term: str) -> list[int]:
    rows = connection.execute(
        "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?",
        (_phrase(scope, term), _LONGEST_LIST),
    )
    return [row[0] for row in rows]


def _read(
    connection: sqlite3.Connection,
    condition: tuple[str, list[Any]],
    ranked: Sequence[int],
    wanted: int,
) -> list[tuple[str, str, str]]:
    """Read the texts of the first `wanted` records that the hard filter lets through."""
    passes, values = condition
    found: list[tuple[str, str, str]] = []
    start, size = 0, wanted
    while start < len(ranked) and len(found) < wanted:
        chunk = ranked[start : start + size]
        rows = connection.execute(
            "SELECT m.id, x.own, x.context FROM json_each(?) AS wanted"
            " CROSS JOIN memories AS m ON m.rid = wanted.value"
            f" CROSS JOIN texts AS x ON x.rowid = m.rid WHERE {passes} LIMIT ?",
            (json.dumps(chunk), *values, wanted - len(found)),
        )
        found.extend(rows.fetchall())
        start, size = start + size, size * 4
    return found


def _score(row: tuple[str, str, str], weight: dict[str, float], average: float) -> TextHit:
    """BM25 (k1 1.2, b 0.75), where an occurrence in the context counts for `CONTEXT_WEIGHT`."""
    memory_id, own_text, context_text = row
    own, context = own_text.split(), context_text.split()
    seen, around = Counter(own), Counter(context)
    scope = int((own or context)[0].partition("x")[0])
    norm = _K1 * (1 - _B + _B * _length(len(own), len(context)) / average)
    score = covered = 0.0
    for term, idf in weight.items():
        token = _token(scope, term)
        times = seen[token] + CONTEXT_WEIGHT * around[token]
        if times:
            covered += idf
            score += idf * times * (_K1 + 1) / (times + norm)
    return TextHit(id=memory_id, score=score, coverage=min(1.0, covered / sum(weight.values())))
