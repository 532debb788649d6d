"""The embedded store: records, text index, vectors, outbox and audit log in one SQLite file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from hindsight_core.errors import StoreUnavailableError
from hindsight_core.events import EventBase
from hindsight_core.stores import _sqlite_backup, _sqlite_wiping
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores._sqlite_check import check
from hindsight_core.stores._sqlite_connection import SqliteDatabase
from hindsight_core.stores._sqlite_errors import was_busy
from hindsight_core.stores._sqlite_postings import SqlitePostings

__all__ = ["SqliteStore"]

_EVENT_SECONDS: Final = 30.0


class SqliteStore(SqlStore):
    """A `Store` in one file, shared by any number of threads and processes of one machine.

    The file and its folder are made where they are missing, readable by their owner only. Raises
    `StoreUnavailableError`, `StoreCorruptError` or `StoreVersionError`; nothing is ever stored in
    half. Vectors need numpy: without it those methods raise `MissingExtraError`.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser().absolute()
        self._file = SqliteDatabase(self._path)
        super().__init__(self._file, SqlitePostings())

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def url(self) -> str:
        return f"sqlite:///{self._path}"

    @property
    def embedded(self) -> bool:
        return True

    @property
    def identity(self) -> str:
        """The store's own name: where the file is once links are followed."""
        return str(self._path.resolve())

    def append(self, event: EventBase, *, owner: str) -> bool:
        """Make an event durable; it waits longer for its turn than a call that can be repeated."""
        until = time.monotonic() + _EVENT_SECONDS
        while True:
            try:
                return super().append(event, owner=owner)
            except StoreUnavailableError as error:
                if not was_busy(error) or time.monotonic() > until:
                    raise

    def wipe(self, *, whole: bool = False) -> bool:
        return _sqlite_wiping.wipe_deleted(self._file, whole=whole)

    def check(self) -> dict[str, Any]:
        return check(self._file, self.audit_key)

    def backup(self, path: str | Path) -> None:
        """Copy the store to a new file while it is in use; raises `StoreError` if there is one.

        An erasure reaches the copy as long as it stays where it was made.
        """
        _sqlite_backup.backup(self._file, Path(path).expanduser().absolute())

    def backups(self) -> list[str]:
        return [f"sqlite:///{path}" for path in _sqlite_backup.backups(self._file)]
