"""Rows of another store, added as they are: the part of a store that a copy is made by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hindsight_core.stores._sql import Connection

__all__ = ["FillingPart"]


class FillingPart:
    """What a store does with rows that are copied in with their numbers."""

    def fill(
        self, connection: Connection, table: str, columns: str, rows: Sequence[Sequence[Any]]
    ) -> None:
        """Add rows to a table."""
        marks = ", ".join("?" * len(columns.split(",")))
        connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)

    def after_fill(self, connection: Connection) -> None:
        """Number new rows after those that were copied in, and let the planner know of them."""
