"""Exact vector search over a matrix in memory that follows the store's change counter.

The matrix is a cache: SQLite holds the truth, and before each search the rows that changed since
the last one are read again, whichever process wrote them. This module needs numpy.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight_core.ports import Hit, Where
from hindsight_core.schema import Kind, Scope, Status
from hindsight_core.stores._sqlite_scopes import filter_sql, marks, micros, visible_ids

__all__ = ["VectorCache"]

_CHUNK: Final = 8_192
"""Rows of one block of the matrix: it grows by blocks, so nothing is ever copied."""
_DENSE: Final = 0.25
"""From this share of a block on, multiplying the whole block costs less than gathering rows."""
_BATCH: Final = 2_048
_KINDS: Final = {str(kind): code for code, kind in enumerate(Kind)}
_STATUSES: Final = {str(status): code for code, status in enumerate(Status)}
_NOBODY: Final = -1
_CHANGED: Final = """SELECT m.rid, m.scope_id, m.kind, m.status, m.superseded, m.time, m.task_type,
    CASE WHEN v.change > ?1 THEN v.vector END
    FROM (SELECT rid FROM vectors WHERE change > ?1
          UNION SELECT rid FROM memories WHERE change > ?1) AS changed
    JOIN memories AS m ON m.rid = changed.rid JOIN vectors AS v ON v.rid = changed.rid"""

Rows = NDArray[np.int64]
Matrix = NDArray[np.float32]


class VectorCache:
    """The vectors of one store, and of each row the columns that a filter asks for.

    Rows are kept in the order of arrival; a deleted one is marked and its place used again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pid = os.getpid()
        self._clear(0)

    def nearest(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        where: Where,
        vector: Matrix,
        limit: int,
    ) -> list[Hit]:
        """Return the memories most alike to a unit vector; `connection` is inside a snapshot."""
        visible = visible_ids(connection, scope)
        with self._current(connection):
            if vector.shape != (self._dimension,) or not visible or limit < 1:
                return []
            rows = self._passing(connection, visible, where)
            scores = self._scores(rows, vector)
            best = _best(scores, limit)
            found = [(int(self._rids[rows[i]]), float(scores[i])) for i in best]
        ids = dict(
            connection.execute(
                "SELECT m.rid, m.id FROM json_each(?) AS w JOIN memories AS m ON m.rid = w.value",
                (json.dumps([rid for rid, _ in found]),),
            ).fetchall()
        )
        return [Hit(id=ids[rid], score=score) for rid, score in found if rid in ids]

    def cosines(
        self, connection: sqlite3.Connection, scope: Scope, ids: Sequence[str], vector: Matrix
    ) -> dict[str, float]:
        """Return the cosine with each of these records that the scope sees and that is encoded."""
        visible = visible_ids(connection, scope)
        rows = connection.execute(
            "SELECT m.rid, m.id FROM json_each(?) AS w JOIN memories AS m ON m.id = w.value"
            f" WHERE m.scope_id IN ({marks(visible)})",
            (json.dumps(list(ids)), *visible),
        ).fetchall()
        with self._current(connection):
            if vector.shape != (self._dimension,):
                return {}
            placed = sorted((self._place[rid], one) for rid, one in rows if rid in self._place)
            scores = self._scores(np.array([place for place, _ in placed], np.int64), vector)
        return {one: float(score) for (_, one), score in zip(placed, scores, strict=True)}

    @contextmanager
    def _current(self, connection: sqlite3.Connection) -> Generator[None]:
        """Hold the cache as it is on the connection's snapshot."""
        if self._pid != os.getpid():  # a lock that was held at the fork would never open again
            self._lock, self._pid = Lock(), os.getpid()
            self._clear(0)
        with self._lock:
            self._refresh(connection)
            yield

    def _clear(self, dimension: int) -> None:
        self._dimension = dimension
        self._seen = -1
        self._used = 0
        self._blocks: list[Matrix] = []
        self._place: dict[int, int] = {}
        self._free: list[int] = []
        self._of_scope: dict[int, Rows] = {}
        self._tasks: dict[str, int] = {}
        self._columns(0)

    def _columns(self, size: int) -> None:
        def grown(name: str, dtype: Any) -> NDArray[Any]:
            old: NDArray[Any] | None = getattr(self, name, None) if size else None
            new = np.zeros(size, dtype)
            if old is not None:
                new[: len(old)] = old
            return new

        self._rids = grown("_rids", np.int64)
        self._scopes = grown("_scopes", np.int32)
        self._kinds = grown("_kinds", np.uint8)
        self._states = grown("_states", np.uint8)
        self._superseded = grown("_superseded", np.bool_)
        self._times = grown("_times", np.int64)
        self._task_types = grown("_task_types", np.int32)

    def _refresh(self, connection: sqlite3.Connection) -> None:
        change, forgotten = connection.execute("SELECT change, forgotten FROM state").fetchone()
        if change == self._seen:
            return
        row = connection.execute("SELECT dimension FROM embedder").fetchone()
        dimension = 0 if row is None else row[0]
        if dimension != self._dimension or self._seen < forgotten:
            self._clear(dimension)
        for (rid,) in connection.execute(
            "SELECT rid FROM tombstones WHERE change > ?", (self._seen,)
        ):
            self._drop(rid)
        cursor = connection.execute(_CHANGED, (self._seen,))
        while batch := cursor.fetchmany(_BATCH):
            self._take(batch)
        self._seen = change

    def _drop(self, rid: int) -> None:
        place = self._place.pop(rid, None)
        if place is not None:
            self._of_scope.pop(int(self._scopes[place]), None)
            self._scopes[place] = _NOBODY
            self._free.append(place)

    def _take(self, batch: Sequence[Any]) -> None:
        for rid, scope, kind, status, superseded, time, task, blob in batch:
            place = self._place.get(rid)
            if place is None:
                if blob is None:
                    continue
                place = self._place[rid] = self._new_place()
                self._rids[place] = rid
            elif self._scopes[place] != scope:
                self._of_scope.pop(int(self._scopes[place]), None)
            self._of_scope.pop(scope, None)
            self._scopes[place] = scope
            self._kinds[place] = _KINDS[kind]
            self._states[place] = _STATUSES[status]
            self._superseded[place] = superseded
            self._times[place] = time
            self._task_types[place] = self._task(task)
            if blob is not None:
                block, row = divmod(place, _CHUNK)
                self._blocks[block][row] = np.frombuffer(blob, "<f4")

    def _new_place(self) -> int:
        if self._free:
            return self._free.pop()
        if self._used == len(self._blocks) * _CHUNK:
            self._blocks.append(np.zeros((_CHUNK, self._dimension), np.float32))
            self._columns(len(self._blocks) * _CHUNK)
        self._used += 1
        return self._used - 1

    def _task(self, task_type: str | None) -> int:
        return 0 if task_type is None else self._tasks.setdefault(task_type, len(self._tasks) + 1)

    def _passing(
        self, connection: sqlite3.Connection, visible: Sequence[int], where: Where
    ) -> Rows:
        lists = [self._rows_of(scope) for scope in visible]
        rows = lists[0] if len(lists) == 1 else np.sort(np.concatenate(lists))
        keep = np.ones(len(rows), np.bool_)
        if where.kinds:
            keep &= _member(where.kinds, _KINDS)[self._kinds[rows]]
        if where.statuses:
            keep &= _member(where.statuses, _STATUSES)[self._states[rows]]
        if not where.include_superseded:
            keep &= ~self._superseded[rows]
        if where.task_type is not None:
            keep &= self._task_types[rows] == self._tasks.get(where.task_type, -1)
        keep &= self._in_time(rows, where.since, where.until)
        if where.entities or where.tool_sequence or where.subject:
            keep &= self._in_sql(connection, rows, visible, where)
        return rows if keep.all() else rows[keep]

    def _rows_of(self, scope: int) -> Rows:
        rows = self._of_scope.get(scope)
        if rows is None:
            rows = np.flatnonzero(self._scopes[: self._used] == scope)
            self._of_scope[scope] = rows
        return rows

    def _in_time(
        self, rows: Rows, since: datetime | None, until: datetime | None
    ) -> NDArray[np.bool_] | bool:
        inside: NDArray[np.bool_] | bool = True
        if since is not None:
            inside = self._times[rows] >= micros(since)
        if until is not None:
            inside = inside & (self._times[rows] <= micros(until))
        return inside

    def _in_sql(
        self, connection: sqlite3.Connection, rows: Rows, visible: Sequence[int], where: Where
    ) -> NDArray[np.bool_]:
        condition, values = filter_sql(visible, where)
        found = connection.execute(
            f"SELECT m.rid FROM memories AS m WHERE {condition}", values
        ).fetchall()
        wanted = np.array([row[0] for row in found], np.int64)
        return np.isin(self._rids[rows], wanted)

    def _scores(self, rows: Rows, vector: Matrix) -> Matrix:
        scores = np.empty(len(rows), np.float32)
        edges = np.searchsorted(rows, np.arange(len(self._blocks) + 1) * _CHUNK)
        for number, block in enumerate(self._blocks):
            start, end = int(edges[number]), int(edges[number + 1])
            if start == end:
                continue
            inside = rows[start:end] - number * _CHUNK
            if len(inside) < _DENSE * _CHUNK:
                scores[start:end] = block[inside] @ vector
            elif len(inside) == _CHUNK:
                scores[start:end] = block @ vector
            else:
                scores[start:end] = (block @ vector)[inside]
        return scores


def _member(wanted: Sequence[str], codes: dict[str, int]) -> NDArray[np.bool_]:
    table = np.zeros(len(codes), np.bool_)
    table[[codes[str(one)] for one in wanted]] = True
    return table


def _best(scores: Matrix, limit: int) -> Rows:
    if len(scores) > limit:
        best = np.argpartition(scores, len(scores) - limit)[-limit:]
    else:
        best = np.arange(len(scores))
    return best[np.argsort(-scores[best], kind="stable")]
