"""Text search: postings find candidates, BM25 over the scope's own statistics ranks them.

S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009. FTS5's
own `bm25()` is not used: its statistics are those of all scopes together, it reads every posting of
every term (0.3 s for a few common words at 100,000 records), and it does not tell the coverage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Any, Final

from hindsight_core.indexed import CONTEXT_WEIGHT
from hindsight_core.ports import TermCounts, TextHit, Where
from hindsight_core.schema import Scope
from hindsight_core.stores._sql import Connection, Postings
from hindsight_core.stores._sql_scopes import filter_sql
from hindsight_core.stores._sql_text import Corpus, TokenCounts, token

__all__ = ["TextSearch"]

_K1: Final = 1.2
_B: Final = 0.75
_FEWEST: Final = 50
"""Candidates that are ranked by BM25 at least."""
_LONG: Final = 512
"""Of a token that more records hold, those come first that hold another of the query as well."""
_ENOUGH: Final = 1_024
"""Once so many postings are read, rarest first, the other terms rank but find no more records."""
_TOO_LONG: Final = 4_096
"""A token that more records hold is not asked for beside another one."""


class TextSearch:
    """Searches one store's texts; holds no texts itself, only how common the terms are."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._counts = TokenCounts(postings)

    def match(
        self,
        connection: Connection,
        scope: Scope,
        where: Where,
        words: Sequence[str],
        limit: int,
    ) -> list[TextHit]:
        """Return the best matches for any of the words; see `MemoryStore.match_text`.

        Candidates are ordered by the idf of the terms that they hold, and the first of them, half
        as many again as asked for, are ranked by BM25.
        """
        corpus = Corpus.seen_from(connection, scope)
        words = list(dict.fromkeys(words))
        if not corpus.documents or not words or limit < 1:
            return []
        holding = self._counts.of(connection, corpus, words)
        idf = {word: _idf(corpus.documents, sum(held.values())) for word, held in holding.items()}
        gains = {
            scope: {token(scope, word): idf[word] for word in words if holding[word][scope]}
            for scope in corpus.sizes
        }
        counts = {
            token(scope, word): count
            for word, held in holding.items()
            for scope, count in held.items()
            if count
        }
        condition = filter_sql(list(corpus.sizes), where)
        wanted = max(limit + limit // 2, _FEWEST)
        found = _find(connection, self._postings, counts, gains, condition, wanted, limit)
        whole, average = sum(idf.values()), corpus.average_length
        hits = [_score(row, gains[row[1]], whole, average) for row in found]
        hits.sort(key=lambda hit: hit.score, reverse=True)
        return hits[:limit]

    def count(self, connection: Connection, scope: Scope, words: Sequence[str]) -> TermCounts:
        """Count in how many records that the scope sees each word occurs."""
        corpus = Corpus.seen_from(connection, scope)
        held = self._counts.of(connection, corpus, list(dict.fromkeys(words)))
        sums = {word: sum(counts.values()) for word, counts in held.items()}
        return TermCounts(
            total=corpus.documents, holding={word: count for word, count in sums.items() if count}
        )


def _idf(documents: int, held: int) -> float:
    return math.log(1 + (documents - held + 0.5) / (held + 0.5))


def _find(
    connection: Connection,
    postings: Postings,
    counts: Mapping[str, int],
    gains: Mapping[int, Mapping[str, float]],
    condition: tuple[str, list[Any]],
    wanted: int,
    limit: int,
) -> list[Any]:
    """Read up to `wanted` records that hold the most idf and pass the filter."""
    gain = {one: idf for tokens in gains.values() for one, idf in tokens.items()}
    pending = sorted(counts, key=counts.__getitem__)
    mass: dict[str, float] = {}
    found: list[Any] = []
    while pending and len(found) < limit:
        # The filter may leave too few of these: then more lists are read, and so on.
        some = _enough(pending, counts)
        pending = pending[len(some) :]
        for one, rids in _records_with(connection, postings, some, counts).items():
            gained = gain[one]
            for rid in rids:
                mass[rid] = mass.get(rid, 0.0) + gained
        found = _read(connection, condition, mass, wanted)
    return found


def _enough(tokens: Sequence[str], counts: Mapping[str, int]) -> Sequence[str]:
    """Return the first tokens, as many as it takes to read `_ENOUGH` postings."""
    read = 0
    for place, one in enumerate(tokens):
        read += min(counts[one], _LONG)
        if read >= _ENOUGH:
            return tokens[: place + 1]
    return tokens


def _records_with(
    connection: Connection, postings: Postings, tokens: Sequence[str], counts: Mapping[str, int]
) -> dict[str, list[str]]:
    """Return the records that hold each token, newest first, of a common one `_LONG` at most."""
    beside: dict[str, list[str]] = {}
    for one in tokens:
        if _LONG < counts[one] <= _TOO_LONG:
            scope = one.partition("x")[0] + "x"
            others = [
                other
                for other, count in counts.items()
                if other != one and other.startswith(scope) and count <= _TOO_LONG
            ]
            if others:
                beside[one] = postings.newest_beside(connection, one, others, _LONG)
    short = [one for one in tokens if len(beside.get(one, ())) < _LONG]
    newest = postings.newest(connection, short, _LONG)
    return {
        one: list(dict.fromkeys([*beside.get(one, ()), *newest.get(one, ())]))[:_LONG]
        for one in tokens
    }


def _read(
    connection: Connection,
    condition: tuple[str, list[Any]],
    mass: Mapping[str, float],
    wanted: int,
) -> list[Any]:
    passes, values = condition
    found: list[Any] = []
    start, end = 0, wanted
    ranked = nlargest(wanted, mass, key=mass.__getitem__)  # mostly these do
    while start < len(ranked) and len(found) < wanted:
        rows = connection.execute(
            "SELECT m.id, m.scope_id, w.own, w.context, w.length FROM json_each(?) AS wanted"
            " CROSS JOIN memories AS m CROSS JOIN words AS w"
            " WHERE m.rid = CAST(wanted.value AS BIGINT) AND w.rid = m.rid"
            f" AND {passes} LIMIT ?",
            (f"[{','.join(ranked[start:end])}]", *values, wanted - len(found)),
        )
        found.extend(rows.fetchall())
        if len(found) < wanted and len(ranked) < len(mass):
            ranked = sorted(mass, key=mass.__getitem__, reverse=True)
        start, end = end, end * 4
    return found


def _score(row: Any, gains: Mapping[str, float], whole: float, average: float) -> TextHit:
    """BM25 (k1 1.2, b 0.75), where an occurrence in the context counts for `CONTEXT_WEIGHT`."""
    memory_id, _, own, context, length = row
    times: dict[str, float] = {}
    for field, weight in ((own, 1.0), (context, CONTEXT_WEIGHT)):
        for one in field.split():
            if one in gains:
                times[one] = times.get(one, 0.0) + weight
    norm = _K1 * (1 - _B + _B * length / average)
    score = covered = 0.0
    for one, number in times.items():
        covered += gains[one]
        score += gains[one] * number * (_K1 + 1) / (number + norm)
    return TextHit(id=memory_id, score=score, coverage=min(1.0, covered / whole))
