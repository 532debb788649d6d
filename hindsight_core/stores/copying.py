"""Backs a store of a server up into a SQLite file: all tables as of one moment, nobody waits."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from hindsight_core.errors import StoreError
from hindsight_core.stores._sql import Connection, Database
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.moving import Moved, move
from hindsight_core.stores.sqlite import SqliteStore

__all__ = ["back_up"]


class _Frozen:
    """A store as it was at one moment: all reads go through one snapshot."""

    def __init__(self, store: SqlStore, connection: Connection) -> None:
        self.url = store.url
        self.database = self
        self._connection = connection

    @contextmanager
    def read(self) -> Generator[Connection]:
        yield self._connection

    def fetch(self, statement: str, parameters: Any = ()) -> list[Any]:
        return self._connection.execute(statement, parameters).fetchall()


def back_up(source: SqlStore, path: Path) -> Moved:
    """Copy everything into a new file; raises `StoreError` if there is one, or nothing is left."""
    if path.exists():
        raise StoreError(f"{path} is there already; name a new file for the backup")
    part = path.with_name(f"{path.name}.part")
    _remove(part)
    try:
        target = SqliteStore(part)
        try:
            database: Database = source.database
            with database.read() as connection:
                moved = move(cast("SqlStore", _Frozen(source, connection)), target)
        finally:
            target.close()
        part.rename(path)
    finally:
        _remove(part)
    return moved


def _remove(part: Path) -> None:
    for end in ("", "-wal", "-shm"):
        part.with_name(part.name + end).unlink(missing_ok=True)
