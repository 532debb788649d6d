"""Looks for damage: in the file, and in what the tables say of each other."""

from __future__ import annotations

from typing import Any, Final

from hindsight_core.errors import StoreCorruptError
from hindsight_core.stores._sql_check import problems_of, sizes
from hindsight_core.stores._sqlite_connection import SqliteDatabase

__all__ = ["check"]

_UNREADABLE: Final = "SELECT count(*) FROM memories WHERE NOT json_valid(body)"


def check(database: SqliteDatabase, key: bytes | None) -> dict[str, Any]:
    """Return the sizes of the tables and a list of `problems`, empty where none was found.

    Reads the whole file: seconds at 100,000 records.
    """
    try:
        return _check(database, key)
    except StoreCorruptError as error:
        return {"problems": [str(error)]}


def _check(database: SqliteDatabase, key: bytes | None) -> dict[str, Any]:
    report: dict[str, Any] = {}
    problems: list[str] = []
    with database.read() as connection:
        for (line,) in connection.execute("PRAGMA integrity_check").fetchall():
            if line != "ok":
                problems.append(f"damage: {line}")
        for table, rid, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
            problems.append(f"row {rid} of {table} names a row that does not exist")
        (unreadable,) = connection.execute(_UNREADABLE).fetchone()
        if unreadable:
            problems.append(f"{unreadable} records that are not readable JSON")
        last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
        problems += problems_of(connection, 0 if last is None else last[0], key)
        report |= sizes(connection)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    try:
        with database.exclusive() as connection:
            connection.execute("INSERT INTO texts (texts, rank) VALUES ('integrity-check', 1)")
    except StoreCorruptError:
        problems.append("the text index does not fit its texts")
    report["bytes"] = pages * size
    report["problems"] = problems
    return report
