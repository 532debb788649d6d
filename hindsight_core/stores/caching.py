"""Keeps what hot queries found in a cache that many processes share.

What is cached belongs to one user; a write to that user's memories, or five minutes, take it away.
A cache that is down is passed over: every call is then answered by the store, and `cache_error`
says so.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from hindsight_core.ports import Hit, IndexInfo, PutResult, Store, TermCounts, TextHit, Where
from hindsight_core.schema import Memory, Scope

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["SECONDS", "Cache", "CacheError", "CachedStore"]

logger: Final = logging.getLogger("hindsight_core")
SECONDS: Final = 300
_PAUSE: Final = 5.0
"""A cache that failed is not asked again for so many seconds."""
_REMEMBERED: Final = 20_000
_EVERYBODY: Final = ""
_Found = TypeVar("_Found")


class CacheError(Exception):
    """The cache did not answer; nothing depends on it."""


class Cache(Protocol):
    """A cache of many processes; what it holds is grouped by owner. Raises `CacheError`."""

    def get(self, owner: str, key: str) -> tuple[str | None, str]:
        """Return what is held (None: nothing) and the ticket with which it may be set."""
        ...

    def set(self, owner: str, key: str, value: str, ticket: str) -> None:
        """Hold a value for five minutes, unless the owner was dropped since the ticket was given.

        So what was read before a write is never held after it.
        """
        ...

    def drop(self, owners: Iterable[str]) -> None:
        """Delete all that is held of these owners; of the owner '' is everything."""
        ...

    def close(self) -> None:
        """Release the connections; safe to call twice."""
        ...


class CachedStore:
    """A store behind a cache: searches are answered by the cache, all else goes through.

    References that a recall counts (`touch`) are seen when the entry is next made.
    """

    def __init__(self, store: Store, cache: Cache) -> None:
        self._store = store
        self._cache = cache
        self._lock = Lock()
        self._owners: dict[str, str] = {}
        self._to_drop: set[str] = set()
        self._paused_until = 0.0
        self.cache_error = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def get(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        return self._through(
            scope,
            ("get", *ids),
            lambda: self._store.get(scope, ids),
            lambda found: [memory.model_dump_json() for memory in found],
            lambda held: [Memory.model_validate_json(one) for one in held],
        )

    def match_text(
        self, scope: Scope, where: Where, terms: Sequence[str], limit: int
    ) -> list[TextHit]:
        return self._through(
            scope,
            ("match_text", astuple(where), tuple(terms), limit),
            lambda: self._store.match_text(scope, where, terms, limit),
            lambda found: [(hit.id, hit.score, hit.coverage) for hit in found],
            lambda held: [TextHit(id=one[0], score=one[1], coverage=one[2]) for one in held],
        )

    def term_counts(self, scope: Scope, terms: Sequence[str]) -> TermCounts:
        return self._through(
            scope,
            ("term_counts", *terms),
            lambda: self._store.term_counts(scope, terms),
            lambda found: [found.total, found.holding],
            lambda held: TermCounts(total=held[0], holding=held[1]),
        )

    def nearest(self, scope: Scope, where: Where, vector: Matrix, limit: int) -> list[Hit]:
        return self._through(
            scope,
            ("nearest", astuple(where), vector.tobytes(), limit),
            lambda: self._store.nearest(scope, where, vector, limit),
            lambda found: [(hit.id, hit.score) for hit in found],
            lambda held: [Hit(id=one[0], score=one[1]) for one in held],
        )

    def cosines(self, scope: Scope, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        return self._through(
            scope,
            ("cosines", tuple(ids), vector.tobytes()),
            lambda: self._store.cosines(scope, ids, vector),
            lambda found: found,
            lambda held: held,
        )

    def put(self, memories: Sequence[Memory]) -> list[PutResult]:
        try:
            return self._store.put(memories)
        finally:
            self._drop_owners(memories)

    def settle(self, run_id: str, *, memories: Sequence[Memory], **judged: Any) -> list[PutResult]:
        try:
            return self._store.settle(run_id, memories=memories, **judged)
        finally:
            self._drop_owners(memories)

    def reflect(
        self, run_ids: Sequence[str], memories: Sequence[Memory], **when: Any
    ) -> Sequence[PutResult]:
        try:
            return self._store.reflect(run_ids, memories, **when)
        finally:
            self._drop_owners(memories)

    def delete(self, scope: Scope, ids: Sequence[str], *, wipe: bool = True) -> int:
        try:
            return self._store.delete(scope, ids, wipe=wipe)
        finally:
            self._drop([_owner(scope)])

    def erase(self, scope: Scope, **when: Any) -> Any:
        try:
            return self._store.erase(scope, **when)
        finally:
            self._drop([_owner(scope)])

    def add_vectors(self, items: Iterable[tuple[str, Matrix]]) -> None:
        vectors = list(items)
        try:
            self._store.add_vectors(vectors)
        finally:
            self._drop({self._owners.get(one, _EVERYBODY) for one, _ in vectors})

    def finish_reindex(self, info: IndexInfo) -> bool:
        try:
            return self._store.finish_reindex(info)
        finally:
            self._drop([_EVERYBODY])

    def close(self) -> None:
        self._store.close()
        self._cache.close()

    def _drop_owners(self, memories: Sequence[Memory]) -> None:
        owners = {memory.id: _owner(memory.scope) for memory in memories}
        with self._lock:
            if len(self._owners) > _REMEMBERED:
                self._owners.clear()
            self._owners.update(owners)
        self._drop(set(owners.values()))

    def _drop(self, owners: Iterable[str]) -> None:
        """Drop what the cache holds of these, or as soon as it answers again."""
        with self._lock:
            self._to_drop.update(owners)
        self._ask(lambda: None)

    def _through(
        self,
        scope: Scope,
        asked: tuple[object, ...],
        find: Callable[[], _Found],
        written: Callable[[_Found], Any],
        read: Callable[[Any], _Found],
    ) -> _Found:
        owner = _owner(scope)
        key = blake2b(repr((scope, asked)).encode(errors="replace"), digest_size=16).hexdigest()
        known = self._ask(lambda: self._cache.get(owner, key))
        if known is not None and known[0] is not None:
            return read(json.loads(known[0]))
        found = find()
        if known is not None:
            value, ticket = json.dumps(written(found)), known[1]
            self._ask(lambda: self._cache.set(owner, key, value, ticket))
        return found

    def _ask(self, ask: Callable[[], _Found]) -> _Found | None:
        if time.monotonic() < self._paused_until:
            return None
        with self._lock:
            to_drop, self._to_drop = self._to_drop, set()
        try:
            if to_drop:
                self._cache.drop(to_drop)
            answer = ask()
        except CacheError as error:
            with self._lock:
                self._to_drop |= to_drop
            if not self.cache_error:
                logger.warning("the cache is passed over: %s", error)
            self.cache_error = str(error)
            self._paused_until = time.monotonic() + _PAUSE
            return None
        self.cache_error = ""
        return answer


def _owner(scope: Scope) -> str:
    named = repr((scope.tenant, scope.user)).encode(errors="replace")
    return blake2b(named, digest_size=16).hexdigest()
