"""The vectors as BLOBs, and which embedder made them.

Vectors live in *spaces*, one an embedder. One space is in use; while the records are embedded anew
by another embedder a second one grows beside it, and at the end one number is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from hindsight_core.errors import ConfigurationError, EmbedderMismatchError
from hindsight_core.indexed import passage_text
from hindsight_core.ports import IndexInfo
from hindsight_core.stores import _sql_records as records
from hindsight_core.stores._sql import Connection

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = [
    "DELIVERIES",
    "add_reindexed",
    "add_vectors",
    "begin_reindex",
    "check_claim",
    "claim_index",
    "drop_old_tombstones",
    "drop_old_vectors",
    "finish_reindex",
    "index_info",
    "unencoded",
    "unindexed",
]

DELIVERIES: Final = """CREATE TABLE deliveries (
    name TEXT NOT NULL,
    space INTEGER NOT NULL,
    change BIGINT NOT NULL,
    began BIGINT NOT NULL,
    PRIMARY KEY (name, space))"""
"""Up to which `change` an index beside the store was told, and when its filling began."""
_KEPT_TOMBSTONES: Final = 50_000
_DROPPED_AT_ONCE: Final = 2_000
_IN_USE: Final = "(SELECT space FROM state)"
_NEXT: Final = f"(SELECT max(space) FROM embedder WHERE space > {_IN_USE})"


def index_info(connection: Connection) -> IndexInfo | None:
    """Return by which embedder the index was made, None while it is unclaimed."""
    return _info(connection, _IN_USE)


def claim_index(connection: Connection, info: IndexInfo) -> None:
    """Bind the index to an embedder; the same one may bring new thresholds."""
    stored = index_info(connection)
    check_claim(stored, info)
    if stored != info:
        _write_info(connection, _IN_USE, info)


def check_claim(stored: IndexInfo | None, claimed: IndexInfo | None) -> None:
    """Raise `EmbedderMismatchError` unless the index is that of the embedder which claimed it."""
    if stored is not None and claimed is not None and not _same(stored, claimed):
        raise EmbedderMismatchError(
            f"{stored.model} ({stored.dimension})", f"{claimed.model} ({claimed.dimension})"
        )


def unencoded(
    connection: Connection, limit: int, damaged: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Return ids and texts of records that have no vector yet, oldest first.

    Those come last whose vector was found `damaged`: they are given a new one.
    """
    rows = connection.execute(
        f"SELECT {records.COLUMNS} FROM unencoded AS u"
        " JOIN memories AS m ON m.rid = u.rid ORDER BY u.rid LIMIT ?",
        (max(0, limit),),
    ).fetchall()
    if damaged and len(rows) < limit:
        rows += connection.execute(
            f"SELECT {records.COLUMNS} FROM json_each(?) AS d JOIN memories AS m ON m.id = d.value"
            " WHERE m.status <> 'cold' AND m.rid NOT IN (SELECT rid FROM unencoded) LIMIT ?",
            (json.dumps(list(damaged)), limit - len(rows)),
        ).fetchall()
    return [(memory.id, passage_text(memory)) for memory in (records.load(*row) for row in rows)]


def add_vectors(
    connection: Connection,
    items: Iterable[tuple[str, Matrix]],
    claimed: IndexInfo | None,
) -> None:
    """Store vectors; one of a record that is gone by now is dropped."""
    info = index_info(connection)
    if info is None:
        raise ConfigurationError("the index has no embedder yet; call claim_index(info) first")
    check_claim(info, claimed)
    for rid in _store(connection, _IN_USE, info.dimension, items):
        connection.execute("DELETE FROM unencoded WHERE rid = ?", (rid,))


def begin_reindex(connection: Connection, info: IndexInfo) -> int:
    """Begin or resume a second index; return how many records it lacks."""
    begun = _info(connection, _NEXT)
    if begun is None or not _same(begun, info):
        # A number of its own: what an abandoned reindexing left is deleted later, in slices.
        (last,) = connection.execute(
            "SELECT max(s.space, coalesce((SELECT max(space) FROM embedder), 0)) FROM state AS s"
        ).fetchone()
        connection.execute(f"DELETE FROM embedder WHERE space > {_IN_USE}")
        _write_info(connection, str(last + 1), info)
    (left,) = connection.execute(
        "SELECT (SELECT count(*) FROM memories WHERE status <> 'cold')"
        f" - (SELECT count(*) FROM vectors WHERE space = {_NEXT})"
    ).fetchone()
    return int(left)


def unindexed(connection: Connection, info: IndexInfo, limit: int) -> list[tuple[str, str]]:
    """Return ids and texts of records that the second index lacks, oldest first."""
    _check_begun(connection, info)
    rows = connection.execute(
        f"SELECT {records.COLUMNS} FROM memories AS m WHERE m.status <> 'cold'"
        " AND NOT EXISTS (SELECT 1 FROM vectors AS v"
        f" WHERE v.rid = m.rid AND v.space = {_NEXT}) ORDER BY m.rid LIMIT ?",
        (max(0, limit),),
    )
    return [(memory.id, passage_text(memory)) for memory in (records.load(*row) for row in rows)]


def add_reindexed(
    connection: Connection, info: IndexInfo, items: Iterable[tuple[str, Matrix]]
) -> None:
    """Store vectors of the second index."""
    _check_begun(connection, info)
    _store(connection, _NEXT, info.dimension, items)


def finish_reindex(connection: Connection, info: IndexInfo) -> bool:
    """Put the second index in the place of the first if it lacks no record; say whether it did."""
    if unindexed(connection, info, 1):
        return False
    connection.execute(f"UPDATE state SET space = {_NEXT}, forgotten = change")
    connection.execute(f"DELETE FROM embedder WHERE space <> {_IN_USE}")
    connection.execute("DELETE FROM unencoded")
    return True


def drop_old_vectors(connection: Connection) -> bool:
    """Delete some of the vectors that no embedder stands for any more; False when none are left."""
    return (
        connection.execute(
            "DELETE FROM vectors WHERE (rid, space) IN (SELECT rid, space FROM vectors"
            " WHERE space NOT IN (SELECT space FROM embedder) LIMIT ?)",
            (_DROPPED_AT_ONCE,),
        ).rowcount
        > 0
    )


def drop_old_tombstones(connection: Connection) -> None:
    """Keep the newest tombstones only; a cache that is older than they are loads anew."""
    last = connection.execute(
        "SELECT change FROM tombstones ORDER BY change DESC LIMIT 1 OFFSET ?", (_KEPT_TOMBSTONES,)
    ).fetchone()
    if last is not None:
        connection.execute("DELETE FROM tombstones WHERE change <= ?", last)
        connection.execute("UPDATE state SET forgotten = max(forgotten, ?)", last)


def _info(connection: Connection, space: str) -> IndexInfo | None:
    row = connection.execute(
        f"SELECT model, dimension, relevance, same_subject FROM embedder WHERE space = {space}"
    ).fetchone()
    if row is None:
        return None
    return IndexInfo(model=row[0], dimension=row[1], relevance=row[2], same_subject=row[3])


def _check_begun(connection: Connection, info: IndexInfo) -> None:
    begun = _info(connection, _NEXT)
    if begun is None or not _same(begun, info):
        raise ConfigurationError(
            f"no reindexing by {info.model} is under way; another one took its place, or it is "
            "finished. Call begin_reindex(info) first"
        )


def _write_info(connection: Connection, space: str, info: IndexInfo) -> None:
    connection.execute(
        f"INSERT INTO embedder (space, model, dimension, relevance, same_subject)"
        f" VALUES ({space}, ?, ?, ?, ?) ON CONFLICT (space) DO UPDATE SET model = excluded.model,"
        " dimension = excluded.dimension, relevance = excluded.relevance,"
        " same_subject = excluded.same_subject",
        (info.model, info.dimension, info.relevance, info.same_subject),
    )


def _same(one: IndexInfo, other: IndexInfo) -> bool:
    return (one.model, one.dimension) == (other.model, other.dimension)


def _store(
    connection: Connection,
    space: str,
    dimension: int,
    items: Iterable[tuple[str, Matrix]],
) -> list[int]:
    stored: list[int] = []
    for memory_id, vector in items:
        blob = _blob(memory_id, vector, dimension)
        row = connection.execute(
            "SELECT rid FROM memories WHERE id = ? AND status <> 'cold'", (memory_id,)
        ).fetchone()
        if row is None:
            continue
        connection.execute(
            f"INSERT INTO vectors VALUES (?, {space}, (SELECT change FROM state), ?)"
            " ON CONFLICT (rid, space) DO UPDATE SET change = excluded.change,"
            " vector = excluded.vector",
            (row[0], blob),
        )
        stored.append(row[0])
    return stored


def _blob(memory_id: str, vector: Matrix, dimension: int) -> bytes:
    if vector.shape != (dimension,) or vector.dtype != "float32":
        raise ConfigurationError(
            f"the vector of {memory_id} is {vector.dtype} of shape {vector.shape}, the index "
            f"holds float32 of shape ({dimension},). Encode with the embedder that claimed it"
        )
    # A text without any known word has the zero vector, which is like nothing.
    length = float(vector @ vector)
    if not (length == 0 or 0.98 < length < 1.02):
        raise ConfigurationError(
            f"the vector of {memory_id} is not of unit length, or holds NaN. Normalise it"
        )
    return vector.astype("<f4", copy=False).tobytes()
