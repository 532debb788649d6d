"""The durable outbox: the events of runs, and how far each run is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from hindsight_core.errors import InvalidMemoryError, NotFoundError, ScopeError, StoreCorruptError
from hindsight_core.events import Event, EventBase, RunEnded, dump_event, load_event
from hindsight_core.ports import CallRecord, PutResult, RunInfo
from hindsight_core.ports_ledger import MemoryUse
from hindsight_core.schema import Memory, Scope
from hindsight_core.stores import _sql_calls as calls_table
from hindsight_core.stores import _sql_ledger as ledger
from hindsight_core.stores import _sql_records as records
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import from_micros, micros, scope_id

__all__ = [
    "EVERY",
    "PENDING",
    "UNREFLECTED",
    "append",
    "events",
    "prune",
    "rewrite",
    "runs",
    "settle",
]


def append(connection: Connection, event: EventBase, owner: str) -> bool:
    """Make an event durable; False if its scope holds one of that key already."""
    try:
        body = dump_event(event)
    except PydanticSerializationError as error:
        raise InvalidMemoryError(
            "event", f"cannot be written as JSON ({error})", "Pass texts through text.clean"
        ) from error
    scope = scope_id(connection, event.scope)
    _check_owner(connection, event)
    at = micros(event.at)
    known = connection.execute(
        "SELECT 1 FROM events WHERE scope_id = ? AND key = ?", (scope, event.key)
    ).fetchone()
    if known is not None:
        return False
    connection.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, 1, 0, ?) ON CONFLICT (run_id) DO UPDATE"
        " SET total = runs.total + 1, last_at = max(runs.last_at, excluded.last_at),"
        " ended = max(runs.ended, excluded.ended)",
        (event.run_id, scope, owner, at, at, isinstance(event, RunEnded)),
    )
    connection.execute(
        "INSERT INTO events (run_id, scope_id, key, body) VALUES (?, ?, ?, ?)",
        (event.run_id, scope, event.key, body),
    )
    return True


EVERY: Final = "TRUE"
PENDING: Final = "r.total > r.judged"
UNREFLECTED: Final = (
    "r.ended <> 0 AND r.judged = r.total"
    " AND NOT EXISTS (SELECT 1 FROM reflections AS f WHERE f.run_id = r.run_id)"
)


def runs(
    connection: Connection, *, which: str, limit: int, given: tuple[Any, ...] = ()
) -> list[RunInfo]:
    """List the runs that a condition such as those above is true of, oldest first."""
    rows = connection.execute(
        "SELECT r.run_id, s.tenant, s.user, s.agent, s.session, r.owner, r.first_at, r.last_at,"
        " r.total - r.judged, r.ended FROM runs AS r JOIN scopes AS s ON s.id = r.scope_id"
        f" WHERE {which} ORDER BY r.first_at, r.rowid LIMIT ?",
        (*given, max(0, limit)),
    )
    return [
        RunInfo(
            run_id=run_id,
            scope=Scope(tenant=tenant, user=user, agent=agent or None, session=session or None),
            owner=owner,
            first_at=from_micros(first),
            last_at=from_micros(last),
            pending=pending,
            ended=bool(ended),
        )
        for run_id, tenant, user, agent, session, owner, first, last, pending, ended in rows
    ]


def events(connection: Connection, run_id: str) -> list[Event]:
    """Return all events of a run in the order of their arrival."""
    rows = connection.execute("SELECT body FROM events WHERE run_id = ? ORDER BY seq", (run_id,))
    try:
        return [load_event(body) for (body,) in rows]
    except ValidationError as error:
        raise StoreCorruptError(
            f"an event of run {run_id} cannot be read ({error.error_count()} fields are wrong). "
            "Run 'hindsight-core doctor', or restore a backup"
        ) from error


def rewrite(connection: Connection, changed: Sequence[EventBase]) -> int:
    """Replace the bodies of events that are there."""
    return sum(
        connection.execute(
            "UPDATE events SET body = ? WHERE run_id = ? AND scope_id = ? AND key = ?",
            (dump_event(event), event.run_id, scope_id(connection, event.scope), event.key),
        ).rowcount
        for event in changed
    )


def settle(
    connection: Connection,
    run_id: str,
    through: int,
    memories: Sequence[Memory],
    calls: Sequence[CallRecord],
    uses: Sequence[MemoryUse],
) -> list[PutResult]:
    """Store what a run taught, what it did with what it knew, and that it is judged so far."""
    known = connection.execute(
        "UPDATE runs SET judged = max(judged, min(total, ?)) WHERE run_id = ? RETURNING judged",
        (through, run_id),
    ).fetchall()
    if not known and through > 0:
        raise NotFoundError(f"run {run_id!r}: no event of it is in the store")
    records.check_present(connection, [memory.id for memory in memories if memory.revision])
    results = records.put(connection, memories)
    stands = {memory.id: result.id for memory, result in zip(memories, results, strict=True)}
    calls_table.count(
        connection,
        [replace(call, memory_id=stands.get(call.memory_id, call.memory_id)) for call in calls],
    )
    ledger.write(connection, uses)
    return results


def prune(connection: Connection, before: datetime) -> int:
    """Delete the events of runs that are judged wholly and ended before that time.

    What the runs' recalls reported goes with them.
    """
    gone = connection.execute(
        "SELECT run_id FROM runs WHERE ended <> 0 AND judged = total AND last_at < ?",
        (micros(before),),
    ).fetchall()
    deleted = 0
    for run in gone:
        # The keys stay: a history that is replayed must not bring back what was forgotten since.
        deleted += connection.execute(
            "UPDATE events SET run_id = NULL, body = '' WHERE run_id = ?", run
        ).rowcount
        connection.execute("DELETE FROM recalls WHERE run_id = ?", run)
        connection.execute("DELETE FROM runs WHERE run_id = ?", run)
    return deleted


def _check_owner(connection: Connection, event: EventBase) -> None:
    owner = connection.execute(
        "SELECT s.tenant, s.user FROM runs AS r JOIN scopes AS s ON s.id = r.scope_id"
        " WHERE r.run_id = ?",
        (event.run_id,),
    ).fetchone()
    if owner is not None and owner != (event.scope.tenant, event.scope.user):
        raise ScopeError(f"event.run_id: {event.run_id!r} is a run of another user. Use a new id")
