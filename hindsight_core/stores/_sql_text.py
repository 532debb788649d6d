"""The text index: which tokens a record holds, and how many records hold a token.

Every token carries the id of its scope (`12xrefund`), so the posting list that a query reads holds
the records of one scope and no others: a search costs what the scope holds, not what the store
does, and one user's texts never weigh in another's ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.indexed import CONTEXT_WEIGHT, SearchText
from hindsight_core.schema import Scope
from hindsight_core.stores._sql import Connection, Postings
from hindsight_core.stores._sql_scopes import VISIBLE, names
from hindsight_core.text import clean, terms

__all__ = ["Corpus", "TokenCounts", "add", "remove", "token"]

_LONGEST_TERM: Final = 64
_COMMON: Final = 1_024
"""A token that more records hold is counted anew only when its scope has changed by a tenth."""
_REMEMBERED: Final = 50_000


def token(scope: int, term: str) -> str:
    """Return the token that stands in the index for a term in a scope."""
    return f"{scope}x{clean(term[:_LONGEST_TERM])}"


def add(connection: Connection, scope: int, rid: int, found: SearchText) -> None:
    """Index the text of a record."""
    own = [token(scope, term) for term in terms(found.own)]
    context = [token(scope, term) for term in terms(found.context)]
    length = len(own) + CONTEXT_WEIGHT * len(context)
    row = (rid, " ".join(own), " ".join(context))
    connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", (*row, length))
    _count_in(connection, scope, 1, length)


def remove(connection: Connection, scope: int, rid: int) -> None:
    """Take the text of a record out of the index; nothing happens if it is not there."""
    row = connection.execute("DELETE FROM words WHERE rid = ? RETURNING length", (rid,)).fetchone()
    if row is not None:
        _count_in(connection, scope, -1, -row[0])


def _count_in(connection: Connection, scope: int, documents: int, tokens: float) -> None:
    connection.execute(
        "UPDATE scopes SET documents = documents + ?, tokens = tokens + ?,"
        " text_change = (SELECT change FROM state) WHERE id = ?",
        (documents, tokens, scope),
    )


@dataclass(frozen=True, slots=True)
class Corpus:
    """The scopes that a search sees and that hold texts.

    `sizes` are documents of a scope, `changes` the change of the store at which its texts last
    changed, `tokens` the weighted length of all documents.
    """

    sizes: Mapping[int, int]
    changes: Mapping[int, int]
    tokens: float

    @classmethod
    def seen_from(cls, connection: Connection, scope: Scope) -> Corpus:
        """Return what `scope` sees."""
        rows = connection.execute(
            f"SELECT id, documents, text_change, tokens FROM scopes WHERE {VISIBLE}"
            " AND documents > 0",
            names(scope),
        ).fetchall()
        return cls(
            sizes={row[0]: row[1] for row in rows},
            changes={row[0]: row[2] for row in rows},
            tokens=sum(row[3] for row in rows),
        )

    @property
    def documents(self) -> int:
        """How many records there are."""
        return sum(self.sizes.values())

    @property
    def average_length(self) -> float:
        """Weighted tokens of a record, at least one."""
        return max(1.0, self.tokens / max(1, self.documents))


class TokenCounts:
    """How many records hold each token, remembered until the texts of its scope change."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._counted: dict[str, tuple[int, int]] = {}
        self._common: dict[str, tuple[int, int]] = {}

    def of(
        self, connection: Connection, corpus: Corpus, words: Sequence[str]
    ) -> dict[str, dict[int, int]]:
        """Return for each word how many records of each scope hold it."""
        found: dict[str, dict[int, int]] = {word: {} for word in words}
        # Two words may have one token: a very long one is cut.
        to_count: dict[str, list[tuple[str, int]]] = {}
        for word in words:
            for scope, documents in corpus.sizes.items():
                one = token(scope, word)
                known = self._known(one, corpus.changes[scope], documents)
                if known is None:
                    to_count.setdefault(one, []).append((word, scope))
                else:
                    found[word][scope] = known
        for one, held in self._postings.counts(connection, list(to_count)).items():
            for word, scope in to_count[one]:
                found[word][scope] = held
            scope = to_count[one][0][1]
            _remember(self._counted, one, (corpus.changes[scope], held))
            if held > _COMMON:
                _remember(self._common, one, (held, corpus.sizes[scope]))
        return found

    def _known(self, one: str, change: int, documents: int) -> int | None:
        counted = self._counted.get(one)
        if counted is not None and counted[0] == change:
            return counted[1]
        common = self._common.get(one)
        if common is not None and 0.9 * common[1] <= documents <= 1.1 * common[1]:
            return min(documents, common[0])
        return None


def _remember(known: dict[str, tuple[int, int]], one: str, value: tuple[int, int]) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[one] = value
