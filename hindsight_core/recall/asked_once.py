"""A store as one recall sees it: asked for the same words or the same records only once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hindsight_core.ports import Store, TermCounts, TextHit, Where
from hindsight_core.schema import Memory, Scope

__all__ = ["AskedOnce"]


class AskedOnce:
    """Keeps what one recall read, for one scope; everything else is the store's own.

    So a search by words may be made while the query is being encoded, and what it read is at hand
    when the vector comes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._records: dict[str, Memory] = {}
        self._absent: set[str] = set()
        self._lists: dict[tuple[str, int, int], list[Memory]] = {}
        self._texts: dict[tuple[str, tuple[str, ...], int], list[TextHit]] = {}
        self._counts: dict[tuple[str, ...], TermCounts] = {}

    @classmethod
    def over(cls, store: Store) -> Store:
        """The store, to be asked once."""
        return cast("Store", cls(store))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def get(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        unknown = [one for one in ids if one not in self._records and one not in self._absent]
        if unknown:
            self._records |= {memory.id: memory for memory in self._store.get(scope, unknown)}
            self._absent.update(one for one in unknown if one not in self._records)
        return [self._records[one] for one in dict.fromkeys(ids) if one in self._records]

    def select(
        self, scope: Scope, where: Where, *, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        key = (repr(where), limit, offset)
        if key not in self._lists:
            self._lists[key] = self._store.select(scope, where, limit=limit, offset=offset)
        return self._lists[key]

    def match_text(
        self, scope: Scope, where: Where, terms: Sequence[str], limit: int
    ) -> list[TextHit]:
        key = (repr(where), tuple(terms), limit)
        if key not in self._texts:
            self._texts[key] = self._store.match_text(scope, where, terms, limit)
        return self._texts[key]

    def term_counts(self, scope: Scope, terms: Sequence[str]) -> TermCounts:
        key = tuple(terms)
        if key not in self._counts:
            self._counts[key] = self._store.term_counts(scope, terms)
        return self._counts[key]
