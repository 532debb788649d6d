"""How the tables of a PostgreSQL store come to be, and how older ones become those of this version.

A migration is a function; its place in `MIGRATIONS` is the version that it starts from. Published
ones are never edited: a change of the tables is a new one at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.errors import StoreVersionError
from hindsight_core.stores._postgres_tables import FIRST
from hindsight_core.stores._sql import Cursor, Values
from hindsight_core.stores._sql_audit import VOUCHED
from hindsight_core.stores._sql_recutting import recut_words
from hindsight_core.stores._sql_reflection import TABLES as REFLECTION
from hindsight_core.stores._sql_scopes import KINDS
from hindsight_core.stores._sql_vectors import DELIVERIES

if TYPE_CHECKING:
    import psycopg

__all__ = ["MIGRATIONS", "migrate"]

_LOCK: Final = 0x48534D31
"""The advisory lock under which one process at a time makes or changes tables: `HSM1`."""


def _make_tables(connection: psycopg.Connection[Any]) -> None:
    for statement in (*FIRST, *REFLECTION):
        connection.execute(statement)


def _note_deliveries(connection: psycopg.Connection[Any]) -> None:
    connection.execute(DELIVERIES.encode())


def _key_the_audit_log(connection: psycopg.Connection[Any]) -> None:
    connection.execute(VOUCHED.encode())


def _index_kinds(connection: psycopg.Connection[Any]) -> None:
    connection.execute(KINDS.encode())


class _Shared:
    """Runs the shared statements, whose values stand at question marks, before there is a store."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._raw = connection

    def execute(self, sql: str, parameters: Values = (), /) -> Cursor:
        return self._raw.execute(sql.replace("?", "%s").encode(), parameters)

    def executemany(self, sql: str, parameters: Iterable[Values], /) -> Cursor:
        cursor = self._raw.cursor()
        cursor.executemany(sql.replace("?", "%s").encode(), parameters)
        return cursor


def _recut_words(connection: psycopg.Connection[Any]) -> None:
    recut_words(_Shared(connection))


MIGRATIONS: Final[tuple[Callable[[psycopg.Connection[Any]], None], ...]] = (
    _make_tables,
    _note_deliveries,
    _key_the_audit_log,
    _index_kinds,
    _recut_words,
)


def migrate(connection: psycopg.Connection[Any], schema: str) -> None:
    """Bring the schema to this version, in one transaction.

    Any number of processes may do so at once: the first one migrates, the others wait and find it
    done. Raises `StoreVersionError` for tables of a newer version, which are not touched.
    """
    if _version(connection, schema) == len(MIGRATIONS):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        known = _version(connection, schema)
        if known == len(MIGRATIONS):
            return
        quoted = schema.replace('"', '""')
        # Asked first, because making one needs a right that the owner of a ready schema may lack.
        found = connection.execute("SELECT to_regnamespace(%s)", (f'"{quoted}"',)).fetchone()
        if found is None or found[0] is None:
            connection.execute(f'CREATE SCHEMA "{quoted}"'.encode())
        if known == 0:
            # The store's own name, the same by whatever address it is reached.
            connection.execute(
                "CREATE TABLE version (number integer NOT NULL,"
                " store uuid NOT NULL DEFAULT gen_random_uuid())"
            )
            connection.execute("INSERT INTO version VALUES (0)")
        for step in MIGRATIONS[known:]:
            step(connection)
        connection.execute("UPDATE version SET number = %s", (len(MIGRATIONS),))


def _version(connection: psycopg.Connection[Any], schema: str) -> int:
    there = connection.execute(
        "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'version'", (schema,)
    ).fetchone()
    if there is None:
        return 0
    row = connection.execute("SELECT number FROM version").fetchone()
    number = 0 if row is None else int(row[0])
    if number > len(MIGRATIONS):
        raise StoreVersionError(
            f"the schema {schema!r} was written by a newer version of this package (its tables are "
            f"of version {number}, this package knows {len(MIGRATIONS)}). Upgrade: "
            "pip install --upgrade hindsight-core"
        )
    return number
