"""The audit log: append-only, each entry's hash covers the one before it.

Every entry is appended in a write transaction, of which SQLite lets one at a time, so any number of
processes keep one chain.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hindsight_core.ports import AuditEntry
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import from_micros, micros

__all__ = ["append", "newest", "problems"]


def append(connection: Connection, entry: AuditEntry) -> None:
    """Append to the log."""
    last = connection.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    previous = "" if last is None else last[0]
    values = (micros(entry.at), entry.actor, entry.action, entry.subject, entry.detail)
    connection.execute(
        "INSERT INTO audit (at, actor, action, subject, detail, prev_hash, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, previous, _hash(previous, values)),
    )


def newest(connection: Connection, limit: int) -> list[AuditEntry]:
    """Return the newest entries, newest first."""
    rows = connection.execute(
        "SELECT at, actor, action, subject, detail FROM audit ORDER BY seq DESC LIMIT ?",
        (max(0, limit),),
    )
    return [
        AuditEntry(at=from_micros(at), actor=actor, action=action, subject=subject, detail=detail)
        for at, actor, action, subject, detail in rows
    ]


def problems(connection: Connection, last: int) -> list[str]:
    """Name every entry that was changed, moved or taken away since it was written.

    Entries are named by their number. The newest ones may be missing too: `last` is the last number
    that was given.
    """
    rows: list[Any] = connection.execute(
        "SELECT seq, prev_hash, hash, at, actor, action, subject, detail FROM audit ORDER BY seq"
    ).fetchall()
    place = {row[2]: row[0] for row in rows}
    found: list[str] = []
    expected, previous = 1, ""
    for seq, before, digest, *values in rows:
        if seq != expected:
            found.append(_missing(expected, seq - 1))
        if digest != _hash(before, tuple(values)):
            found.append(f"audit entry {seq} does not follow: it was changed")
        elif before != previous:
            # After a gap the entry follows one that is gone, which is said already.
            if before in place or before == "":
                after = f"entry {place[before]}" if before else "the beginning"
                found.append(f"audit entry {seq} does not follow: it was written after {after}")
            elif seq == expected:
                found.append(
                    f"audit entry {seq} does not follow: what it was written after is gone"
                )
        expected, previous = seq + 1, digest
    if last >= expected:
        found.append(_missing(expected, last))
    return found


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"audit entry {first} is missing: what comes after it does not follow"
    return f"audit entries {first} to {last} are missing: what comes after them does not follow"


def _hash(previous: str, values: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps([previous, *values]).encode()).hexdigest()
