"""The ledger, one line for each run and memory that it was shown, and the leases of upkeep."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from hindsight_core.ports_ledger import MemoryUse, UseCount, Verdict
from hindsight_core.schema import Scope
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_scopes import from_micros, micros, scope_id

__all__ = ["LedgerPart", "write"]

_COLUMNS: Final = (
    "u.run_id, u.memory_id, u.verdict, u.good, u.withheld, u.repeats, u.events, u.at,"
    ' s.tenant, s."user", s.agent, s.session'
)

_WRITE: Final = """INSERT INTO uses (tenant, "user", run_id, memory_id, scope_id, verdict, good,
    withheld, repeats, events, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, "user", run_id, memory_id) DO UPDATE SET scope_id = excluded.scope_id,
    verdict = excluded.verdict, good = excluded.good, withheld = excluded.withheld,
    repeats = excluded.repeats, events = excluded.events, at = excluded.at"""

_LEASE: Final = """INSERT INTO leases (name, owner, until, done_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until"""


def write(connection: Connection, lines: Iterable[MemoryUse]) -> None:
    """Write lines, each in the place of an earlier one of the same run and memory."""
    connection.executemany(
        _WRITE,
        [
            (
                use.scope.tenant,
                use.scope.user,
                use.run_id,
                use.memory_id,
                scope_id(connection, use.scope),
                use.verdict.value,
                use.good,
                use.withheld,
                use.repeats,
                use.events,
                micros(use.at),
            )
            for use in lines
        ],
    )


class LedgerPart:
    """The part of `SqliteStore` that is a `LedgerStore` and a `LeaseStore`."""

    _database: Database

    def uses(self, scope: Scope, *, run_id: str = "", memory_id: str = "") -> list[MemoryUse]:
        rows = self._database.fetch(
            f"SELECT {_COLUMNS} FROM uses AS u JOIN scopes AS s ON s.id = u.scope_id"
            " WHERE u.tenant = ? AND u.\"user\" = ? AND (? = '' OR u.run_id = ?)"
            " AND (? = '' OR u.memory_id = ?) ORDER BY u.at, u.run_id, u.memory_id",
            (scope.tenant, scope.user, run_id, run_id, memory_id, memory_id),
        )
        return [_line(row) for row in rows]

    def count_uses(self, scope: Scope | None = None) -> list[UseCount]:
        condition, values = "TRUE", ()
        if scope is not None:
            condition, values = 'tenant = ? AND "user" = ?', (scope.tenant, scope.user)
        rows = self._database.fetch(
            "SELECT memory_id, verdict, good, withheld, count(*) FROM uses"
            f" WHERE {condition} GROUP BY 1, 2, 3, 4",
            values,
        )
        return [
            UseCount(
                memory_id=memory,
                verdict=Verdict(verdict),
                good=None if good is None else bool(good),
                withheld=bool(withheld),
                runs=runs,
            )
            for memory, verdict, good, withheld, runs in rows
        ]

    def lease(
        self, name: str, owner: str, *, now: datetime, until: datetime, since: datetime
    ) -> bool:
        with self._database.write() as connection:
            row = connection.execute(
                "SELECT owner, until, done_at FROM leases WHERE name = ?", (name,)
            ).fetchone()
            if row is not None:
                held = row[0] != owner and row[1] > micros(now)
                if held or row[2] > micros(since):
                    return False
            connection.execute(_LEASE, (name, owner, micros(until), 0 if row is None else row[2]))
        return True

    def release(self, name: str, owner: str, *, done_at: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE leases SET until = 0, done_at = ? WHERE name = ? AND owner = ?",
                (micros(done_at), name, owner),
            )


def _line(row: Any) -> MemoryUse:
    run, memory, verdict, good, withheld, repeats, events, at, tenant, user, agent, session = row
    return MemoryUse(
        scope=Scope(tenant=tenant, user=user, agent=agent or None, session=session or None),
        run_id=run,
        memory_id=memory,
        verdict=Verdict(verdict),
        good=None if good is None else bool(good),
        withheld=bool(withheld),
        repeats=repeats,
        events=events,
        at=from_micros(at),
    )
