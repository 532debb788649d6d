"""What the tables of a store say of each other, and what does not fit."""

from __future__ import annotations

from typing import Final

from hindsight_core.stores import _sql_audit as audit
from hindsight_core.stores._sql import Connection

__all__ = ["problems_of", "sizes"]

_COUNTED: Final = (
    "memories",
    "vectors",
    "unencoded",
    "runs",
    "events",
    "calls",
    "recalls",
    "audit",
    "guard_records",
)
_PROBLEMS: Final = {
    "records without a text": "SELECT count(*) FROM memories WHERE status <> 'cold'"
    " AND rid NOT IN (SELECT rid FROM words)",
    "records in cold storage with a text": "SELECT count(*) FROM memories WHERE status = 'cold'"
    " AND rid IN (SELECT rid FROM words)",
    "scopes whose texts are counted wrongly": "SELECT count(*) FROM scopes AS s WHERE"
    " (documents, tokens) <> (SELECT count(*), coalesce(sum(w.length), 0) FROM words AS w"
    " JOIN memories AS m ON m.rid = w.rid WHERE m.scope_id = s.id)",
    "records that are neither encoded nor waiting for it": "SELECT count(*) FROM memories WHERE"
    " status <> 'cold' AND rid NOT IN (SELECT v.rid FROM vectors AS v JOIN state AS s"
    " ON s.space = v.space UNION ALL SELECT rid FROM unencoded)",
    "runs whose events are counted wrongly": "SELECT count(*) FROM runs AS r WHERE total <>"
    " (SELECT count(*) FROM events AS e WHERE e.run_id = r.run_id) OR judged > total",
    "vectors of a wrong length": "SELECT count(*) FROM vectors AS v JOIN embedder AS e"
    " ON e.space = v.space WHERE length(v.vector) <> 4 * e.dimension",
}


def problems_of(connection: Connection, last_audit: int, key: bytes | None) -> list[str]:
    """Return what does not fit.

    `last_audit` is the last number that an audit entry was given, `key` that of the audit log.
    """
    found: list[str] = []
    for label, statement in _PROBLEMS.items():
        (number,) = connection.execute(statement).fetchone()
        if number:
            found.append(f"{number} {label}")
    return found + audit.problems(connection, last_audit, key)


def sizes(connection: Connection) -> dict[str, int]:
    """Return how many rows the tables hold."""
    counted: dict[str, int] = {}
    for table in _COUNTED:
        (counted[table],) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return counted
