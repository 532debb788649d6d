"""Connections to one SQLite file, for any number of threads, processes and forks."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from hindsight_core.errors import StoreUnavailableError
from hindsight_core.stores._sqlite_errors import mapped, translate
from hindsight_core.stores._sqlite_file import SameFile, make_file
from hindsight_core.stores._sqlite_schema import migrate

__all__ = ["BUSY_SECONDS", "SqliteDatabase"]

BUSY_SECONDS: Final = 5.0
_PRAGMAS: Final = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",  # no erased text in temporary files
    "PRAGMA cache_size = -8000",
    # Four times the default: a checkpoint is the one slow step of a write, so have fewer.
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA journal_size_limit = 33554432",
)
_creating: Final = Lock()
_Found = TypeVar("_Found")
# A connection must not be used, nor even closed, in a forked child: those inherited stay here.
_inherited: Final[list[sqlite3.Connection]] = []


class SqliteDatabase:
    """A pool of connections: as many as calls run at once, opened when needed.

    Every write is one `BEGIN IMMEDIATE` transaction that bumps the change counter, every read one
    snapshot. All of SQLite's errors leave as typed ones.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: deque[sqlite3.Connection] = deque()
        self._pid = os.getpid()
        self._closed = False
        self._turn = Lock()
        self._give(self._first())
        self._same_file = SameFile(path)

    @contextmanager
    def read(self) -> Generator[sqlite3.Connection]:
        """Run the reads inside on one snapshot."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self, *, lasting: bool = True) -> Generator[sqlite3.Connection]:  # noqa: ARG002
        """Run the writes inside in one transaction: all of them are stored, or none.

        Threads wait for their turn here: SQLite's own waiting is asking again and again, in which
        one of many may have no luck for seconds.
        """
        self._follow_fork()
        turn = self._turn
        mine = turn.acquire(timeout=BUSY_SECONDS)
        try:
            with self._transaction("BEGIN IMMEDIATE") as connection:
                connection.execute("UPDATE state SET change = change + 1")
                yield connection
        finally:
            if mine:
                turn.release()

    def look(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found:
        """Do reads that need no common snapshot; here it costs nothing to give them one."""
        with self.read() as connection:
            return work(connection)

    @contextmanager
    def exclusive(self) -> Generator[sqlite3.Connection]:
        """Lend a connection outside of any transaction: for VACUUM, checkpoints and checks."""
        connection = self._take()
        try:
            with mapped(self.path):
                yield connection
        except BaseException:
            connection.close()
            raise
        self._give(connection)

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run one reading statement: what a single lookup costs least with."""
        connection = self._take()
        try:
            rows = connection.execute(statement, parameters).fetchall()
        except (sqlite3.Error, UnicodeEncodeError) as error:
            connection.close()
            raise translate(error, self.path) from error
        except BaseException:
            connection.close()
            raise
        self._give(connection)
        return rows

    @contextmanager
    def alone(self, wait: float = 0.0) -> Generator[bool]:
        """Say whether this is the only such block on the file; else wait so many seconds.

        The lock is that of an empty database beside the file: it ends with its process everywhere.
        """
        connection = sqlite3.connect(
            f"{self.path}-alone", timeout=wait, isolation_level=None, check_same_thread=False
        )
        try:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise translate(error, self.path) from error
                yield False
            else:
                yield True
        finally:
            connection.close()

    def close(self) -> None:
        """Close every connection that is not in use; those in use close when they are done."""
        self._closed = True
        if self._pid == os.getpid():
            self._drain()

    @contextmanager
    def _transaction(self, begin: str) -> Generator[sqlite3.Connection]:
        connection = self._take()
        try:
            with mapped(self.path):
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
        except BaseException:
            self._undo(connection)
            raise
        self._give(connection)

    def _undo(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            connection.close()  # which rolls back as well
        else:
            self._give(connection)

    def _follow_fork(self) -> None:
        if self._pid != os.getpid():
            _inherited.extend(self._idle)
            self._idle = deque()
            self._turn = Lock()  # whoever held it is not in this process
            self._pid = os.getpid()

    def _take(self) -> sqlite3.Connection:
        self._follow_fork()
        if self._closed:
            raise StoreUnavailableError(f"{self.path}: the store was closed; open it again")
        self._same_file.check()
        try:
            return self._idle.pop()
        except IndexError:
            with mapped(self.path):
                return _connect(self.path)

    def _give(self, connection: sqlite3.Connection) -> None:
        self._idle.append(connection)
        if self._closed:
            self._drain()

    def _drain(self) -> None:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return
            connection.close()

    def _first(self) -> sqlite3.Connection:
        with _creating, mapped(self.path):
            make_file(self.path)
            connection = _connect(self.path)
            try:
                migrate(connection, self.path)
                _use_wal(connection, self.path)
                # A file that may only be read is found here and not at the first memory.
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except BaseException:
                connection.close()
                raise
            return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    # The switch needs the file for itself and does not always wait for it, so wait here.
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise StoreUnavailableError(
                f"{path}: this file system cannot share memory between processes, which SQLite's "
                "write-ahead log needs; put the store on a local disk"
            )
        return
