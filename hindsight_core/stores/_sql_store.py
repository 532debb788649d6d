"""What the stores over SQL have in common: all of it but the database itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hindsight_core.errors import MissingExtraError
from hindsight_core.events import Event, EventBase
from hindsight_core.ports import (
    AuditEntry,
    CallRecord,
    CallStats,
    ErasureReceipt,
    Hit,
    IndexInfo,
    PutResult,
    RunInfo,
    TermCounts,
    TextHit,
    Where,
)
from hindsight_core.ports_ledger import MemoryUse
from hindsight_core.schema import Memory, Scope
from hindsight_core.stores import (
    _sql_audit,
    _sql_calls,
    _sql_erasure,
    _sql_events,
    _sql_records,
    _sql_reports,
    _sql_vectors,
)
from hindsight_core.stores._sql import Database, Postings
from hindsight_core.stores._sql_filling import FillingPart
from hindsight_core.stores._sql_guard import GuardPart
from hindsight_core.stores._sql_ledger import LedgerPart
from hindsight_core.stores._sql_match import TextSearch
from hindsight_core.stores._sql_reflection import ReflectionPart

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix
    from hindsight_core.stores._vector_cache import VectorCache

__all__ = ["SqlStore"]


class SqlStore(FillingPart, GuardPart, LedgerPart, ReflectionPart):
    """A `Store` but for its place, its upkeep and its search for damage."""

    def __init__(self, database: Database, postings: Postings) -> None:
        self._database = database
        self._postings = postings
        self._text = TextSearch(postings)
        self._vectors: VectorCache | None = None
        self._claimed: IndexInfo | None = None

    @property
    def database(self) -> Database:
        """The database itself, for upkeep that goes over whole tables."""
        return self._database

    @property
    @abstractmethod
    def identity(self) -> str:
        """The store's own name, the same by whatever address it is reached."""
        ...

    @property
    @abstractmethod
    def url(self) -> str: ...

    @property
    @abstractmethod
    def embedded(self) -> bool: ...

    @abstractmethod
    def check(self) -> dict[str, Any]: ...

    def put(self, memories: Sequence[Memory]) -> list[PutResult]:
        with self._database.write() as connection:
            return _sql_records.put(connection, memories)

    def find(self, scope: Scope, dedupe_keys: Sequence[str]) -> list[Memory]:
        with self._database.read() as connection:
            return _sql_records.find(connection, scope, dedupe_keys)

    def get(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        return self._database.look(lambda connection: _sql_records.get(connection, scope, ids))

    def select(
        self, scope: Scope, where: Where, *, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        with self._database.read() as connection:
            return _sql_records.select(connection, scope, where, limit, offset)

    def match_text(
        self, scope: Scope, where: Where, terms: Sequence[str], limit: int
    ) -> list[TextHit]:
        return self._database.look(
            lambda connection: self._text.match(connection, scope, where, terms, limit)
        )

    def term_counts(self, scope: Scope, terms: Sequence[str]) -> TermCounts:
        return self._database.look(lambda connection: self._text.count(connection, scope, terms))

    def delete(self, scope: Scope, ids: Sequence[str], *, wipe: bool = True) -> int:
        gone = _sql_erasure.delete(self._database, scope, ids)
        if gone and wipe:
            self.wipe()
        return gone

    @abstractmethod
    def wipe(self, *, whole: bool = False) -> bool: ...

    def erase(self, scope: Scope, *, at: datetime) -> ErasureReceipt:
        return _sql_erasure.erase(self._database, self._postings, scope, at, self.wipe)

    def count(self, scope: Scope | None = None) -> dict[str, int]:
        with self._database.read() as connection:
            return _sql_records.count(connection, scope)

    def change_counter(self) -> int:
        return int(self._database.fetch("SELECT change FROM state")[0][0])

    def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        with self._database.write(lasting=False) as connection:
            _sql_records.touch(connection, scope, ids, at)

    def append(self, event: EventBase, *, owner: str) -> bool:
        return self.append_all([(event, owner)])[0]

    def append_all(self, events: Sequence[tuple[EventBase, str]]) -> list[bool]:
        with self._database.write() as connection:
            return [_sql_events.append(connection, event, owner) for event, owner in events]

    def runs(self, *, pending_only: bool = True, limit: int = 100) -> list[RunInfo]:
        with self._database.read() as connection:
            which = _sql_events.PENDING if pending_only else _sql_events.EVERY
            return _sql_events.runs(connection, which=which, limit=limit)

    def events(self, run_id: str) -> list[Event]:
        with self._database.read() as connection:
            return _sql_events.events(connection, run_id)

    def rewrite(self, events: Sequence[EventBase]) -> int:
        with self._database.write() as connection:
            return _sql_events.rewrite(connection, events)

    def settle(
        self,
        run_id: str,
        *,
        through: int,
        memories: Sequence[Memory],
        calls: Sequence[CallRecord],
        uses: Sequence[MemoryUse] = (),
    ) -> list[PutResult]:
        with self._database.write() as connection:
            return _sql_events.settle(connection, run_id, through, memories, calls, uses)

    def prune_events(self, *, before: datetime) -> int:
        with self._database.write() as connection:
            return _sql_events.prune(connection, before)

    def call_stats(self, scope: Scope, *, signature: str = "", shape: str = "") -> list[CallStats]:
        statement = _sql_calls.BY_SIGNATURE if signature else _sql_calls.BY_SHAPE
        rows = self._database.fetch(statement, (scope.tenant, scope.user, signature or shape))
        return _sql_calls.stats(rows)

    def save_recall(self, scope: Scope, recall_id: str, run_id: str, report: str) -> None:
        with self._database.write(lasting=False) as connection:
            _sql_reports.save_recall(connection, scope, recall_id, run_id, report)

    def load_recalls(self, scope: Scope, *, recall_id: str = "", run_id: str = "") -> list[str]:
        with self._database.read() as connection:
            return _sql_reports.load_recalls(connection, scope, recall_id, run_id)

    def audit(self, entry: AuditEntry) -> None:
        with self._database.write() as connection:
            _sql_audit.append(connection, entry, self.audit_key or b"")

    def audit_log(self, *, limit: int = 100) -> list[AuditEntry]:
        with self._database.read() as connection:
            return _sql_audit.newest(connection, limit)

    def index_info(self) -> IndexInfo | None:
        with self._database.read() as connection:
            return _sql_vectors.index_info(connection)

    def claim_index(self, info: IndexInfo) -> None:
        with self._database.write() as connection:
            _sql_vectors.claim_index(connection, info)
        self._claimed = info

    def unencoded(self, limit: int) -> list[tuple[str, str]]:
        damaged = self._vectors.damaged() if self._vectors is not None else ()
        with self._database.read() as connection:
            return _sql_vectors.unencoded(connection, limit, damaged)

    def add_vectors(self, items: Iterable[tuple[str, Matrix]]) -> None:
        cache, items = self._cache(), list(items)
        with self._database.write() as connection:
            _sql_vectors.add_vectors(connection, items, self._claimed)
        cache.forget_damage(memory_id for memory_id, _ in items)

    def nearest(self, scope: Scope, where: Where, vector: Matrix, limit: int) -> list[Hit]:
        cache = self._cache()
        return cache.nearest(self._database, scope, where, vector, limit, self._claimed)

    def cosines(self, scope: Scope, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        cache = self._cache()
        return cache.cosines(self._database, scope, ids, vector, self._claimed)

    def begin_reindex(self, info: IndexInfo) -> int:
        self._drop_old_vectors()
        with self._database.write() as connection:
            left = _sql_vectors.begin_reindex(connection, info)
        self._drop_old_vectors()
        return left

    def unindexed(self, info: IndexInfo, limit: int) -> list[tuple[str, str]]:
        with self._database.read() as connection:
            return _sql_vectors.unindexed(connection, info, limit)

    def add_reindexed(self, info: IndexInfo, items: Iterable[tuple[str, Matrix]]) -> None:
        self._cache()
        with self._database.write() as connection:
            _sql_vectors.add_reindexed(connection, info, items)

    def finish_reindex(self, info: IndexInfo) -> bool:
        with self._database.write() as connection:
            finished = _sql_vectors.finish_reindex(connection, info)
        if finished:
            self._claimed = info
            self._drop_old_vectors()
        return finished

    def close(self) -> None:
        self._database.close()

    def _drop_old_vectors(self) -> None:
        left = True
        while left:  # a transaction each, so that nobody waits for all of it
            with self._database.write() as connection:
                left = _sql_vectors.drop_old_vectors(connection)

    def _cache(self) -> VectorCache:
        if self._vectors is None:
            try:
                from hindsight_core.stores._vector_cache import VectorCache
            except ModuleNotFoundError as error:
                if error.name != "numpy":
                    raise
                raise MissingExtraError("embed", "numpy", reason=str(error)) from error
            self._vectors = VectorCache()
        return self._vectors
