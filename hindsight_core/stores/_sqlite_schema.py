"""The tables of the SQLite store, and how a file of any older version becomes one of this.

A migration is a function; its place in `MIGRATIONS` is the version that it starts from. There is
no way back. Published migrations are never edited: a change of the tables is a new one at the end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hindsight_core.errors import StoreCorruptError, StoreVersionError
from hindsight_core.stores._sql_audit import VOUCHED
from hindsight_core.stores._sql_recutting import recut_words
from hindsight_core.stores._sql_reflection import TABLES as REFLECTION
from hindsight_core.stores._sql_scopes import KINDS
from hindsight_core.stores._sql_vectors import DELIVERIES
from hindsight_core.stores._sqlite_tables import FIRST

__all__ = ["APPLICATION_ID", "MIGRATIONS", "migrate"]

APPLICATION_ID: Final = 0x48534D31
"""`HSM1`: marks a file as a store of this package."""


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in FIRST:
        connection.execute(statement)


def _give_vectors_spaces(connection: sqlite3.Connection) -> None:
    """Let two embedders have vectors side by side, the one in use and one that is to follow it.

    `state.space` is the space in use, and a row of `embedder` stands for each space. A vector of
    another space than that in use is no cache's business, so it leaves no tombstone.
    """
    for statement in (
        "ALTER TABLE state ADD COLUMN space INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE embedder RENAME TO embedder_1",
        """CREATE TABLE embedder (
            space INTEGER PRIMARY KEY,
            model TEXT NOT NULL,
            dimension INTEGER NOT NULL,
            relevance REAL NOT NULL,
            same_subject REAL NOT NULL)""",
        "INSERT INTO embedder SELECT id, model, dimension, relevance, same_subject FROM embedder_1",
        "DROP TABLE embedder_1",
        "DROP TRIGGER vectors_gone",
        "DROP INDEX vectors_changed",
        "ALTER TABLE vectors RENAME TO vectors_1",
        """CREATE TABLE vectors (
            rid INTEGER NOT NULL REFERENCES memories (rid) ON DELETE CASCADE,
            space INTEGER NOT NULL,
            change INTEGER NOT NULL,
            vector BLOB NOT NULL,
            UNIQUE (rid, space))""",
        "INSERT INTO vectors SELECT rid, 1, change, vector FROM vectors_1 ORDER BY rid",
        "DROP TABLE vectors_1",
        "CREATE INDEX vectors_changed ON vectors (change)",
        """CREATE TRIGGER vectors_gone AFTER DELETE ON vectors BEGIN
            INSERT INTO tombstones SELECT change, old.rid FROM state
            WHERE space = old.space; END""",
    ):
        connection.execute(statement)


def _keep_a_ledger(connection: sqlite3.Connection) -> None:
    """Add a line for each run and memory that it was shown, and leases that one process holds.

    `good` is NULL where nobody can tell how the run ended; `done_at` is when the work that a lease
    is for was last finished.
    """
    for statement in (
        """CREATE TABLE uses (
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            run_id TEXT NOT NULL,
            memory_id TEXT NOT NULL,
            scope_id INTEGER NOT NULL REFERENCES scopes (id),
            verdict TEXT NOT NULL,
            good INTEGER,
            withheld INTEGER NOT NULL,
            repeats INTEGER NOT NULL,
            events INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user", run_id, memory_id)) WITHOUT ROWID""",
        "CREATE INDEX uses_of_memory ON uses (memory_id)",
        """CREATE TABLE leases (
            name TEXT PRIMARY KEY,
            owner TEXT NOT NULL,
            until INTEGER NOT NULL,
            done_at INTEGER NOT NULL)""",
    ):
        connection.execute(statement)


def _add_guard_records(connection: sqlite3.Connection) -> None:
    """Give the guard records of its own; `about` is the id of a memory, which may be gone.

    They may be there already: a development version made them without a migration.
    """
    for statement in (
        """CREATE TABLE IF NOT EXISTS guard_records (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            scope_id INTEGER NOT NULL REFERENCES scopes (id),
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            about TEXT NOT NULL,
            body TEXT NOT NULL)""",
        "CREATE INDEX IF NOT EXISTS guard_records_newest ON guard_records (kind, scope_id, seq)",
        """CREATE INDEX IF NOT EXISTS guard_records_about ON guard_records (about)
            WHERE about <> ''""",
        """CREATE INDEX IF NOT EXISTS memories_status ON memories (status, scope_id)
            WHERE status <> 'active'""",
    ):
        connection.execute(statement)


def _index_words_by_triggers(connection: sqlite3.Connection) -> None:
    """Let the file keep the text index in step with `words`, so that no writer can forget it."""
    for statement in (
        """CREATE TRIGGER words_added AFTER INSERT ON words BEGIN
            INSERT INTO texts (rowid, own, context) VALUES (new.rid, new.own, new.context); END""",
        """CREATE TRIGGER words_gone AFTER DELETE ON words BEGIN
            INSERT INTO texts (texts, rowid, own, context)
            VALUES ('delete', old.rid, old.own, old.context); END""",
    ):
        connection.execute(statement)


def _list_backups(connection: sqlite3.Connection) -> None:
    """Know where this file was copied to, so that an erasure reaches the copies."""
    connection.execute("CREATE TABLE backups (path TEXT PRIMARY KEY) WITHOUT ROWID")


def _queue_runs_for_reflection(connection: sqlite3.Connection) -> None:
    """Mark runs that were reflected on, and keep what was set aside for chat models."""
    for statement in REFLECTION:
        connection.execute(statement)


def _note_deliveries(connection: sqlite3.Connection) -> None:
    """Know how far an index of vectors beside the store was told of its changes."""
    connection.execute(DELIVERIES)


def _key_the_audit_log(connection: sqlite3.Connection) -> None:
    """Know up to which entry a person vouched for what was written before there was a key."""
    connection.execute(VOUCHED)


def _index_kinds(connection: sqlite3.Connection) -> None:
    """Let the few preferences or lessons of a large scope be listed without reading the rest."""
    connection.execute(KINDS)


def _recut_words(connection: sqlite3.Connection) -> None:
    """Let "Jose" find José and "user name" find getUserName."""
    recut_words(connection)


MIGRATIONS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (
    _make_tables,
    _give_vectors_spaces,
    _keep_a_ledger,
    _add_guard_records,
    _index_words_by_triggers,
    _list_backups,
    _queue_runs_for_reflection,
    _note_deliveries,
    _key_the_audit_log,
    _index_kinds,
    _recut_words,
)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file to this version, in one exclusive transaction.

    Any number of processes may do so at once: the first one migrates, the others find it done.
    Raises `StoreVersionError` for a file of a newer version and `StoreCorruptError` for a database
    that is not a store; neither is written to.
    """
    if _version(connection, path) == len(MIGRATIONS):
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for step in MIGRATIONS[_version(connection, path) :]:
            step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    # One snapshot: another process may be making the tables at this very moment.
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")
    try:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    finally:
        if alone:
            connection.execute("ROLLBACK")
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreCorruptError(
            f"{path} is an SQLite database of another program, not a store. Open another path"
        )
    if version > len(MIGRATIONS):
        raise StoreVersionError(
            f"{path} was written by a newer version of this package (its tables are of version "
            f"{version}, this package knows {len(MIGRATIONS)}). Upgrade: "
            "pip install --upgrade hindsight-core"
        )
    return int(version)
