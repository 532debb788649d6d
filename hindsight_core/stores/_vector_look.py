"""What the vector cache reads: whether anything changed, if so what, and what of it can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight_core.ports import Where
from hindsight_core.stores._sql import Database
from hindsight_core.stores._sql_scopes import VISIBLE, filter_sql

__all__ = ["ALL", "CHANGED", "LOOK_RECORDS", "LOOK_SCOPES", "parted_by_use", "passing_in_sql"]

_FIELDS: Final = "m.rid, m.scope_id, m.kind, m.status, m.superseded, m.time, m.task_type, m.id"
ALL: Final = f"""SELECT {_FIELDS}, v.vector FROM vectors AS v JOIN memories AS m ON m.rid = v.rid
    WHERE v.space = (SELECT space FROM state) AND v.rid > ? ORDER BY v.rid LIMIT ?"""
"""A part of all, after a record: a server sends its answer whole, and it is to be heard of."""
CHANGED: Final = f"""SELECT {_FIELDS}, CASE WHEN v.change > ? THEN v.vector END
    FROM (SELECT rid FROM vectors WHERE change > ?
          UNION SELECT rid FROM memories WHERE change > ?) AS changed
    CROSS JOIN memories AS m CROSS JOIN vectors AS v
    WHERE m.rid = changed.rid AND v.rid = changed.rid
    AND v.space = (SELECT space FROM state)"""

_MOST_SQUARED: Final = 1.1
"""Squared length above which a vector is none that was stored; NaN is not below it either."""
_LOOK: Final = """SELECT s.change, s.forgotten,
    coalesce((SELECT max(change) FROM vectors), 0), coalesce((SELECT max(change) FROM memories), 0),
    coalesce((SELECT max(change) FROM tombstones), 0)"""
"""One statement tells whether anything is to be read again; most writes are none of the cache's."""
LOOK_SCOPES: Final = f"{_LOOK}, c.id FROM state AS s LEFT JOIN scopes AS c ON {VISIBLE}"
LOOK_RECORDS: Final = f"""{_LOOK}, w.rid FROM state AS s LEFT JOIN
    (SELECT m.rid FROM json_each(?) AS w CROSS JOIN memories AS m WHERE m.id = w.value
    AND m.scope_id IN (SELECT id FROM scopes WHERE {VISIBLE})) AS w ON TRUE"""


def passing_in_sql(
    database: Database, visible: Sequence[int], where: Where
) -> NDArray[np.int64] | None:
    """Return the records that pass a filter whose columns are not in the cache, else None."""
    if not (where.entities or where.tool_sequence or where.subject):
        return None
    condition, values = filter_sql(visible, where)
    found = database.fetch(f"SELECT m.rid FROM memories AS m WHERE {condition}", values)
    return np.array([row[0] for row in found], np.int64)


def parted_by_use(rows: Sequence[Any], dimension: int) -> tuple[Sequence[Any], Sequence[Any]]:
    """Part rows into those whose vector, their last column, can be used, and the damaged ones.

    A row without a vector only tells that something else of the record changed.
    """
    size = 4 * dimension
    vectors = [row[-1] for row in rows if row[-1] is not None]
    if all(len(vector) == size for vector in vectors) and _are_sane(vectors, dimension):
        return rows, ()
    good: list[Any] = []
    broken: list[Any] = []
    for row in rows:
        usable = row[-1] is None or (len(row[-1]) == size and _are_sane(row[-1:], dimension))
        (good if usable else broken).append(row)
    return good, broken


def _are_sane(vectors: Sequence[bytes], dimension: int) -> bool:
    read = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((np.einsum("ij,ij->i", read, read) < _MOST_SQUARED).all())
