"""Takes records out: from every table, and from the runs and reports that they stand in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from hindsight_core.ports import ErasureReceipt
from hindsight_core.schema import Scope
from hindsight_core.stores import _sql_text as text
from hindsight_core.stores._sql import Connection, Database, Postings
from hindsight_core.stores._sql_guard import forget_about
from hindsight_core.stores._sql_records import forget_parsed
from hindsight_core.stores._sql_scopes import marks, narrower_ids, visible_ids
from hindsight_core.stores._sql_vectors import drop_old_tombstones

__all__ = ["delete", "erase"]

_BESIDE: Final = ("uses", "calls", "counted", "recalls", "events", "runs", "guard_records")
_ALL: Final = 2**62
_AT_ONCE: Final = 200
"""Records that one transaction of an erasure takes out: about a tenth of a second."""


def delete(database: Database, scope: Scope, ids: Sequence[str]) -> int:
    """Erase those of the records that the scope sees, and what else in the store repeats them.

    The recall reports that name them go, and so does the transcript of the runs in which they were
    learnt, as far as it is judged. Some of it stays in unused space until a later wipe.
    """
    with database.write() as connection:
        visible = visible_ids(connection, scope)
        gone = connection.execute(
            "SELECT m.rid, m.scope_id, m.id, m.body FROM json_each(?) AS wanted"
            " CROSS JOIN memories AS m WHERE m.id = wanted.value"
            f" AND m.scope_id IN ({marks(visible)})",
            (json.dumps(list(dict.fromkeys(ids))), *visible),
        ).fetchall()
        whole_user = narrower_ids(connection, Scope(tenant=scope.tenant, user=scope.user))
        for rid, scope_id, memory_id, _ in gone:
            text.remove(connection, scope_id, rid)
            connection.execute("DELETE FROM vectors WHERE rid = ?", (rid,))
            connection.execute("DELETE FROM memories WHERE rid = ?", (rid,))
            connection.execute("DELETE FROM uses WHERE memory_id = ?", (memory_id,))
            connection.execute(  # what the gate knows of its calls is forgotten with a lesson
                f"DELETE FROM calls WHERE memory_id = ? AND scope_id IN ({marks(whole_user)})",
                (memory_id, *whole_user),
            )
            connection.execute(
                f"DELETE FROM recalls WHERE scope_id IN ({marks(whole_user)})"
                " AND instr(report, ?) > 0",
                (*whole_user, json.dumps(memory_id)),
            )
        forget_about(connection, whole_user, [row[2] for row in gone])
        _forget_runs(connection, whole_user, _runs_of(gone))
        drop_old_tombstones(connection)
    forget_parsed()
    return len(gone)


def erase(
    database: Database, postings: Postings, scope: Scope, at: datetime, wipe: Callable[[], bool]
) -> ErasureReceipt:
    """Erase a scope and everything narrower, overwrite what it took, and look again.

    The records go some at a time, so that other writers wait for a fraction of a second only. One
    that is interrupted leaves the rest to the next call.
    """
    removed = {"texts": 0, "vectors": 0, "memories": 0}
    while _erase_some(database, scope, removed):
        pass
    with database.write() as connection:
        scopes = narrower_ids(connection, scope)
        inside = f"scope_id IN ({marks(scopes)})"
        _erase_records(connection, scopes, _ALL, removed)  # those written since the last look
        _leave_runs(connection, scopes)
        for table in _BESIDE:
            removed[table] = connection.execute(
                f"DELETE FROM {table} WHERE {inside}", scopes
            ).rowcount
        connection.execute(f"DELETE FROM scopes WHERE id IN ({marks(scopes)})", scopes)
        drop_old_tombstones(connection)
    forget_parsed()
    overwritten = wipe()
    remaining = _look(database, postings, scope, scopes)
    return ErasureReceipt(
        scope=scope, at=at, removed=removed, remaining=remaining, overwritten=overwritten
    )


def _erase_some(database: Database, scope: Scope, removed: dict[str, int]) -> bool:
    with database.write() as connection:
        return _erase_records(connection, narrower_ids(connection, scope), _AT_ONCE, removed)


def _erase_records(
    connection: Connection, scopes: Sequence[int], limit: int, removed: dict[str, int]
) -> bool:
    """Erase up to `limit` records of these scopes, and say whether there were any."""
    gone = connection.execute(
        f"SELECT rid, scope_id FROM memories WHERE scope_id IN ({marks(scopes)}) LIMIT ?",
        (*scopes, limit),
    ).fetchall()
    for rid, scope_id in gone:
        text.remove(connection, scope_id, rid)
        removed["vectors"] += connection.execute(
            "DELETE FROM vectors WHERE rid = ?", (rid,)
        ).rowcount
        connection.execute("DELETE FROM memories WHERE rid = ?", (rid,))
    removed["texts"] += len(gone)
    removed["memories"] += len(gone)
    return bool(gone)


def _runs_of(gone: Sequence[Any]) -> list[str]:
    evidence = (one for row in gone for one in json.loads(row[3])["evidence"])
    return sorted({one["run_id"] for one in evidence})


def _forget_runs(connection: Connection, scopes: Sequence[int], run_ids: Sequence[str]) -> None:
    """Take the judged transcript of runs away, but not the keys of its events.

    A history that is replayed is known by its keys, so what was forgotten does not come back. Of a
    run that goes on, only what was said is taken: its calls are still to be judged beside later
    ones.
    """
    for run_id in run_ids:
        run = connection.execute(
            "SELECT judged, ended <> 0 AND judged = total FROM runs WHERE run_id = ?"
            f" AND scope_id IN ({marks(scopes)})",
            (run_id, *scopes),
        ).fetchone()
        if run is None:
            continue
        judged, over = run
        if over:
            connection.execute(
                "UPDATE events SET run_id = NULL, body = '' WHERE run_id = ?", (run_id,)
            )
            connection.execute("DELETE FROM recalls WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
        else:
            said = connection.execute(
                "SELECT seq, body FROM events WHERE run_id = ? ORDER BY seq LIMIT ?",
                (run_id, judged),
            ).fetchall()
            for seq, body in said:
                event = json.loads(body)
                if event["type"] in ("user_said", "agent_said"):
                    event |= {name: "" for name in ("text", "before") if name in event}
                    connection.execute(
                        "UPDATE events SET body = ? WHERE seq = ?",
                        (json.dumps(event, ensure_ascii=False), seq),
                    )


def _leave_runs(connection: Connection, scopes: Sequence[int]) -> None:
    """Make the events of these scopes' runs go with them, and the runs that stay count right."""
    if not scopes:
        return
    inside = f"scope_id IN ({marks(scopes)})"
    connection.execute(
        f"UPDATE events SET scope_id = ? WHERE run_id IN (SELECT run_id FROM runs WHERE {inside})"
        f" AND NOT {inside}",
        (scopes[0], *scopes, *scopes),
    )
    connection.execute(
        "WITH placed AS (SELECT run_id, scope_id, row_number() OVER"
        " (PARTITION BY run_id ORDER BY seq) AS place FROM events WHERE run_id IN"
        f" (SELECT run_id FROM events WHERE {inside})),"
        " staying AS (SELECT p.run_id, count(*) AS total,"
        " count(*) FILTER (WHERE p.place <= r.judged) AS judged FROM placed AS p"
        " JOIN runs AS r ON r.run_id = p.run_id"
        f" WHERE NOT p.{inside} GROUP BY p.run_id)"
        " UPDATE runs SET total = staying.total, judged = staying.judged FROM staying"
        " WHERE runs.run_id = staying.run_id",
        (*scopes, *scopes),
    )


def _look(
    database: Database, postings: Postings, scope: Scope, scopes: Sequence[int]
) -> dict[str, int]:
    remaining: dict[str, int] = {}
    with database.read() as connection:
        again = sorted({*scopes, *narrower_ids(connection, scope)})
        inside = f"scope_id IN ({marks(again)})"
        for table in (*_BESIDE, "memories"):
            (remaining[table],) = connection.execute(
                f"SELECT count(*) FROM {table} WHERE {inside}", again
            ).fetchone()
        (remaining["vectors"],) = connection.execute(
            f"SELECT count(*) FROM vectors WHERE rid IN (SELECT rid FROM memories WHERE {inside})",
            again,
        ).fetchone()
        remaining["texts"] = 0
        for scope_id in again:
            remaining["texts"] += postings.count_of(connection, scope_id)
    return remaining
