"""Which runs were reflected on, and what chat models were paid for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hindsight_core.errors import StaleError
from hindsight_core.events import Event, RunStarted
from hindsight_core.port_types import PutResult, RunInfo
from hindsight_core.ports_reflection import Spent
from hindsight_core.schema import Memory, Scope
from hindsight_core.stores import _sql_events, _sql_records
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_scopes import marks, micros

__all__ = ["TABLES", "ReflectionPart"]

TABLES = (
    # A run that is deleted takes its mark along.
    """CREATE TABLE reflections (
        run_id TEXT PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE,
        at BIGINT NOT NULL)""",
    "CREATE TABLE spending (at BIGINT NOT NULL, tokens BIGINT NOT NULL)",
    "CREATE INDEX spending_at ON spending (at)",
)
"""The tables, in SQL that both databases read."""
_MOST: Final = 5_000
"""Runs of one session that are read."""


class ReflectionPart:
    """The part of a store over SQL that is a `ReflectionStore`."""

    _database: Database

    def unreflected(self, limit: int) -> list[RunInfo]:
        with self._database.read() as connection:
            return _sql_events.runs(connection, which=_sql_events.UNREFLECTED, limit=limit)

    def reflect(
        self, run_ids: Sequence[str], memories: Sequence[Memory], *, at: datetime
    ) -> list[PutResult]:
        with self._database.write() as connection:
            known = connection.execute(
                f"SELECT count(*) FROM reflections WHERE run_id IN ({marks(run_ids)})",
                tuple(run_ids),
            ).fetchone()
            if known[0]:
                raise StaleError("a run of this batch was reflected on by another process")
            for run_id in run_ids:  # one that was pruned or erased meanwhile leaves no mark
                connection.execute(
                    "INSERT INTO reflections (run_id, at) SELECT run_id, ? FROM runs"
                    " WHERE run_id = ?",
                    (micros(at), run_id),
                )
            _sql_records.check_present(connection, [m.id for m in memories if m.revision])
            return _sql_records.put(connection, memories)

    def session_runs(self, scope: Scope, session: str) -> list[RunInfo]:
        within = scope.model_copy(update={"session": session})
        said = json.dumps(session, ensure_ascii=False).replace("\\", "\\\\")
        like = said.replace("%", r"\%").replace("_", r"\_")
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT e.run_id FROM events AS e JOIN scopes AS s ON s.id = e.scope_id"
                " WHERE s.tenant = ? AND s.user = ? AND e.run_id IS NOT NULL"
                " AND (s.session = ? OR e.body LIKE ? ESCAPE ?) ORDER BY e.run_id",
                (scope.tenant, scope.user, session, f'%"session":{like}%', "\\"),
            ).fetchall()
            found = tuple(run_id for (run_id,) in rows)[-_MOST:]
            which = f"r.run_id IN ({marks(found)})" if found else "FALSE"
            return [
                run
                for run in _sql_events.runs(connection, which=which, limit=_MOST, given=found)
                if within.sees(run.scope)
                and _is_of(_sql_events.events(connection, run.run_id), session)
            ]

    def spend(self, *, at: datetime, since: datetime, tokens: int, most: Spent) -> bool:
        with self._database.write() as connection:
            before = _spent(connection, since)
            if before.calls + 1 > most.calls or before.tokens + tokens > most.tokens:
                return False
            connection.execute("DELETE FROM spending WHERE at < ?", (micros(since),))
            connection.execute("INSERT INTO spending VALUES (?, ?)", (micros(at), tokens))
        return True

    def spent(self, since: datetime) -> Spent:
        with self._database.read() as connection:
            return _spent(connection, since)


def _is_of(events: Sequence[Event], session: str) -> bool:
    return any(
        session in (event.scope.session, event.session if isinstance(event, RunStarted) else None)
        for event in events
    )


def _spent(connection: Connection, since: datetime) -> Spent:
    calls, tokens = connection.execute(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM spending WHERE at >= ?", (micros(since),)
    ).fetchone()
    return Spent(calls=int(calls), tokens=int(tokens))
