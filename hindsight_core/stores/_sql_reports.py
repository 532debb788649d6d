"""What was explained: the reports of recalls."""

from __future__ import annotations

from typing import Final

from hindsight_core.schema import Scope
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import marks, scope_id, visible_ids

__all__ = ["load_recalls", "save_recall"]

_KEPT: Final = 1_000
"""How many reports of recalls one scope keeps; older ones are dropped."""


def save_recall(
    connection: Connection, scope: Scope, recall_id: str, run_id: str, report: str
) -> None:
    """Keep the report of a recall, in the place of an earlier one of the same id."""
    found = scope_id(connection, scope)
    connection.execute(
        "DELETE FROM recalls WHERE scope_id = ? AND recall_id = ?", (found, recall_id)
    )
    connection.execute(
        "INSERT INTO recalls (scope_id, recall_id, run_id, report) VALUES (?, ?, ?, ?)",
        (found, recall_id, run_id, report),
    )
    connection.execute(
        "DELETE FROM recalls WHERE scope_id = ? AND seq <= (SELECT seq FROM recalls"
        " WHERE scope_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)",
        (found, found, _KEPT),
    )


def load_recalls(connection: Connection, scope: Scope, recall_id: str, run_id: str) -> list[str]:
    """Return the reports that the scope sees, of one recall or of all recalls of a run."""
    visible = visible_ids(connection, scope)
    rows = connection.execute(
        f"SELECT report FROM recalls WHERE scope_id IN ({marks(visible)})"
        " AND (? = '' OR recall_id = ?) AND (? = '' OR run_id = ?) ORDER BY seq",
        (*visible, recall_id, recall_id, run_id, run_id),
    )
    return [row[0] for row in rows]
