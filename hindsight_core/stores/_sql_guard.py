"""The guard's own records, and what the tables say of scopes and lineages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from hindsight_core.errors import InvalidMemoryError
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Scope, Status
from hindsight_core.stores import _sql_audit
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_scopes import (
    from_micros,
    marks,
    micros,
    narrower_ids,
    scope_id,
)

__all__ = ["GuardPart", "forget_about"]


_KEPT: Final = (
    "SELECT g.id, s.tenant, s.user, s.agent, s.session, g.kind, g.at, g.about, g.body"
    " FROM scopes AS s CROSS JOIN guard_records AS g WHERE g.scope_id = s.id"
    " AND g.kind IN ({kinds}) AND (? IS NULL OR s.tenant = ?) AND (? IS NULL OR s.user = ?)"
    " ORDER BY g.seq DESC LIMIT ?"
)


class GuardPart:
    """The part of an SQL store that is a `GuardStore`."""

    _database: Database
    _key: Callable[[], bytes] | None = None

    @property
    def audit_key(self) -> bytes | None:
        """The key of the audit log, empty where there is none; None where nobody said."""
        return None if self._key is None else self._key()

    def key_audit(self, key: Callable[[], bytes]) -> None:
        self._key = key

    def vouch_audit(self, *, at: datetime, by: str) -> int:
        with self._database.write() as connection:
            return _sql_audit.vouch(connection, at, by, self.audit_key or b"")

    def backups(self) -> list[str]:
        return []

    def keep(self, records: Sequence[GuardRecord]) -> None:
        with self._database.write() as connection:
            _keep(connection, records)

    def kept(
        self, *kinds: str, tenant: str | None, user: str | None = None, limit: int = 1_000
    ) -> list[GuardRecord]:
        # One statement needs no transaction, and this one is asked at every write.
        values = (*kinds, tenant, tenant, user, user, max(0, limit))
        statement = _KEPT.format(kinds=marks(kinds))
        return [_record(row) for row in self._database.fetch(statement, values)]

    def drop(self, ids: Sequence[str], *, tenant: str) -> int:
        with self._database.write() as connection:
            return _drop(connection, ids, tenant=tenant)

    def scopes_holding(self, status: Status, *, tenant: str | None = None) -> list[Scope]:
        with self._database.read() as connection:
            return _scopes_holding(connection, status, tenant=tenant)

    def derived(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        with self._database.read() as connection:
            return _derived(connection, scope, ids)


def _keep(connection: Connection, records: Sequence[GuardRecord]) -> None:
    """Insert records, or replace them by id."""
    for record in records:
        scope = record.scope
        owner = connection.execute(
            "SELECT s.tenant, s.user FROM guard_records AS g JOIN scopes AS s ON s.id = g.scope_id"
            " WHERE g.id = ?",
            (record.id,),
        ).fetchone()
        if owner is not None and owner != (scope.tenant, scope.user):
            raise InvalidMemoryError("id", "belongs to a record of another user", "Give a new id")
        row = (scope_id(connection, scope), record.kind, micros(record.at), record.about)
        connection.execute(
            "INSERT INTO guard_records (id, scope_id, kind, at, about, body)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET scope_id ="
            " excluded.scope_id, kind = excluded.kind, at = excluded.at, about = excluded.about,"
            " body = excluded.body",
            (record.id, *row, record.body),
        )


def _record(row: Any) -> GuardRecord:
    return GuardRecord(
        id=row[0],
        scope=_scope(*row[1:5]),
        kind=row[5],
        at=from_micros(row[6]),
        about=row[7],
        body=row[8],
    )


def _drop(connection: Connection, ids: Sequence[str], *, tenant: str) -> int:
    """Delete records of a tenant by id."""
    return connection.execute(
        "DELETE FROM guard_records WHERE id IN (SELECT value FROM json_each(?))"
        " AND scope_id IN (SELECT id FROM scopes WHERE tenant = ?)",
        (json.dumps(list(ids)), tenant),
    ).rowcount


def forget_about(connection: Connection, scopes: Sequence[int], ids: Sequence[str]) -> int:
    """Delete the records that are about memories which are erased."""
    return connection.execute(
        "DELETE FROM guard_records WHERE about IN (SELECT value FROM json_each(?))"
        f" AND scope_id IN ({marks(scopes)})",
        (json.dumps(list(ids)), *scopes),
    ).rowcount


def _scopes_holding(connection: Connection, status: Status, *, tenant: str | None) -> list[Scope]:
    """Return the scopes that hold a memory of a status."""
    rows = connection.execute(
        'SELECT tenant, "user", agent, session FROM scopes WHERE (? IS NULL OR tenant = ?)'
        " AND id IN (SELECT scope_id FROM memories WHERE status = ?) ORDER BY id",
        (tenant, tenant, str(status)),
    )
    return [_scope(*row) for row in rows]


def _derived(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[str]:
    """Return the memories of the user whose lineage leads to one of these ids."""
    whole = narrower_ids(connection, Scope(tenant=scope.tenant, user=scope.user))
    found: dict[str, None] = {}
    wanted = list(dict.fromkeys(ids))
    while wanted:
        rows = connection.execute(
            f"SELECT id, body FROM memories WHERE scope_id IN ({marks(whole)})"
            " AND body NOT LIKE '%\"lineage\":[]%'",
            whole,
        ).fetchall()
        parents = set(wanted)
        wanted = [
            one
            for one, body in rows
            if one not in found and one not in ids and parents & {*json.loads(body)["lineage"]}
        ]
        found.update(dict.fromkeys(wanted))
    return list(found)


def _scope(tenant: str, user: str, agent: str, session: str) -> Scope:
    return Scope(tenant=tenant, user=user, agent=agent or None, session=session or None)
