"""The records: memories as JSON beside the columns by which they are filtered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from hindsight_core.errors import InvalidMemoryError, StaleError, StoreCorruptError
from hindsight_core.indexed import passage_text, search_text
from hindsight_core.ports import PutResult, Where
from hindsight_core.schema import Memory, Scope, Status
from hindsight_core.stores import _sql_text as text
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import (
    VISIBLE,
    filter_sql,
    from_micros,
    marks,
    micros,
    names,
    scope_id,
    visible_ids,
)
from hindsight_core.text import fold

__all__ = [
    "COLUMNS",
    "check_present",
    "count",
    "find",
    "forget_parsed",
    "get",
    "load",
    "put",
    "select",
    "touch",
]

COLUMNS: Final = 'm.body, m."references", m.last_referenced_at'
_INSERT: Final = """INSERT INTO memories (
    id, scope_id, kind, status, superseded, time, created_at, subject, task_type, dedupe_key,
    revision, "references", last_referenced_at, change, body)
    VALUES (:id, :scope_id, :kind, :status, :superseded, :time, :created_at, :subject,
    :task_type, :dedupe_key, :revision, :references, :last_referenced_at,
    (SELECT change FROM state), :body)
    RETURNING rid"""
_REPLACE: Final = """UPDATE memories SET scope_id = :scope_id, kind = :kind, status = :status,
    superseded = :superseded, time = :time, created_at = :created_at, subject = :subject,
    task_type = :task_type, dedupe_key = :dedupe_key, revision = :revision,
    change = (SELECT change FROM state), body = :body
    WHERE rid = :rid RETURNING rid"""


def put(connection: Connection, memories: Iterable[Memory]) -> list[PutResult]:
    """Insert memories, or replace them by id; see `MemoryStore.put`."""
    return [_put_one(connection, memory) for memory in memories]


def check_present(connection: Connection, ids: Sequence[str]) -> None:
    """Raise `StaleError` if one of the records is gone: what was erased must not come back."""
    for one in ids:
        if connection.execute("SELECT 1 FROM memories WHERE id = ?", (one,)).fetchone() is None:
            raise StaleError(f"memory {one} was erased meanwhile. Read again and repeat")


def find(connection: Connection, scope: Scope, keys: Sequence[str]) -> list[Memory]:
    """Return the memories of exactly this scope that hold one of the dedupe keys."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories AS m JOIN scopes AS s ON s.id = m.scope_id"
        " WHERE s.tenant = ? AND s.user = ? AND s.agent = ? AND s.session = ?"
        " AND m.dedupe_key <> '' AND m.dedupe_key IN (SELECT value FROM json_each(?))"
        " ORDER BY m.rid",
        (scope.tenant, scope.user, scope.agent or "", scope.session or "", json.dumps(list(keys))),
    )
    return [load(*row) for row in rows]


def get(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Memory]:
    """Return those of `ids` that the scope sees, in the order asked for, each once."""
    rows = connection.execute(
        f"SELECT m.id, {COLUMNS} FROM json_each(?) AS wanted"
        " CROSS JOIN memories AS m WHERE m.id = wanted.value"
        f" AND m.scope_id IN (SELECT id FROM scopes WHERE {VISIBLE})",
        (json.dumps(list(dict.fromkeys(ids))), *names(scope)),
    )
    found = {row[0]: load(*row[1:]) for row in rows}
    return [found[one] for one in dict.fromkeys(ids) if one in found]


def select(
    connection: Connection, scope: Scope, where: Where, limit: int, offset: int
) -> list[Memory]:
    """List memories that the scope sees and the filter lets through, newest first."""
    condition, values = filter_sql(visible_ids(connection, scope), where)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories AS m WHERE {condition}"
        " ORDER BY m.created_at DESC, m.rid DESC LIMIT ? OFFSET ?",
        (*values, max(0, limit), max(0, offset)),
    )
    return [load(*row) for row in rows]


def count(connection: Connection, scope: Scope | None) -> dict[str, int]:
    """Count records by `kind/status`, of what the scope sees or of the whole store."""
    condition, values = "TRUE", list[int]()
    if scope is not None:
        values = visible_ids(connection, scope)
        condition = f"scope_id IN ({marks(values)})"
    rows = connection.execute(
        f"SELECT kind || '/' || status, count(*) FROM memories WHERE {condition} GROUP BY 1",
        values,
    )
    return dict(rows.fetchall())


def touch(connection: Connection, scope: Scope, ids: Sequence[str], at: datetime) -> None:
    """Count one more reference to each memory that the scope sees."""
    visible = visible_ids(connection, scope)
    # One by one: asked for several, SQLite walks through the whole scope.
    connection.executemany(
        'UPDATE memories SET "references" = "references" + 1,'
        " last_referenced_at = max(coalesce(last_referenced_at, ?), ?)"
        f" WHERE id = ? AND scope_id IN ({marks(visible)})",
        [(micros(at), micros(at), one, *visible) for one in dict.fromkeys(ids)],
    )


def load(body: str, references: int, last_referenced_at: int | None) -> Memory:
    """Read a record back; what `touch` counted is newer than its JSON."""
    memory = _parse(body)
    last = None if last_referenced_at is None else from_micros(last_referenced_at)
    if memory.references == references and memory.last_referenced_at == last:
        return memory
    return memory.model_copy(update={"references": references, "last_referenced_at": last})


def forget_parsed() -> None:
    """Drop what was kept of records: an erased one must not stay in memory either."""
    _parse.cache_clear()


@lru_cache(maxsize=2_048)
def _parse(body: str) -> Memory:
    # A recall reads some sixty records, and the next one many of them again.
    try:
        return Memory.model_validate_json(body)
    except ValidationError as error:
        raise StoreCorruptError(
            f"a record cannot be read ({error.error_count()} fields are wrong). "
            "Run 'hindsight-core doctor', or restore a backup"
        ) from error


def _put_one(connection: Connection, memory: Memory) -> PutResult:
    scope = scope_id(connection, memory.scope)
    old = connection.execute(
        f"SELECT m.rid, m.scope_id, m.revision, {COLUMNS}, s.tenant, s.user FROM memories AS m"
        " JOIN scopes AS s ON s.id = m.scope_id WHERE m.id = ?",
        (memory.id,),
    ).fetchone()
    twin = _twin(connection, scope, memory)
    if old is None and twin is not None:
        return PutResult(id=twin, created=False)
    if old is not None:
        _check_replacement(memory, old, twin)
    row = _row(memory, scope)
    if old is not None:
        row["rid"] = old[0]
    (rid,) = connection.execute(_INSERT if old is None else _REPLACE, row).fetchone()
    _write_sets(connection, rid, memory)
    _write_index(connection, rid, scope, memory, old)
    return PutResult(id=memory.id, created=old is None)


def _twin(connection: Connection, scope: int, memory: Memory) -> str | None:
    if not memory.dedupe_key:
        return None
    found = connection.execute(
        "SELECT id FROM memories WHERE scope_id = ? AND dedupe_key = ? AND dedupe_key <> ''"
        " AND id <> ?",
        (scope, memory.dedupe_key, memory.id),
    ).fetchone()
    return None if found is None else str(found[0])


def _check_replacement(memory: Memory, old: Any, twin: str | None) -> None:
    revision, tenant, user = old[2], old[6], old[7]
    if (tenant, user) != (memory.scope.tenant, memory.scope.user):
        raise InvalidMemoryError("id", "belongs to a record of another user", "Give it a new id")
    if memory.revision != revision + 1:
        raise StaleError(
            f"memory {memory.id} is at revision {revision}, the replacement at {memory.revision} "
            f"instead of {revision + 1}. Read it again and repeat the change"
        )
    if twin is not None:
        raise InvalidMemoryError(
            "dedupe_key", f"is held by memory {twin} of the same scope", "Change that one instead"
        )


def _row(memory: Memory, scope: int) -> dict[str, Any]:
    try:
        body = memory.model_dump_json()
    except PydanticSerializationError as error:
        raise InvalidMemoryError(
            "memory", f"cannot be written as JSON ({error})", "Pass texts through text.clean"
        ) from error
    return {
        "id": memory.id,
        "scope_id": scope,
        "kind": str(memory.kind),
        "status": str(memory.status),
        "superseded": memory.superseded_by is not None,
        "time": micros(memory.key.time or memory.created_at),
        "created_at": micros(memory.created_at),
        "subject": fold(memory.key.subject),
        "task_type": memory.key.task_type,
        "dedupe_key": memory.dedupe_key,
        "revision": memory.revision,
        "references": memory.references,
        "last_referenced_at": memory.last_referenced_at and micros(memory.last_referenced_at),
        "body": body,
    }


def _write_sets(connection: Connection, rid: int, memory: Memory) -> None:
    for table, column, values in (
        ("entities", "entity", {fold(entity) for entity in memory.key.entities}),
        ("tools", "tool", set(memory.key.tool_sequence)),
    ):
        connection.execute(f"DELETE FROM {table} WHERE rid = ?", (rid,))
        connection.executemany(
            f"INSERT INTO {table} (rid, {column}) VALUES (?, ?)",
            [(rid, value) for value in sorted(values)],
        )


def _write_index(connection: Connection, rid: int, scope: int, memory: Memory, old: Any) -> None:
    """Keep text and vector of a record in step with it; what is in cold storage has neither."""
    found, read = search_text(memory), passage_text(memory)
    cold = memory.status is Status.COLD
    before = None if old is None else load(*old[3:6])
    if before is None or passage_text(before) != read or cold != (before.status is Status.COLD):
        connection.execute("DELETE FROM vectors WHERE rid = ?", (rid,))
        connection.execute("DELETE FROM unencoded WHERE rid = ?", (rid,))
        if not cold:
            connection.execute("INSERT INTO unencoded VALUES (?)", (rid,))
    elif old is not None and old[1] == scope and search_text(before) == found:
        return
    if old is not None:
        text.remove(connection, old[1], rid)
    if not cold:
        text.add(connection, scope, rid, found)
