"""The vectors as BLOBs, which embedder made them, and which rows changed since when."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hindsight_core.errors import ConfigurationError, EmbedderMismatchError
from hindsight_core.indexed import passage_text
from hindsight_core.ports import IndexInfo
from hindsight_core.stores import _sqlite_records as records

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["add_vectors", "claim_index", "drop_old_tombstones", "index_info", "unencoded"]

_KEPT_TOMBSTONES: Final = 50_000


def index_info(connection: sqlite3.Connection) -> IndexInfo | None:
    """Return by which embedder the index was made, None while it is unclaimed."""
    row = connection.execute(
        "SELECT model, dimension, relevance, same_subject FROM embedder"
    ).fetchone()
    if row is None:
        return None
    return IndexInfo(model=row[0], dimension=row[1], relevance=row[2], same_subject=row[3])


def claim_index(connection: sqlite3.Connection, info: IndexInfo) -> None:
    """Bind the index to an embedder; the same one may bring new thresholds."""
    stored = index_info(connection)
    if stored is not None and (stored.model, stored.dimension) != (info.model, info.dimension):
        raise EmbedderMismatchError(
            f"{stored.model} ({stored.dimension})", f"{info.model} ({info.dimension})"
        )
    connection.execute(
        "INSERT OR REPLACE INTO embedder VALUES (1, ?, ?, ?, ?)",
        (info.model, info.dimension, info.relevance, info.same_subject),
    )


def unencoded(connection: sqlite3.Connection, limit: int) -> list[tuple[str, str]]:
    """Return ids and texts of records that have no vector yet, oldest first."""
    rows = connection.execute(
        'SELECT m.body, m."references", m.last_referenced_at FROM unencoded AS u'
        " JOIN memories AS m ON m.rid = u.rid ORDER BY u.rid LIMIT ?",
        (max(0, limit),),
    )
    memories = [records.load(*row) for row in rows]
    return [(memory.id, passage_text(memory)) for memory in memories]


def add_vectors(connection: sqlite3.Connection, items: Iterable[tuple[str, Matrix]]) -> None:
    """Store vectors; one of a record that is gone by now is dropped."""
    info = index_info(connection)
    if info is None:
        raise ConfigurationError("the index has no embedder yet; call claim_index(info) first")
    for memory_id, vector in items:
        blob = _blob(memory_id, vector, info.dimension)
        row = connection.execute("SELECT rid FROM memories WHERE id = ?", (memory_id,)).fetchone()
        if row is None:
            continue
        connection.execute(
            "INSERT INTO vectors VALUES (?, (SELECT change FROM state), ?) ON CONFLICT (rid)"
            " DO UPDATE SET change = (SELECT change FROM state), vector = excluded.vector",
            (row[0], blob),
        )
        connection.execute("DELETE FROM unencoded WHERE rid = ?", row)


def drop_old_tombstones(connection: sqlite3.Connection) -> None:
    """Keep the newest tombstones only; a cache that is older than they are loads anew."""
    last = connection.execute(
        "SELECT change FROM tombstones ORDER BY change DESC LIMIT 1 OFFSET ?", (_KEPT_TOMBSTONES,)
    ).fetchone()
    if last is not None:
        connection.execute("DELETE FROM tombstones WHERE change <= ?", last)
        connection.execute("UPDATE state SET forgotten = ?", last)


def _blob(memory_id: str, vector: Matrix, dimension: int) -> bytes:
    if vector.shape != (dimension,) or vector.dtype != "float32":
        raise ConfigurationError(
            f"the vector of {memory_id} is {vector.dtype} of shape {vector.shape}, the index "
            f"holds float32 of shape ({dimension},). Encode with the embedder that claimed it"
        )
    if not bool((vector == vector).all()) or not -1e4 < float(vector @ vector) < 1e4:
        raise ConfigurationError(f"the vector of {memory_id} holds NaN or is not of unit length")
    return vector.astype("<f4", copy=False).tobytes()
