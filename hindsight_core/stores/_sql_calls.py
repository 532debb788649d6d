"""The gate's counts: how often one call failed since it last worked, and how often it worked.

They belong to the user: what one agent or session of a user learned of a call holds for the others.
The scope in which a call was made is kept beside its count, so that erasing that scope erases it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hindsight_core.ports import CallRecord, CallStats
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import from_micros, micros, scope_id

__all__ = ["BY_SHAPE", "BY_SIGNATURE", "count", "stats"]

_COLUMNS: Final = (
    "signature, shape, situation, tool, failures, successes, error_class, transient, memory_id,"
    " last_failure_at, last_success_at"
)
BY_SIGNATURE: Final = (
    f'SELECT {_COLUMNS} FROM calls WHERE tenant = ? AND "user" = ? AND signature = ?'
)
BY_SHAPE: Final = f'SELECT {_COLUMNS} FROM calls WHERE tenant = ? AND "user" = ? AND shape = ?'
_SAME_CALL: Final = (
    'tenant = :tenant AND "user" = :user AND signature = :signature AND situation = :situation'
)
_NEW: Final = """INSERT INTO calls VALUES (:tenant, :user, :signature, :situation, :scope_id,
    :shape, :tool, 0, 0, '', 0, '', NULL, NULL) ON CONFLICT DO NOTHING"""
_SUCCEEDED: Final = f"""UPDATE calls SET successes = successes + 1,
    last_success_at = max(coalesce(last_success_at, :at), :at)
    WHERE {_SAME_CALL} AND scope_id = :scope_id"""
_CLEAR: Final = f"""UPDATE calls SET failures = 0
    WHERE {_SAME_CALL} AND coalesce(last_failure_at, :at) <= :at"""
# A failure that arrives late, from before a success, says nothing of what is true since.
_FAILED: Final = f"""UPDATE calls SET
    failures = failures + CASE WHEN EXISTS (
        SELECT 1 FROM calls WHERE {_SAME_CALL} AND last_success_at > :at) THEN 0 ELSE 1 END,
    error_class = :error_class, transient = :transient,
    memory_id = CASE :memory_id WHEN '' THEN memory_id ELSE :memory_id END,
    last_failure_at = max(coalesce(last_failure_at, :at), :at)
    WHERE {_SAME_CALL} AND scope_id = :scope_id"""


def count(connection: Connection, calls: Iterable[CallRecord]) -> None:
    """Count each call once: one whose scope, run and key were counted before changes nothing."""
    for call in calls:
        scope = scope_id(connection, call.scope)
        new = connection.execute(
            "INSERT INTO counted VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (scope, call.run_id, call.key),
        )
        if not new.rowcount:
            continue
        row = _row(call, scope)
        connection.execute(_NEW, row)
        if call.ok:
            connection.execute(_SUCCEEDED, row)
            connection.execute(_CLEAR, row)
        else:
            connection.execute(_FAILED, row)


def stats(rows: Sequence[Any]) -> list[CallStats]:
    """Return one entry for each signature and situation, whatever scopes it was counted in."""
    if len(rows) > 1:
        merged: dict[tuple[str, str], Any] = {}
        for row in rows:
            key = (row[0], row[2])
            merged[key] = _merge(merged[key], row) if key in merged else row
        rows = list(merged.values())
    return [_one(row) for row in rows]


def _one(row: Any) -> CallStats:
    failed, succeeded = row[9], row[10]
    return CallStats._make(
        (
            *row[:7],
            row[7] != 0,
            row[8],
            None if failed is None else from_micros(failed),
            None if succeeded is None else from_micros(succeeded),
        )
    )


def _merge(one: Any, other: Any) -> Any:
    late, early = sorted((one, other), key=lambda row: row[9] or 0, reverse=True)
    return (
        *late[:4],
        one[4] + other[4],
        one[5] + other[5],
        late[6],
        late[7],
        late[8] or early[8],
        late[9],
        max(one[10] or 0, other[10] or 0) or None,
    )


def _row(call: CallRecord, scope: int) -> dict[str, Any]:
    return {
        "tenant": call.scope.tenant,
        "user": call.scope.user,
        "signature": call.signature,
        "situation": call.situation,
        "scope_id": scope,
        "shape": call.shape,
        "tool": call.tool,
        "error_class": call.error_class,
        "transient": call.transient,
        "memory_id": call.memory_id,
        "at": micros(call.at),
    }
