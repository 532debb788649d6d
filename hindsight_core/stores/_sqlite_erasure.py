"""Takes records out so that nothing of them is left: tables, indexes, log and free pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hindsight_core.ports import ErasureReceipt
from hindsight_core.schema import Scope
from hindsight_core.stores import _sqlite_text as text
from hindsight_core.stores._sqlite_connection import Database
from hindsight_core.stores._sqlite_scopes import marks, narrower_ids, visible_ids
from hindsight_core.stores._sqlite_vectors import drop_old_tombstones

__all__ = ["delete", "erase"]

_BY_SCOPE: Final = ("calls", "counted", "recalls", "events", "runs", "memories")
_MERGE_PAGES: Final = 1_000


def delete(database: Database, scope: Scope, ids: Sequence[str], *, wipe: bool) -> int:
    """Erase those of the records that the scope sees, and the recall reports that name them.

    With `wipe` nothing of their text is left in the file either, which takes a second at 100,000
    records; without it the words alone, in no order, stay in the index until a later wipe.
    """
    with database.write() as connection:
        visible = visible_ids(connection, scope)
        gone = connection.execute(
            "SELECT rid, scope_id, id FROM memories"
            " WHERE id IN (SELECT value FROM json_each(?))"
            f" AND scope_id IN ({marks(visible)})",
            (json.dumps(list(ids)), *visible),
        ).fetchall()
        for rid, scope_id, memory_id in gone:
            _remove(connection, rid, scope_id)
            connection.execute(
                "DELETE FROM recalls WHERE instr(report, ?) > 0 AND scope_id IN"
                " (SELECT id FROM scopes WHERE tenant = ? AND user = ?)",
                (json.dumps(memory_id), scope.tenant, scope.user),
            )
        drop_old_tombstones(connection)
    if gone and wipe:
        _scrub(database)
    return len(gone)


def erase(database: Database, scope: Scope, at: datetime) -> ErasureReceipt:
    """Erase a scope and everything narrower, rewrite the file, and look again."""
    removed: dict[str, int] = {}
    with database.write() as connection:
        scopes = narrower_ids(connection, scope)
        inside = f"scope_id IN ({marks(scopes)})"
        gone = connection.execute(
            f"SELECT rid, scope_id FROM memories WHERE {inside}", scopes
        ).fetchall()
        removed["vectors"] = _count_vectors(connection, scopes)
        removed["texts"] = len(gone)
        for rid, scope_id in gone:
            _remove(connection, rid, scope_id, keep_record=True)
        _leave_runs(connection, scopes)
        for table in _BY_SCOPE:
            removed[table] = connection.execute(
                f"DELETE FROM {table} WHERE {inside}", scopes
            ).rowcount
        connection.execute(f"DELETE FROM scopes WHERE id IN ({marks(scopes)})", scopes)
        drop_old_tombstones(connection)
    _scrub(database)
    with database.exclusive() as connection:
        connection.execute("VACUUM")
    _checkpoint(database)
    return ErasureReceipt(
        scope=scope, at=at, removed=removed, remaining=_look(database, scope, scopes)
    )


def _leave_runs(connection: sqlite3.Connection, scopes: Sequence[int]) -> None:
    """Make the events of these scopes and of their runs go, and the runs that stay count right."""
    inside = f"scope_id IN ({marks(scopes)})"
    connection.execute(
        f"UPDATE events SET scope_id = ? WHERE run_id IN (SELECT run_id FROM runs WHERE {inside})",
        (scopes[0] if scopes else None, *scopes),
    )
    connection.execute(
        "WITH placed AS (SELECT run_id, scope_id, row_number() OVER"
        " (PARTITION BY run_id ORDER BY seq) AS place FROM events WHERE run_id IN"
        f" (SELECT run_id FROM events WHERE {inside})),"
        " left_over AS (SELECT p.run_id, count(*) AS total,"
        " count(*) FILTER (WHERE p.place <= r.judged) AS judged FROM placed AS p"
        " JOIN runs AS r ON r.run_id = p.run_id"
        f" WHERE p.scope_id NOT IN ({marks(scopes)}) GROUP BY p.run_id)"
        " UPDATE runs SET total = left_over.total, judged = left_over.judged FROM left_over"
        " WHERE runs.run_id = left_over.run_id",
        (*scopes, *scopes),
    )


def _remove(
    connection: sqlite3.Connection, rid: int, scope_id: int, *, keep_record: bool = False
) -> None:
    text.remove(connection, scope_id, rid)
    connection.execute("DELETE FROM vectors WHERE rid = ?", (rid,))
    if not keep_record:
        connection.execute("DELETE FROM memories WHERE rid = ?", (rid,))


def _count_vectors(connection: sqlite3.Connection, scopes: Sequence[int]) -> int:
    (counted,) = connection.execute(
        "SELECT count(*) FROM vectors AS v JOIN memories AS m ON m.rid = v.rid"
        f" WHERE m.scope_id IN ({marks(scopes)})",
        scopes,
    ).fetchone()
    return int(counted)


def _scrub(database: Database) -> None:
    # FTS5 only marks a deleted row until its segments are merged (its own secure-delete needs
    # SQLite 3.42), so merge all of them into one, a few pages a transaction: others wait little.
    with database.exclusive() as connection:
        pages = -_MERGE_PAGES
        while True:
            before = connection.total_changes
            connection.execute("INSERT INTO texts (texts, rank) VALUES ('merge', ?)", (pages,))
            if connection.total_changes - before < 2:
                break
            pages = _MERGE_PAGES
    _checkpoint(database)


def _checkpoint(database: Database) -> None:
    with database.exclusive() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _look(database: Database, scope: Scope, scopes: Sequence[int]) -> dict[str, int]:
    remaining: dict[str, int] = {}
    with database.read() as connection:
        again = sorted({*scopes, *narrower_ids(connection, scope)})
        for table in _BY_SCOPE:
            (remaining[table],) = connection.execute(
                f"SELECT count(*) FROM {table} WHERE scope_id IN ({marks(again)})", again
            ).fetchone()
        remaining["vectors"] = _count_vectors(connection, again)
        remaining["texts"] = 0
        for scope_id in scopes:
            (left,) = connection.execute(
                "SELECT count(*) FROM texts WHERE texts MATCH ?", (f"{scope_id}x *",)
            ).fetchone()
            remaining["texts"] += left
    return remaining
