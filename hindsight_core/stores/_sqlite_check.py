"""Looks for damage: in the file, and in what the tables say of each other."""

from __future__ import annotations

from typing import Any, Final

from hindsight_core.errors import StoreCorruptError
from hindsight_core.stores import _sqlite_audit as audit
from hindsight_core.stores._sqlite_connection import Database

__all__ = ["check"]

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
    " (documents, tokens) <> (SELECT count(*), total(w.length) FROM words AS w"
    " JOIN memories AS m ON m.rid = w.rid WHERE m.scope_id = s.id)",
    "records that are neither encoded nor waiting for it": "SELECT count(*) FROM memories WHERE"
    " status <> 'cold' AND rid NOT IN (SELECT v.rid FROM vectors AS v JOIN state AS s"
    " ON s.space = v.space UNION ALL SELECT rid FROM unencoded)",
    "records that are not readable JSON": "SELECT count(*) FROM memories WHERE NOT"
    " json_valid(body)",
    "runs whose events are counted wrongly": "SELECT count(*) FROM runs AS r WHERE total <>"
    " (SELECT count(*) FROM events AS e WHERE e.run_id = r.run_id) OR judged > total",
    "vectors of a wrong length": "SELECT count(*) FROM vectors AS v JOIN embedder AS e"
    " ON e.space = v.space WHERE length(v.vector) <> 4 * e.dimension",
}


def check(database: Database) -> dict[str, Any]:
    """Return the sizes of the tables and a list of `problems`, empty where none was found.

    Reads the whole file: seconds at 100,000 records.
    """
    try:
        return _check(database)
    except StoreCorruptError as error:
        return {"problems": [str(error)]}


def _check(database: Database) -> dict[str, Any]:
    report: dict[str, Any] = {}
    problems: list[str] = []
    with database.read() as connection:
        for (line,) in connection.execute("PRAGMA integrity_check").fetchall():
            if line != "ok":
                problems.append(f"damage: {line}")
        for table, rid, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
            problems.append(f"row {rid} of {table} names a row that does not exist")
        for label, statement in _PROBLEMS.items():
            (found,) = connection.execute(statement).fetchone()
            if found:
                problems.append(f"{found} {label}")
        problems += audit.problems(connection)
        for table in _COUNTED:
            (report[table],) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    try:
        with database.exclusive() as connection:
            connection.execute("INSERT INTO texts (texts, rank) VALUES ('integrity-check', 1)")
    except StoreCorruptError:
        problems.append("the text index does not fit its texts")
    report["bytes"] = pages * size
    report["problems"] = problems
    return report
