"""Copies a whole store into another one, of the same kind or not: table by table, row by row.

Both have the same tables, so every id, change number and hash stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from hindsight_core.errors import StoreError
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_store import SqlStore

__all__ = ["Moved", "move"]

_BATCH: Final = 2_000
_TABLES: Final = {
    "scopes": ("id", 'id, tenant, "user", agent, session, documents, tokens, text_change'),
    "memories": (
        "rid",
        """rid, id, scope_id, kind, status, superseded, time, created_at, subject, task_type,
        dedupe_key, revision, "references", last_referenced_at, change, body""",
    ),
    "entities": ("rid, entity", "rid, entity"),
    "tools": ("rid, tool", "rid, tool"),
    "words": ("rid", "rid, own, context, length"),
    "embedder": ("space", "space, model, dimension, relevance, same_subject"),
    "vectors": ("rid, space", "rid, space, change, vector"),
    "unencoded": ("rid", "rid"),
    "runs": (
        "first_at, run_id",
        "run_id, scope_id, owner, first_at, last_at, total, judged, ended",
    ),
    "events": ("seq", "seq, run_id, scope_id, key, body"),
    "calls": (
        'signature, tenant, "user", situation, scope_id',
        """tenant, "user", signature, situation, scope_id, shape, tool, failures, successes,
        error_class, transient, memory_id, last_failure_at, last_success_at""",
    ),
    "counted": ("scope_id, run_id, key", "scope_id, run_id, key"),
    "recalls": ("seq", "seq, scope_id, recall_id, run_id, report"),
    "audit": ("seq", "seq, at, actor, action, subject, detail, prev_hash, hash"),
    "audit_vouched": ("through", "through, mac"),
    "uses": (
        'tenant, "user", run_id, memory_id',
        'tenant, "user", run_id, memory_id, scope_id, verdict, good, withheld, repeats, events, at',
    ),
    "reflections": ("run_id", "run_id, at"),
    "spending": ("at, tokens", "at, tokens"),
    "guard_records": ("seq", "seq, id, scope_id, kind, at, about, body"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """What was copied: rows by table, and one hash over all of them, equal on both sides."""

    rows: dict[str, int]
    hash: str


def move(
    source: SqlStore,
    target: SqlStore,
    *,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> Moved:
    """Copy every row into a store that is empty, or that an interrupted copy has begun to fill.

    Nobody may write to either store meanwhile; the hashes at the end show that nobody did. Raises
    `StoreError` when they differ, which leaves the source as it was.
    """
    totals = _sizes(source)
    done = _sizes(target)
    for table in _TABLES:
        if done[table] > totals[table]:
            raise StoreError(
                f"{target.url} holds more {table} than {source.url}. Name an empty store"
            )
        while done[table] < totals[table]:
            done[table] += _copy(source, target, table, done[table])
            if on_progress is not None:
                on_progress(table, done[table], totals[table])
    _take_over_counters(source, target)
    one, other = _hash(source), _hash(target)
    if one != other:
        raise StoreError(
            f"{source.url} and {target.url} differ after the copy: somebody wrote meanwhile, or "
            "the target was not empty. Stop the agents, name an empty store, and move again"
        )
    return Moved(rows=done, hash=one)


def _sizes(store: SqlStore) -> dict[str, int]:
    with store.database.read() as connection:
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in _TABLES
        }


def _copy(source: SqlStore, target: SqlStore, table: str, offset: int) -> int:
    with source.database.read() as connection:
        rows = _read(connection, table, offset)
    if not rows:
        raise StoreError(f"{source.url}: {table} became fewer while they were moved")
    with target.database.write() as connection:
        target.fill(connection, table, _TABLES[table][1], rows)
    return len(rows)


def _read(connection: Connection, table: str, offset: int) -> list[Any]:
    key, columns = _TABLES[table]
    return connection.execute(
        f"SELECT {columns} FROM {table} ORDER BY {key} LIMIT ? OFFSET ?", (_BATCH, offset)
    ).fetchall()


def _take_over_counters(source: SqlStore, target: SqlStore) -> None:
    ((change, space),) = source.database.fetch("SELECT change, space FROM state")
    with target.database.write() as connection:
        # `forgotten` makes the vector caches of other processes load anew.
        connection.execute(
            "UPDATE state SET change = max(change, ?), forgotten = max(change, ?), space = ?",
            (change, change, space),
        )
        target.after_fill(connection)


def _hash(store: SqlStore) -> str:
    """A hash over all rows that no order, collation or kind of store changes."""
    total = 0
    with store.database.read() as connection:
        for table in _TABLES:
            offset = 0
            while rows := _read(connection, table, offset):
                offset += len(rows)
                for row in rows:
                    text = json.dumps([table, *map(_plain, row)])
                    total += int.from_bytes(sha256(text.encode()).digest())
    return f"{total % 2**256:064x}"


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes | memoryview) else value
