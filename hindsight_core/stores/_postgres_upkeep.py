"""Looks for damage in a PostgreSQL store, and overwrites what was deleted from it."""

from __future__ import annotations

from typing import Any, Final

from hindsight_core.stores._postgres_connection import PostgresDatabase
from hindsight_core.stores._sql_check import problems_of, sizes

__all__ = ["check", "wipe_deleted"]

_TABLES: Final = "memories, words, vectors, entities, tools, events, runs, recalls, calls, uses"


def wipe_deleted(database: PostgresDatabase, *, whole: bool) -> bool:
    """Let the server use the space of deleted rows again; `whole` rewrites the tables without it.

    A rewriting stops readers and writers. Neither reaches the server's own log and its backups.
    """
    with database.exclusive() as connection:
        connection.execute(f"VACUUM {'(FULL)' if whole else ''} {_TABLES}".encode())
    return whole


def check(database: PostgresDatabase, key: bytes | None) -> dict[str, Any]:
    """Return the sizes of the tables and a list of `problems`, empty where none was found."""
    with database.read() as connection:
        (last,) = connection.execute("SELECT seq FROM audit_last").fetchone()
        problems = problems_of(connection, last, key)
        report: dict[str, Any] = sizes(connection)
        (size,) = connection.execute(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c"
            " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = ? AND c.relkind = 'r'",
            (database.schema,),
        ).fetchone()
    report["bytes"] = int(size)
    report["problems"] = problems
    return report
