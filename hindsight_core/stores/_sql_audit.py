"""The audit log: append-only, each entry's hash covers the one before it.

Every entry is appended in a write transaction, of which SQLite lets one at a time, so any number of
processes keep one chain. With a key the hash is an HMAC-SHA256 (RFC 2104): who has the file and not
the key cannot write a chain that fits. Entries of before the log was keyed stay readable; they
count as whole once a person has vouched for them, which is kept under the key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any, Final

from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import AuditEntry
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import from_micros, micros

__all__ = ["VOUCHED", "append", "newest", "problems", "vouch"]

VOUCHED: Final = "CREATE TABLE audit_vouched (through bigint NOT NULL, mac text NOT NULL)"
"""The table of what a person vouched for: the last entry without a key, and its seal."""
_KEYED: Final = "k1:"
_NO_KEY: Final = (
    "the audit log is keyed and the key is not at hand: set HINDSIGHT_KEY, else nobody can tell "
    "whether it is whole"
)


def append(connection: Connection, entry: AuditEntry, key: bytes = b"") -> None:
    """Append to the log, under the key where there is one."""
    last = connection.execute("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    previous = "" if last is None else last[0]
    values = (micros(entry.at), entry.actor, entry.action, entry.subject, entry.detail)
    connection.execute(
        "INSERT INTO audit (at, actor, action, subject, detail, prev_hash, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, previous, _hash(previous, values, key)),
    )


def vouch(connection: Connection, at: datetime, by: str, key: bytes) -> int:
    """Take all entries without a key for good; return how many there are.

    Raises `ConfigurationError` without a key, or where the entries do not fit one another.
    """
    if not key:
        raise ConfigurationError(_NO_KEY)
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM audit").fetchone()
    found = [line for line in problems(connection, last, key) if not line.endswith(_UNVOUCHED)]
    if found:
        raise ConfigurationError(f"nobody can vouch for this audit log: {'; '.join(found)}")
    rows: list[Any] = connection.execute(
        "SELECT seq, hash FROM audit WHERE hash NOT LIKE 'k1:%' ORDER BY seq"
    ).fetchall()
    if rows:
        connection.execute("DELETE FROM audit_vouched")
        through, digest = rows[-1]
        connection.execute(
            "INSERT INTO audit_vouched VALUES (?, ?)", _vouched(through, digest, key)
        )
        detail = f"{len(rows)} entries without a key, the last one {through}"
        entry = AuditEntry(at=at, actor=by, action="vouched", subject="audit", detail=detail)
        append(connection, entry, key)
    return len(rows)


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


def problems(connection: Connection, last: int, key: bytes | None = None) -> list[str]:
    """Name every entry that was changed, moved or taken away since it was written.

    Entries are named by their number. The newest ones may be missing too: `last` is the last number
    that was given. `key` None looks only at how the entries hang together; with an empty one, a log
    that is keyed is a problem.
    """
    rows: list[Any] = connection.execute(
        "SELECT seq, prev_hash, hash, at, actor, action, subject, detail FROM audit ORDER BY seq"
    ).fetchall()
    place = {row[2]: row[0] for row in rows}
    keyed = [row for row in rows if row[2].startswith(_KEYED)]
    wrong = {row[0] for row in rows if not _fits(row, key)}
    found: list[str] = []
    if key == b"" and keyed:
        found.append(_NO_KEY)
    if len(keyed) > 1 and len(wrong) >= len(keyed) and all(row[0] in wrong for row in keyed):
        found.append("no audit entry fits the key: it is another one, or the log was written anew")
        wrong -= {row[0] for row in keyed}
    expected, previous = 1, ""
    for seq, before, digest, *_ in rows:
        if seq != expected:
            found.append(_missing(expected, seq - 1))
        if seq in wrong:
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
    return found + (_unvouched(connection, rows, key) if key else [])


_UNVOUCHED: Final = "hindsight-core audit --vouch --by NAME"


def _unvouched(connection: Connection, rows: list[Any], key: bytes) -> list[str]:
    """What was written without the key, and nobody vouched for."""
    vouched = connection.execute("SELECT through, mac FROM audit_vouched").fetchall()
    hashes = {row[0]: row[2] for row in rows}
    through = 0
    for seq, mac in vouched:
        if hmac.compare_digest(_vouched(seq, hashes.get(seq, ""), key)[1], mac):
            through = seq
    without = [row[0] for row in rows if not row[2].startswith(_KEYED) and row[0] > through]
    if not without:
        return []
    found = (
        f"{len(without)} audit entries ({without[0]} to {without[-1]}) were written without the "
        "key: by an older version, or by somebody else. Compare them with a backup, then "
        f"{_UNVOUCHED}"
    )
    return [found]


def _vouched(seq: int, digest: str, key: bytes) -> tuple[int, str]:
    text = json.dumps(["vouched", seq, digest])
    return seq, hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _fits(row: Any, key: bytes | None) -> bool:
    _, before, digest, *values = row
    if not digest.startswith(_KEYED):
        return digest == _hash(before, tuple(values), b"")
    return not key or hmac.compare_digest(digest, _hash(before, tuple(values), key))


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"audit entry {first} is missing: what comes after it does not follow"
    return f"audit entries {first} to {last} are missing: what comes after them does not follow"


def _hash(previous: str, values: tuple[Any, ...], key: bytes) -> str:
    text = json.dumps([previous, *values]).encode()
    if not key:
        return hashlib.sha256(text).hexdigest()
    return _KEYED + hmac.new(key, b"audit\n" + text, hashlib.sha256).hexdigest()
