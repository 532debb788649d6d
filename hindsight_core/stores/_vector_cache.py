"""Exact vector search over a matrix in memory that follows the store's change counter.

The matrix is a cache: SQLite holds the truth, and before each search the rows that changed since
the last one are read again, whichever process wrote them. This module needs numpy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import product
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight_core.ports import Hit, IndexInfo, Where
from hindsight_core.schema import Kind, Scope, Status
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_scopes import micros, names
from hindsight_core.stores._sql_vectors import check_claim, index_info
from hindsight_core.stores._vector_look import (
    ALL,
    CHANGED,
    LOOK_RECORDS,
    LOOK_SCOPES,
    parted_by_use,
    passing_in_sql,
)
from hindsight_core.stores._vector_matrix import Matrix, Rows, VectorMatrix, best, longer

__all__ = ["VectorCache"]

_BATCH: Final = 2_048
_NOBODY: Final = -1
_BEFORE_ALL: Final = -1
_CODES: Final = {
    combination: code
    for code, combination in enumerate(product(map(str, Kind), map(str, Status), (0, 1)))
}
"""Kind, status and whether superseded, as one number: one look-up filters by all three."""


class VectorCache:
    """The vectors of one store, and of each row the columns that a filter asks for.

    A row keeps its place as long as it lives; the place of a deleted one is used again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pid = os.getpid()
        self._clear(None)

    def damaged(self) -> list[str]:
        """Ids of records whose vector cannot be used: words find them."""
        return list(self._damaged.copy())  # a search may go on meanwhile

    def forget_damage(self, ids: Iterable[str]) -> None:
        """Take it that these records have new vectors."""
        for memory_id in ids if self._damaged else ():
            self._damaged.pop(memory_id, None)

    def nearest(
        self,
        database: Database,
        scope: Scope,
        where: Where,
        vector: Matrix,
        limit: int,
        claimed: IndexInfo | None,
    ) -> list[Hit]:
        """Return the memories most alike to a unit vector.

        Raises `EmbedderMismatchError` when the index is not of the embedder `claimed`.
        """
        looked = database.fetch(LOOK_SCOPES, names(scope))
        visible = [row[-1] for row in looked if row[-1] is not None]
        passing = passing_in_sql(database, visible, where)
        with self._current(database, looked[0], claimed):
            if vector.shape != (self._matrix.dimension,) or not visible or limit < 1:
                return []
            rows = self._passing(visible, where, passing)
            scores = self._matrix.scores(rows, vector)
            return [
                Hit(id=self._ids[int(rows[i])], score=float(scores[i])) for i in best(scores, limit)
            ]

    def cosines(
        self,
        database: Database,
        scope: Scope,
        ids: Sequence[str],
        vector: Matrix,
        claimed: IndexInfo | None,
    ) -> dict[str, float]:
        """Return the cosine with each of these records that the scope sees and that is encoded."""
        looked = database.fetch(LOOK_RECORDS, (json.dumps(list(ids)), *names(scope)))
        wanted = [row[-1] for row in looked if row[-1] is not None]
        with self._current(database, looked[0], claimed):
            if vector.shape != (self._matrix.dimension,):
                return {}
            places = sorted({self._place[rid] for rid in wanted if rid in self._place})
            scores = self._matrix.scores(np.array(places, np.int64), vector)
            return {
                self._ids[place]: float(score) for place, score in zip(places, scores, strict=True)
            }

    @contextmanager
    def _current(
        self, database: Database, looked: Sequence[Any], claimed: IndexInfo | None
    ) -> Generator[None]:
        """Hold the cache as it was when the store was `looked` at, or newer."""
        if self._pid != os.getpid():  # a lock that was held at the fork would never open again
            self._lock, self._pid = Lock(), os.getpid()
            self._clear(None)
        with self._lock:
            change, *changed = looked[:5]
            if self._seen < 0 or max(changed) > self._seen:
                with database.read() as connection:
                    self._refresh(connection)
            self._seen = max(self._seen, change)
            check_claim(self._info, claimed)
            yield

    def _clear(self, info: IndexInfo | None) -> None:
        self._seen = -1
        self._used = 0
        self._info = info
        self._matrix = VectorMatrix(0 if info is None else info.dimension)
        self._place: dict[int, int] = {}
        self._damaged: dict[str, None] = {}
        self._free: list[int] = []
        self._of_scope: dict[int, Rows] = {}
        self._tasks: dict[str | None, int] = {None: 0}
        self._rids = np.zeros(0, np.int64)
        self._ids: list[str] = []
        self._scopes = np.zeros(0, np.int32)
        self._codes = np.zeros(0, np.uint8)
        self._times = np.zeros(0, np.int64)
        self._task_types = np.zeros(0, np.int32)

    def _refresh(self, connection: Connection) -> None:
        change, forgotten = connection.execute("SELECT change, forgotten FROM state").fetchone()
        info = index_info(connection)
        if info != self._info or self._seen < forgotten:
            self._clear(info)
        if self._seen < 0:
            last = _BEFORE_ALL
            while batch := connection.execute(ALL, (last, _BATCH)).fetchall():
                self._take(batch)
                last = batch[-1][0]
        else:
            gone = "SELECT rid FROM tombstones WHERE change > ?"
            for (rid,) in connection.execute(gone, (self._seen,)):
                self._drop(rid)
            cursor = connection.execute(CHANGED, (self._seen,) * 3)
            while batch := cursor.fetchmany(_BATCH):
                self._take(batch)
        self._seen = change

    def _drop(self, rid: int) -> None:
        place = self._place.pop(rid, None)
        if place is not None:
            self._of_scope.pop(int(self._scopes[place]), None)
            self._scopes[place] = _NOBODY
            self._free.append(place)

    def _take(self, read: Sequence[Any]) -> None:
        batch, broken = parted_by_use(read, self._matrix.dimension)
        new = [row for row in batch if row[-1] is not None]
        self.forget_damage(row[-2] for row in new)
        for row in broken:
            self._drop(row[0])
            self._damaged[row[-2]] = None
        known = [row for row in batch if row[-1] is not None or row[0] in self._place]
        if not known:
            return
        places = np.array([self._place_of(row[0]) for row in known], np.int64)
        scopes = np.array([row[1] for row in known], np.int32)
        for scope in {*scopes.tolist(), *self._scopes[places].tolist()}:
            self._of_scope.pop(scope, None)
        self._rids[places] = [row[0] for row in known]
        for place, row in zip(places.tolist(), known, strict=True):
            self._ids[place] = row[-2]
        self._scopes[places] = scopes
        self._codes[places] = [_CODES[row[2:5]] for row in known]
        self._times[places] = [row[5] for row in known]
        self._task_types[places] = [
            self._tasks.setdefault(row[6], len(self._tasks)) for row in known
        ]
        if new:
            vectors = np.frombuffer(b"".join(row[-1] for row in new), "<f4")
            rows = np.array([self._place[row[0]] for row in new], np.int64)
            self._matrix.write(rows, vectors.reshape(len(new), self._matrix.dimension))

    def _place_of(self, rid: int) -> int:
        place = self._place.get(rid)
        if place is None:
            if self._free:
                place = self._free.pop()
            else:
                place = self._used
                self._used += 1
                if place == self._matrix.capacity:
                    self._grow()
            self._place[rid] = place
        return place

    def _grow(self) -> None:
        self._matrix.grow()
        size = self._matrix.capacity
        self._rids = longer(self._rids, size)
        self._ids += [""] * (size - len(self._ids))
        self._scopes = longer(self._scopes, size)
        self._codes = longer(self._codes, size)
        self._times = longer(self._times, size)
        self._task_types = longer(self._task_types, size)

    def _passing(
        self, visible: Sequence[int], where: Where, passing: NDArray[np.int64] | None
    ) -> Rows:
        """Return the rows, ascending, of what these scopes hold and the filter lets through."""
        lists = [self._rows_of(scope) for scope in visible]
        rows = lists[0] if len(lists) == 1 else np.sort(np.concatenate(lists))
        keep = _allowed(where)[self._codes[rows]]
        if where.task_type is not None:
            keep &= self._task_types[rows] == self._tasks.get(where.task_type, -1)
        if where.since is not None:
            keep &= self._times[rows] >= micros(where.since)
        if where.until is not None:
            keep &= self._times[rows] <= micros(where.until)
        if passing is not None:
            keep &= np.isin(self._rids[rows], passing)
        return rows if keep.all() else rows[keep]

    def _rows_of(self, scope: int) -> Rows:
        rows = self._of_scope.get(scope)
        if rows is None:
            rows = np.flatnonzero(self._scopes[: self._used] == scope)
            self._of_scope[scope] = rows
        return rows


def _allowed(where: Where) -> NDArray[np.bool_]:
    """Return, for each code of kind, status and superseded, whether the filter lets it through."""
    kinds = {str(kind) for kind in where.kinds or Kind}
    statuses = {str(status) for status in where.statuses or Status}
    return np.array(
        [
            kind in kinds and status in statuses and (where.include_superseded or not superseded)
            for kind, status, superseded in _CODES
        ]
    )
