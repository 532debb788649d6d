"""Copies a store that is in use into a file of its own, and knows where the copies are."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from hindsight_core.errors import StoreError, StoreUnavailableError
from hindsight_core.stores._sqlite_connection import SqliteDatabase
from hindsight_core.stores._sqlite_errors import mapped

__all__ = ["backup", "backups"]


def backup(database: SqliteDatabase, path: Path) -> None:
    """Write a copy as of one moment; a copy that fails half-way is removed."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StoreError(f"{path} is there already; name a new file for the backup") from None
    except OSError as error:
        raise StoreUnavailableError(
            f"{path} cannot be made ({error.strerror}); back up into a folder that may be written"
        ) from error
    try:
        with database.exclusive() as connection, mapped(path):
            target = sqlite3.connect(path)
            try:
                connection.backup(target)
            finally:
                target.close()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    with database.write() as connection:
        connection.execute("INSERT INTO backups VALUES (?) ON CONFLICT DO NOTHING", (str(path),))


def backups(database: SqliteDatabase) -> list[Path]:
    """Return the copies that are still where they were made."""
    rows = database.fetch("SELECT path FROM backups ORDER BY path")
    return [path for (name,) in rows if (path := Path(name)).is_file()]
