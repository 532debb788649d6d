"""What the engine needs of the outside, as protocols: stores, models, the clock, ids.

Everything that touches a disk, a network, the time or chance comes in through one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from hindsight_core.events import Event, EventBase
from hindsight_core.port_types import (
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
from hindsight_core.ports_guard import GuardStore
from hindsight_core.ports_ledger import LeaseStore, LedgerStore, MemoryUse
from hindsight_core.ports_reflection import ReflectionStore
from hindsight_core.schema import Memory, Scope

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[float32]

__all__ = [
    "AuditEntry",
    "CallRecord",
    "CallStats",
    "Clock",
    "Embedder",
    "ErasureReceipt",
    "EventStore",
    "Hit",
    "IdFactory",
    "IndexInfo",
    "MemoryStore",
    "PutResult",
    "Reranker",
    "RunInfo",
    "Store",
    "TermCounts",
    "TextHit",
    "VectorIndex",
    "Where",
]


class Clock(Protocol):
    """Tells the time, as an aware UTC datetime."""

    def __call__(self) -> datetime: ...


class IdFactory(Protocol):
    """Makes a new id, unique and sortable by time."""

    def __call__(self) -> str: ...


class MemoryStore(Protocol):
    """Records and their text index. Every call is one transaction; every read names a scope."""

    def put(self, memories: Sequence[Memory]) -> list[PutResult]:
        """Insert, or replace by id.

        A new memory whose non-empty `dedupe_key` the same scope holds already is not stored; the
        one that stands is named. A replacement must carry the stored `revision` plus one, else
        `StaleError` is raised and nothing is stored. `references` and `last_referenced_at` belong
        to `touch`: a replacement leaves them as they are.
        """
        ...

    def find(self, scope: Scope, dedupe_keys: Sequence[str]) -> list[Memory]:
        """Return the memories of exactly this scope that hold one of the keys, of any status."""
        ...

    def get(self, scope: Scope, ids: Sequence[str]) -> list[Memory]:
        """Return those of `ids` that the scope sees, of any status, in the order asked for."""
        ...

    def select(
        self, scope: Scope, where: Where, *, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        """List memories that the scope sees, newest first."""
        ...

    def match_text(
        self, scope: Scope, where: Where, terms: Sequence[str], limit: int
    ) -> list[TextHit]:
        """Search the text index for any of the terms (as `hindsight_core.text.terms` cuts them)."""
        ...

    def term_counts(self, scope: Scope, terms: Sequence[str]) -> TermCounts:
        """Count in how many memories each term occurs; one cheap look-up a term."""
        ...

    def delete(self, scope: Scope, ids: Sequence[str], *, wipe: bool = True) -> int:
        """Erase the records, their text index and vectors; return how many there were.

        `wipe=False` leaves it to a later `wipe` or erasure to overwrite the space that they took.
        """
        ...

    def wipe(self, *, whole: bool = False) -> bool:
        """Overwrite the space of what was deleted; True when nothing of it can be left there.

        Where that would stop every writer for seconds it is only done `whole`, else False.
        """
        ...

    def erase(self, scope: Scope, *, at: datetime) -> ErasureReceipt:
        """Erase everything of a scope and everything narrower, everywhere, and look again."""
        ...

    def count(self, scope: Scope | None = None) -> dict[str, int]:
        """Count records by `kind/status`; `None` counts the whole store."""
        ...

    def change_counter(self) -> int:
        """A number that grows with every write by any process."""
        ...

    def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count one more reference to each memory."""
        ...


class EventStore(Protocol):
    """The durable outbox, the gate's counts, and what was explained."""

    def append(self, event: EventBase, *, owner: str) -> bool:
        """Make an event durable in one transaction; False if its key is there already."""
        ...

    def append_all(self, events: Sequence[tuple[EventBase, str]]) -> list[bool]:
        """The same for events with their owners: all are stored or, when it raises, none."""
        ...

    def runs(self, *, pending_only: bool = True, limit: int = 100) -> list[RunInfo]:
        """List runs, oldest first."""
        ...

    def events(self, run_id: str) -> list[Event]:
        """All events of a run, judged or not, in the order of their arrival."""
        ...

    def rewrite(self, events: Sequence[EventBase]) -> int:
        """Replace the bodies of events that are there (same run, scope and key); how many were.

        For texts that turn out to hold a secret after they were recorded.
        """
        ...

    def settle(
        self,
        run_id: str,
        *,
        through: int,
        memories: Sequence[Memory],
        calls: Sequence[CallRecord],
        uses: Sequence[MemoryUse] = (),
    ) -> list[PutResult]:
        """In one transaction: store what a run taught, mark its first `through` events judged.

        A line of the ledger takes the place of an earlier one of its run and memory. A call whose
        `key` was counted before is not counted again, so judging a run once more (a late result,
        two processes) changes no count. Raises `StaleError` as `put` does, and for a replacement
        whose record was erased meanwhile.
        """
        ...

    def prune_events(self, *, before: datetime) -> int:
        """Delete judged events of runs that ended before that time."""
        ...

    def call_stats(self, scope: Scope, *, signature: str = "", shape: str = "") -> list[CallStats]:
        """The counts of a signature or of a shape, one entry a situation. One indexed lookup."""
        ...

    def save_recall(self, scope: Scope, recall_id: str, run_id: str, report: str) -> None:
        """Keep the report (JSON) of a recall so that it can be explained later."""
        ...

    def load_recalls(self, scope: Scope, *, recall_id: str = "", run_id: str = "") -> list[str]:
        """The reports of one recall, or of all recalls of a run."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Append to the audit log."""
        ...

    def audit_log(self, *, limit: int = 100) -> list[AuditEntry]:
        """The newest audit entries, newest first."""
        ...


class VectorIndex(Protocol):
    """Vectors of memories, searched under the same hard filter."""

    def index_info(self) -> IndexInfo | None:
        """By which embedder the index was made; None while it is empty and unclaimed."""
        ...

    def claim_index(self, info: IndexInfo) -> None:
        """Bind the index, and this handle, to an embedder.

        Raises `EmbedderMismatchError` if the index has another. So does every later call of this
        handle that takes a vector, once another process has reindexed: models are never mixed.
        """
        ...

    def unencoded(self, limit: int) -> list[tuple[str, str]]:
        """Ids and texts of records that have no vector yet, oldest first."""
        ...

    def add_vectors(self, items: Iterable[tuple[str, Matrix]]) -> None:
        """Store vectors (1-D float32, of unit length) of records that exist."""
        ...

    def nearest(self, scope: Scope, where: Where, vector: Matrix, limit: int) -> list[Hit]:
        """The memories most alike to a unit vector, best first."""
        ...

    def cosines(self, scope: Scope, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        """The cosine of a unit vector with each of these that the scope sees and that has one."""
        ...

    def begin_reindex(self, info: IndexInfo) -> int:
        """Begin, or go on with, a second index by another embedder; return how much it lacks.

        The first index stays in use, and takes new records, until `finish_reindex`. Another
        embedder's second index is given up for this one.
        """
        ...

    def unindexed(self, info: IndexInfo, limit: int) -> list[tuple[str, str]]:
        """Ids and texts of records that the second index lacks, oldest first.

        Like the next two, raises `ConfigurationError` unless it is `info` that is being made.
        """
        ...

    def add_reindexed(self, info: IndexInfo, items: Iterable[tuple[str, Matrix]]) -> None:
        """Store vectors of the second index."""
        ...

    def finish_reindex(self, info: IndexInfo) -> bool:
        """Use the second index from now on, in one step; False if it still lacks a record."""
        ...


class Store(
    MemoryStore,
    EventStore,
    VectorIndex,
    GuardStore,
    LedgerStore,
    LeaseStore,
    ReflectionStore,
    Protocol,
):
    """All that a backend offers; the embedded default is one file that does all three."""

    @property
    def url(self) -> str:
        """Where the store is, without secrets."""
        ...

    @property
    def embedded(self) -> bool:
        """Whether it belongs to one machine, so that a missing user means `local`."""
        ...

    def check(self) -> dict[str, Any]:
        """Look for damage; an empty `problems` list means that none was found."""
        ...

    def close(self) -> None:
        """Release files and connections; safe to call twice."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors; queries and passages may be encoded differently."""

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and the thresholds that belong to this model."""
        ...

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), dimension), float32, unit rows."""
        ...

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (dimension,), float32, unit length."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reads a question and a text together, and says how well the one answers the other."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, larger is better, in the order of the texts."""
        ...
