"""A search through an index of points: what it proposes, and what the store makes of it.

What changed since the index was last told is compared from the store itself, so a search finds what
was written the moment before, whichever process wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hindsight_core.ports import Hit, IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores._points_feed import Feed
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_scopes import filter_sql, marks, visible_ids
from hindsight_core.stores._sql_vectors import check_claim, index_info
from hindsight_core.stores._vector_matrix import Matrix

__all__ = ["Place", "PointSearch"]

_COMPARED: Final = 2_000
"""Untold changes of what a search sees that it compares itself, the newest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a search looks: the space in use, the visible scopes, and what the index was told."""

    space: int
    dimension: int
    scopes: Sequence[int]
    told: int


class PointSearch:
    """The store's part of a search."""

    def __init__(self, database: Database, feed: Feed) -> None:
        self._database = database
        self._feed = feed

    def place(self, scope: Scope, claimed: IndexInfo | None) -> Place | None:
        """Return where to look, None while the store has no embedder.

        Raises `EmbedderMismatchError` when the vectors are not of the embedder `claimed`.
        """
        with self._database.read() as connection:
            info = index_info(connection)
            check_claim(info, claimed)
            if info is None:
                return None
            (space,) = connection.execute("SELECT space FROM state").fetchone()
            return Place(
                space=space,
                dimension=info.dimension,
                scopes=visible_ids(connection, scope),
                told=self._feed.told(connection, space),
            )

    def passing(self, place: Place, where: Where) -> list[int] | None:
        """Return the records that pass, if the filter asks for what no index knows, else None."""
        if not (where.entities or where.tool_sequence or where.subject) and where.task_type is None:
            return None
        condition, values = filter_sql(place.scopes, where)
        rows = self._database.fetch(f"SELECT m.rid FROM memories AS m WHERE {condition}", values)
        return [int(row[0]) for row in rows]

    def judge(
        self, place: Place, where: Where, vector: Matrix, proposed: Sequence[int], limit: int
    ) -> tuple[list[Hit], int]:
        """Return the best that pass the filter, compared exactly, and how many were untold.

        Looked at are those proposed and those of which the index was not told.
        """
        with self._database.read() as connection:
            changed = _untold(connection, place)
            condition, values = filter_sql(place.scopes, where)
            rows = connection.execute(
                "SELECT m.id, v.vector FROM json_each(?) AS w CROSS JOIN memories AS m"
                " CROSS JOIN vectors AS v WHERE m.rid = CAST(w.value AS BIGINT)"
                f" AND v.rid = m.rid AND v.space = ? AND {condition}",
                (json.dumps([*{*proposed, *changed}]), place.space, *values),
            ).fetchall()
        scores = _products(rows, vector)
        best = np.argsort(-scores, kind="stable")[:limit].tolist()
        return [Hit(id=rows[row][0], score=float(scores[row])) for row in best], len(changed)

    def cosines(self, place: Place, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        """Return the cosine with each of these that is visible and encoded."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT m.id, v.vector FROM json_each(?) AS w CROSS JOIN memories AS m"
                " CROSS JOIN vectors AS v WHERE m.id = w.value AND v.rid = m.rid AND v.space = ?"
                f" AND m.scope_id IN ({marks(place.scopes)})",
                (json.dumps(list(dict.fromkeys(ids))), place.space, *place.scopes),
            ).fetchall()
        scores = _products(rows, vector).tolist()
        return {row[0]: score for row, score in zip(rows, scores, strict=True)}

    def encoded(self, ids: Sequence[str]) -> int:
        """Return how many of these records have a vector of the space in use."""
        rows = self._database.fetch(
            "SELECT count(*) FROM json_each(?) AS w CROSS JOIN memories AS m"
            " CROSS JOIN vectors AS v WHERE m.id = w.value AND v.rid = m.rid"
            " AND v.space = (SELECT space FROM state)",
            (json.dumps(list(dict.fromkeys(ids))),),
        )
        return int(rows[0][0])


def _untold(connection: Connection, place: Place) -> list[int]:
    rows = connection.execute(
        "SELECT m.rid FROM (SELECT rid FROM vectors WHERE change > ?"
        " UNION SELECT rid FROM memories WHERE change > ?) AS changed"
        " CROSS JOIN memories AS m WHERE m.rid = changed.rid"
        f" AND m.scope_id IN ({marks(place.scopes)}) ORDER BY m.rid DESC LIMIT ?",
        (place.told, place.told, *place.scopes, _COMPARED),
    ).fetchall()
    return [int(row[0]) for row in rows]


def _products(rows: Sequence[Any], vector: Matrix) -> Matrix:
    if not rows:
        return np.zeros(0, np.float32)
    held = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1)
    return held @ vector
