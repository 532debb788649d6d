"""What an index of points has still to be told, read from the change numbers of its store.

How far an index was told is one number in the store, and everything after it is told in the order
of the changes. A deletion is told by its tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores.points import Point

__all__ = ["Feed", "Page"]

_PAGE: Final = 512
"""Changes that are told at once; those of one transaction are never parted."""
_COUNTED: Final = 100_000
_CHANGED: Final = """SELECT change, rid FROM vectors WHERE change > ? AND space = ?
    UNION ALL SELECT m.change, m.rid FROM memories AS m JOIN vectors AS v
    ON v.rid = m.rid AND v.space = ? WHERE m.change > ?
    UNION ALL SELECT change, rid FROM tombstones WHERE change > ?"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some changes in the order of their numbers; `upto` is told once these are.

    `anew` says that the index knows too little to go on and is filled from the beginning.
    """

    space: int
    dimension: int
    upto: int
    anew: bool
    points: Sequence[Point]
    gone: Sequence[int]


class Feed:
    """What one index (`name`) of a store was told, and what not yet."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    def page(self, space: int | None = None) -> Page | None:
        """Return the next changes of the space in use, or of another; None where all is told."""
        with self._database.read() as connection:
            space = _space(connection) if space is None else space
            found = connection.execute(
                "SELECT dimension FROM embedder WHERE space = ?", (space,)
            ).fetchone()
            change, forgotten = connection.execute("SELECT change, forgotten FROM state").fetchone()
            if found is None:
                return None
            row = self._row(connection, space)
            anew = row is None or max(row) < forgotten
            told = 0 if row is None or anew else row[0]
            since = (told, space, space, told, told)
            numbers = connection.execute(
                f"SELECT change FROM ({_CHANGED}) AS changed ORDER BY change LIMIT ?",
                (*since, _PAGE),
            ).fetchall()
            if not numbers:
                return None
            upto = int(numbers[-1][0]) if len(numbers) == _PAGE else int(change)
            rids = connection.execute(
                f"SELECT DISTINCT rid FROM ({_CHANGED}) AS changed WHERE change <= ?",
                (*since, upto),
            ).fetchall()
            points = _points(connection, space, [int(row[0]) for row in rids])
        gone = {int(row[0]) for row in rids} - {point.rid for point in points}
        return Page(
            space=space,
            dimension=int(found[0]),
            upto=upto,
            anew=anew,
            points=points,
            gone=sorted(gone),
        )

    def advance(self, space: int, upto: int) -> None:
        """Note that the index was told everything up to a change."""
        self._write(space, "change = ?", upto)

    def begin(self, space: int) -> None:
        """Note that an empty index is filled from now on: deletions before this are none of it."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO deliveries (name, space, change, began)"
                " SELECT ?, ?, 0, change FROM state WHERE true"
                " ON CONFLICT (name, space) DO UPDATE SET change = 0, began = excluded.began",
                (self._name, space),
            )

    def vouch(self, space: int) -> None:
        """Note that the last switch to another embedder took no deletion from the index."""
        self._write(space, "began = max(began, (SELECT forgotten FROM state))")

    def forget(self, space: int) -> None:
        """Note that an index is gone, so that it is filled anew."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM deliveries WHERE name = ? AND space = ?", (self._name, space)
            )

    def behind(self) -> tuple[int, int]:
        """Return how many changes are untold, and how many of them are vectors that are gone."""
        with self._database.read() as connection:
            space = _space(connection)
            told = self.told(connection, space)
            counts: list[int] = []
            for source, values in (
                (_CHANGED, (told, space, space, told, told)),
                ("SELECT rid FROM tombstones WHERE change > ?", (told,)),
            ):
                (number,) = connection.execute(
                    f"SELECT count(*) FROM (SELECT DISTINCT rid FROM ({source}) AS one LIMIT ?)"
                    " AS counted",
                    (*values, _COUNTED),
                ).fetchone()
                counts.append(int(number))
        return counts[0], counts[1]

    def spaces(self) -> tuple[int, list[int], int]:
        """Return the space in use, the spaces with an embedder, and the vectors of the first."""
        with self._database.read() as connection:
            space = _space(connection)
            rows = connection.execute("SELECT space FROM embedder ORDER BY space").fetchall()
            (held,) = connection.execute(
                "SELECT count(*) FROM vectors WHERE space = ?", (space,)
            ).fetchone()
        return space, [int(row[0]) for row in rows], int(held)

    def _write(self, space: int, change: str, *values: int) -> None:
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE deliveries SET {change} WHERE name = ? AND space = ?",
                (*values, self._name, space),
            )

    def _row(self, connection: Connection, space: int) -> tuple[int, int] | None:
        row = connection.execute(
            "SELECT change, began FROM deliveries WHERE name = ? AND space = ?",
            (self._name, space),
        ).fetchone()
        return None if row is None else (int(row[0]), int(row[1]))

    def told(self, connection: Connection, space: int) -> int:
        """Return the change up to which the index was told."""
        row = self._row(connection, space)
        return 0 if row is None else row[0]


def _space(connection: Connection) -> int:
    return int(connection.execute("SELECT space FROM state").fetchone()[0])


def _points(connection: Connection, space: int, rids: Sequence[int]) -> list[Point]:
    rows = connection.execute(
        "SELECT m.rid, v.vector, m.scope_id, m.kind, m.status, m.superseded, m.time, m.body"
        " FROM json_each(?) AS w CROSS JOIN memories AS m CROSS JOIN vectors AS v"
        " WHERE m.rid = CAST(w.value AS BIGINT) AND v.rid = m.rid AND v.space = ?",
        (json.dumps(rids), space),
    ).fetchall()
    return [
        Point(
            rid=row[0],
            vector=np.frombuffer(row[1], "<f4"),
            scope=row[2],
            kind=row[3],
            status=row[4],
            superseded=bool(row[5]),
            time=row[6],
            trust=float(json.loads(row[7])["trust"]),
        )
        for row in rows
    ]
