"""What was explained and what was done: the reports of recalls, and the audit log."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any, Final

from hindsight_core.ports import AuditEntry
from hindsight_core.schema import Scope
from hindsight_core.stores._sqlite_scopes import from_micros, marks, micros, scope_id, visible_ids

__all__ = ["audit", "audit_log", "broken_links", "load_recalls", "save_recall"]

_KEPT: Final = 1_000
"""How many reports of recalls one scope keeps; older ones are dropped."""


def save_recall(
    connection: sqlite3.Connection, scope: Scope, recall_id: str, run_id: str, report: str
) -> None:
    """Keep the report of a recall, in the place of an earlier one of the same id."""
    found = scope_id(connection, scope)
    connection.execute(
        "INSERT OR REPLACE INTO recalls (scope_id, recall_id, run_id, report) VALUES (?, ?, ?, ?)",
        (found, recall_id, run_id, report),
    )
    connection.execute(
        "DELETE FROM recalls WHERE scope_id = ? AND seq <= (SELECT seq FROM recalls"
        " WHERE scope_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)",
        (found, found, _KEPT),
    )


def load_recalls(
    connection: sqlite3.Connection, scope: Scope, recall_id: str, run_id: str
) -> list[str]:
    """Return the reports that the scope sees, of one recall or of all recalls of a run."""
    visible = visible_ids(connection, scope)
    rows = connection.execute(
        f"SELECT report FROM recalls WHERE scope_id IN ({marks(visible)})"
        " AND (? = '' OR recall_id = ?) AND (? = '' OR run_id = ?) ORDER BY seq",
        (*visible, recall_id, recall_id, run_id, run_id),
    )
    return [row[0] for row in rows]


def audit(connection: sqlite3.Connection, entry: AuditEntry) -> None:
    """Append to the log; each entry's hash covers the one before it."""
    last = connection.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    previous = "" if last is None else last[0]
    values = (micros(entry.at), entry.actor, entry.action, entry.subject, entry.detail)
    connection.execute(
        "INSERT INTO audit (at, actor, action, subject, detail, prev_hash, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, previous, _hash(previous, values)),
    )


def audit_log(connection: sqlite3.Connection, limit: int) -> list[AuditEntry]:
    """Return the newest entries, newest first."""
    rows = connection.execute(
        "SELECT at, actor, action, subject, detail FROM audit ORDER BY seq DESC LIMIT ?",
        (max(0, limit),),
    )
    return [
        AuditEntry(at=from_micros(at), actor=actor, action=action, subject=subject, detail=detail)
        for at, actor, action, subject, detail in rows
    ]


def broken_links(connection: sqlite3.Connection) -> list[int]:
    """Return the numbers of the audit entries that do not follow from the one before."""
    broken: list[int] = []
    previous = ""
    rows = connection.execute(
        "SELECT seq, prev_hash, hash, at, actor, action, subject, detail FROM audit ORDER BY seq"
    )
    for seq, before, digest, *values in rows:
        if before != previous or digest != _hash(before, tuple(values)):
            broken.append(seq)
        previous = digest
    return broken


def _hash(previous: str, values: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps([previous, *values]).encode()).hexdigest()
