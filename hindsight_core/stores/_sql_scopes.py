"""Scopes and hard filters as SQL: every read of the store is bound to one by these."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hindsight_core.ports import Where
from hindsight_core.schema import Scope
from hindsight_core.stores._sql import Connection
from hindsight_core.text import fold

__all__ = [
    "KINDS",
    "VISIBLE",
    "filter_sql",
    "from_micros",
    "marks",
    "micros",
    "names",
    "narrower_ids",
    "scope_id",
    "visible_ids",
]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
VISIBLE: Final = "tenant = ? AND \"user\" = ? AND agent IN ('', ?) AND session IN ('', ?)"
"""The condition on `scopes` for those that a scope sees, see `names`; at most four."""
KINDS: Final = "CREATE INDEX memories_kinds ON memories (scope_id, kind, created_at)"
"""By this the few rules or lessons of a large scope are listed without reading the rest."""
_MICROSECOND: Final = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Return a time as microseconds since 1970, UTC."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(value: int) -> datetime:
    """Return the aware UTC time of a number of microseconds since 1970."""
    return _EPOCH + timedelta(0, 0, value)


def marks(values: Sequence[Any]) -> str:
    """Return one `?` for each value, comma-separated; of none NULL, which nothing is equal to."""
    return ",".join("?" * len(values)) or "NULL"


def scope_id(connection: Connection, scope: Scope) -> int:
    """Return the id of exactly this scope, which is made if it is new; for writes only."""
    named = (scope.tenant, scope.user, scope.agent or "", scope.session or "")
    found = connection.execute(
        'SELECT id FROM scopes WHERE tenant = ? AND "user" = ? AND agent = ? AND session = ?', named
    ).fetchone()
    if found is None:
        found = connection.execute(
            'INSERT INTO scopes (tenant, "user", agent, session) VALUES (?, ?, ?, ?) RETURNING id',
            named,
        ).fetchone()
    return int(found[0])


def visible_ids(connection: Connection, scope: Scope) -> list[int]:
    """Return the ids of the scopes that `scope` sees (`Scope.sees`), at most four."""
    rows = connection.execute(f"SELECT id FROM scopes WHERE {VISIBLE}", names(scope)).fetchall()
    return [row[0] for row in rows]


def names(scope: Scope) -> tuple[str, str, str, str]:
    """Return the values of `VISIBLE`."""
    return scope.tenant, scope.user, scope.agent or "", scope.session or ""


def narrower_ids(connection: Connection, scope: Scope) -> list[int]:
    """Return the ids of `scope` and of every scope inside it: what an erasure is about."""
    agent, session = scope.agent or "", scope.session or ""
    rows = connection.execute(
        'SELECT id FROM scopes WHERE tenant = ? AND "user" = ?'
        " AND (? = '' OR agent = ?) AND (? = '' OR session = ?)",
        (scope.tenant, scope.user, agent, agent, session, session),
    ).fetchall()
    return [row[0] for row in rows]


def _among(wanted: Sequence[object]) -> str:
    """One is compared as such: an index is then read in its own order, up to the limit."""
    return "= ?" if len(wanted) == 1 else f"IN ({marks(wanted)})"


def filter_sql(scope_ids: Sequence[int], where: Where) -> tuple[str, list[Any]]:
    """Return the condition on `memories AS m` for a filter inside some scopes, with its values."""
    parts = [f"m.scope_id IN ({marks(scope_ids)})"]
    values: list[Any] = list(scope_ids)
    for column, wanted in (("kind", where.kinds), ("status", where.statuses)):
        if wanted:
            parts.append(f"m.{column} {_among(wanted)}")
            values.extend(str(one) for one in wanted)
    if not where.include_superseded:
        parts.append("m.superseded = 0")
    if where.task_type is not None:
        parts.append("m.task_type = ?")
        values.append(where.task_type)
    if where.subject:
        subjects = (where.subject,) if isinstance(where.subject, str) else where.subject
        # Which is what its index asks for: that it is not empty.
        parts.append(f"m.subject <> '' AND m.subject {_among(subjects)}")
        values.extend(map(fold, subjects))
    if where.since is not None:
        parts.append("m.time >= ?")
        values.append(micros(where.since))
    if where.until is not None:
        parts.append("m.time <= ?")
        values.append(micros(where.until))
    if where.entities:
        folded = sorted({fold(entity) for entity in where.entities})
        parts.append(
            "EXISTS (SELECT 1 FROM entities AS e WHERE e.rid = m.rid"
            f" AND e.entity IN ({marks(folded)}))"
        )
        values.extend(folded)
    if where.tool_sequence:
        tools = sorted(set(where.tool_sequence))
        parts.append(
            "(SELECT count(*) FROM tools AS t WHERE t.rid = m.rid"
            f" AND t.tool IN ({marks(tools)})) = ?"
        )
        values.extend(tools)
        values.append(len(tools))
    return " AND ".join(parts), values
