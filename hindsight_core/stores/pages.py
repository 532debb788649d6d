"""Reads the records of a whole store, or of one user, page by page in the order of their coming."""

from __future__ import annotations

from collections.abc import Iterator

from hindsight_core.schema import Memory
from hindsight_core.stores._sql import Database
from hindsight_core.stores._sql_records import COLUMNS, load

__all__ = ["count_all", "pages"]

_PAGE = 500


def pages(
    database: Database, *, after: int, tenant: str | None, user: str | None
) -> Iterator[list[tuple[int, Memory]]]:
    """Yield the records that came after a row number, each with its own, some hundred at a time.

    Each page is read on a snapshot of its own, so nobody who writes meanwhile has to wait.
    """
    while True:
        with database.read() as connection:
            rows = connection.execute(
                f"SELECT m.rid, {COLUMNS} FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id"
                " WHERE m.rid > ? AND (? = '' OR s.tenant = ?) AND (? = '' OR s.user = ?)"
                " ORDER BY m.rid LIMIT ?",
                (after, tenant or "", tenant or "", user or "", user or "", _PAGE),
            ).fetchall()
        if not rows:
            return
        yield [(row[0], load(*row[1:])) for row in rows]
        after = rows[-1][0]


def count_all(database: Database, *, tenant: str | None, user: str | None) -> int:
    """Return how many records there are of a user, or of all."""
    with database.read() as connection:
        row = connection.execute(
            "SELECT count(*) FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id"
            " WHERE (? = '' OR s.tenant = ?) AND (? = '' OR s.user = ?)",
            (tenant or "", tenant or "", user or "", user or ""),
        ).fetchone()
    return int(row[0])
