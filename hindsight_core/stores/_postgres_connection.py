"""Connections to one schema of a PostgreSQL server, for any number of threads, processes and forks.

The statements are those of `_sql`; here they get the placeholders of `psycopg`.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, TypeVar

import psycopg
from psycopg_pool import ConnectionPool

from hindsight_core.errors import StoreUnavailableError
from hindsight_core.stores._postgres_errors import mapped
from hindsight_core.stores._postgres_schema import migrate
from hindsight_core.stores._sql import Cursor, Values

__all__ = ["PostgresConnection", "PostgresDatabase"]

logger: Final = logging.getLogger("hindsight_core")
BUSY_SECONDS: Final = 5.0
_IDLE_SECONDS: Final = 60
"""A process that stops inside a write would hold up all others: the server ends it after this."""
_MOST: Final = 10
_READ: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: Final = b"BEGIN; UPDATE state SET change = change + 1"
_WRITE_SOON: Final = _WRITE.replace(b";", b"; SET LOCAL synchronous_commit = off;", 1)
_ALONE: Final = "SELECT pg_try_advisory_xact_lock(hashtextextended('hindsight ' || ?, 0))"
_FIRST_WAIT: Final = 0.05
_Found = TypeVar("_Found")
_NAMED: Final = re.compile(r"(?<![:\w]):(\w+)")


class PostgresConnection:
    """Runs the shared statements; whatever is not of this store's schema is out of reach."""

    def __init__(self, connection: psycopg.Connection[Any], database: PostgresDatabase) -> None:
        self.raw = connection
        self._database = database

    def execute(self, sql: str, parameters: Values = (), /) -> Cursor:
        cursor = self.raw.execute(_translated(sql), _values(parameters))
        self._database.answered_at = time.monotonic()
        return cursor

    def executemany(self, sql: str, parameters: Iterable[Values], /) -> Cursor:
        cursor = self.raw.cursor()
        cursor.executemany(_translated(sql), [_values(one) for one in parameters])
        return cursor

    def copy_in(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Send rows as a stream, which is several times as fast as statements."""
        with self.raw.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(_values(row))


class PostgresDatabase:
    """A pool of connections; lost ones are replaced, and a call that found one lost tries again.

    Every write is one transaction that takes the row of the change counter first, so one writes at
    a time, as in a file. Every read is one snapshot. All errors leave as typed ones.
    """

    def __init__(self, conninfo: str, schema: str, place: str) -> None:
        self.schema = schema
        self.place = place
        self._conninfo = conninfo
        self._pid = os.getpid()
        self._closed = False
        self.answered_at = 0.0
        """When the server answered last, by the monotonic clock."""
        self._inherited: list[Any] = []
        self._pool = self._open_pool()
        try:
            self._retried(lambda connection: migrate(connection, schema))
        except BaseException:
            self._pool.close()
            raise

    @contextmanager
    def read(self) -> Generator[PostgresConnection]:
        """Run the reads inside on one snapshot."""
        with self._transaction(_READ) as connection:
            yield connection

    @contextmanager
    def write(self, *, lasting: bool = True) -> Generator[PostgresConnection]:
        """Run the writes inside in one transaction: all of them are stored, or none."""
        with self._transaction(_WRITE if lasting else _WRITE_SOON) as connection:
            yield connection

    def look(self, work: Callable[[PostgresConnection], _Found]) -> _Found:
        """Do reads that need no common snapshot, which saves asking the server for one."""
        return self._retried(lambda connection: work(PostgresConnection(connection, self)))

    def fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run one reading statement."""
        return self.look(lambda connection: connection.execute(statement, parameters).fetchall())

    @contextmanager
    def exclusive(self) -> Generator[psycopg.Connection[Any]]:
        """Lend a connection outside of any transaction: for VACUUM."""
        with mapped(self.place), self._current().connection(timeout=BUSY_SECONDS) as connection:
            yield connection

    @contextmanager
    def alone(self, wait: float = 0.0) -> Generator[bool]:
        """Say whether this is the only such block on the schema; else wait so many seconds."""
        until = time.monotonic() + wait
        with self._transaction(_READ) as connection:
            while True:
                (alone,) = connection.execute(_ALONE, (self.schema,)).fetchone()
                if alone or time.monotonic() > until:
                    break
                time.sleep(_FIRST_WAIT)
            yield alone

    def close(self) -> None:
        """Close every connection; safe to call twice."""
        self._closed = True
        if self._pid == os.getpid():
            self._pool.close()

    @contextmanager
    def _transaction(self, begin: bytes) -> Generator[PostgresConnection]:
        with mapped(self.place):
            connection = self._begun(begin)
            pool = self._pool
            try:
                yield PostgresConnection(connection, self)
                connection.execute("COMMIT")
            except BaseException:
                _undo(connection)
                raise
            finally:
                pool.putconn(connection)

    def _begun(self, begin: bytes) -> psycopg.Connection[Any]:
        """Take a connection and begin; a connection that the server dropped is tried anew."""
        pool = self._current()
        until, wait = time.monotonic() + BUSY_SECONDS, _FIRST_WAIT
        while True:
            connection = pool.getconn(timeout=max(0.1, until - time.monotonic()))
            try:
                connection.execute(begin)
            except psycopg.OperationalError:
                lost = connection.closed
                _undo(connection)
                pool.putconn(connection)
                if not lost or time.monotonic() + wait > until:
                    raise
                logger.info("%s: a connection was lost; trying again", self.place)
                time.sleep(wait)
                wait *= 2
            except BaseException:
                _undo(connection)
                pool.putconn(connection)
                raise
            else:
                return connection

    def _retried(self, work: Callable[[psycopg.Connection[Any]], _Found]) -> _Found:
        """Do what may be done twice, and do so where the connection was lost."""
        pool = self._current()
        until, wait = time.monotonic() + BUSY_SECONDS, _FIRST_WAIT
        while True:
            with mapped(self.place):
                connection = pool.getconn(timeout=max(0.1, until - time.monotonic()))
                try:
                    return work(connection)
                except psycopg.OperationalError:
                    if not connection.closed or time.monotonic() + wait > until:
                        raise
                finally:
                    pool.putconn(connection)
            time.sleep(wait)
            wait *= 2

    def _current(self) -> ConnectionPool[psycopg.Connection[Any]]:
        if self._pid != os.getpid():
            self._inherited.append(self._pool)  # its threads did not come along
            self._pool, self._pid = self._open_pool(), os.getpid()
        if self._closed:
            raise StoreUnavailableError(f"{self.place}: the store was closed; open it again")
        return self._pool

    def _open_pool(self) -> ConnectionPool[psycopg.Connection[Any]]:
        return ConnectionPool(
            self._conninfo,
            min_size=0,
            max_size=_MOST,
            kwargs={"autocommit": True, "cursor_factory": psycopg.ClientCursor},
            configure=self._configure,
            timeout=BUSY_SECONDS,
            # Else the pool's own pauses double up to minutes, in which a server that is back is not
            # noticed. Given up, it tries anew as soon as somebody asks.
            reconnect_timeout=BUSY_SECONDS,
            name="hindsight",
            open=True,
        )

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        quoted = self.schema.replace('"', '""')
        for setting in (
            f'search_path = "{quoted}"',
            f"lock_timeout = {int(BUSY_SECONDS * 1000)}",
            f"idle_in_transaction_session_timeout = {_IDLE_SECONDS * 1000}",
            "client_min_messages = warning",
            "jit = off",  # compiling takes longer than any of these statements
        ):
            connection.execute(f"SET {setting}".encode())


def _undo(connection: psycopg.Connection[Any]) -> None:
    if connection.closed:
        return
    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()  # which rolls back as well


@lru_cache(maxsize=1_024)
def _translated(sql: str) -> bytes:
    sql = sql.replace("%", "%%").replace("json_each(", "each_of(").replace("?", "%s")
    return _NAMED.sub(r"%(\1)s", sql).encode()


def _values(parameters: Values) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _value(value) for name, value in parameters.items()}
    return [_value(value) for value in parameters]


def _value(value: Any) -> Any:
    if isinstance(value, str):
        # No text of PostgreSQL holds NUL. In JSON it is escaped and so kept; in a column that is
        # only compared another sign stands for it.
        return value.replace("\x00", "\ufffd")
    return int(value) if isinstance(value, bool) else value
