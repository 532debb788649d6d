"""Vectors in the PostgreSQL server that holds the records, by its extension pgvector."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import errors, sql

from hindsight_core.errors import ConfigurationError, StoreError
from hindsight_core.stores._postgres_connection import PostgresDatabase
from hindsight_core.stores._sql_scopes import micros
from hindsight_core.stores._vector_matrix import Matrix
from hindsight_core.stores.points import Point, PointFilter, PointIndexError, PointsGoneError

__all__ = ["PgvectorPoints"]

_LONGEST: Final = 2_000
"""Dimensions that an index of pgvector takes; longer vectors are compared one by one."""
_TABLE: Final = """CREATE TABLE {table} (
    rid bigint PRIMARY KEY,
    scope integer NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    superseded boolean NOT NULL,
    time bigint NOT NULL,
    trust real NOT NULL,
    vector {home}.vector({dimension}) NOT NULL)"""
_UPSERT: Final = """INSERT INTO {table} VALUES (%s, %s, %s, %s, %s, %s, %s, %s::{home}.vector)
    ON CONFLICT (rid) DO UPDATE SET scope = excluded.scope, kind = excluded.kind,
    status = excluded.status, superseded = excluded.superseded, time = excluded.time,
    trust = excluded.trust, vector = excluded.vector"""
_SEARCH: Final = """SELECT rid FROM {table} WHERE scope = ANY(%(scopes)s)
    AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s::text[]))
    AND (%(statuses)s::text[] IS NULL OR status = ANY(%(statuses)s::text[]))
    AND (%(superseded)s OR NOT superseded)
    AND (%(since)s::bigint IS NULL OR time >= %(since)s::bigint)
    AND (%(until)s::bigint IS NULL OR time <= %(until)s::bigint)
    AND (%(rids)s::bigint[] IS NULL OR rid = ANY(%(rids)s::bigint[]))
    ORDER BY vector OPERATOR({home}.<#>) %(vector)s::{home}.vector LIMIT %(limit)s"""


class PgvectorPoints:
    """A `PointIndex` in tables beside those of the records, one for each embedder.

    The extension is made in the database if this user may. Raises `ConfigurationError` where the
    server does not have it.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        with database.exclusive() as connection:
            self._home = _home(connection)

    @property
    def name(self) -> str:
        return "pgvector"

    @property
    def embedded(self) -> bool:
        return False

    def make(self, collection: str, dimension: int) -> bool:
        with self._answering() as connection:
            if _is_there(connection, collection):
                return False
            with connection.transaction():
                connection.execute(self._said(_TABLE, collection, dimension=sql.Literal(dimension)))
                connection.execute(self._said("CREATE INDEX ON {table} (scope)", collection))
                if dimension <= _LONGEST:
                    connection.execute(
                        self._said(
                            "CREATE INDEX ON {table} USING hnsw (vector {home}.vector_ip_ops)",
                            collection,
                        )
                    )
            return True

    def drop(self, collection: str) -> None:
        with self._answering() as connection:
            connection.execute(self._said("DROP TABLE IF EXISTS {table}", collection))

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        rows = [(*p[:1], *p[2:], str(p.vector.tolist())) for p in points]
        with self._answering() as connection, connection.transaction():
            connection.cursor().executemany(self._said(_UPSERT, collection), rows)

    def delete(self, collection: str, rids: Sequence[int]) -> None:
        with self._answering() as connection:
            chosen = self._said("DELETE FROM {table} WHERE rid = ANY(%s)", collection)
            connection.execute(chosen, (list(rids),))

    def delete_scopes(self, collection: str, scopes: Sequence[int]) -> None:
        with self._answering() as connection:
            chosen = self._said("DELETE FROM {table} WHERE scope = ANY(%s)", collection)
            connection.execute(chosen, (list(scopes),))

    def count(self, collection: str, scopes: Sequence[int] | None = None) -> int:
        with self._answering() as connection:
            if not _is_there(connection, collection):
                return 0
            counted = connection.execute(
                self._said(
                    "SELECT count(*) FROM {table} WHERE %(scopes)s::bigint[] IS NULL"
                    " OR scope = ANY(%(scopes)s::bigint[])",
                    collection,
                ),
                {"scopes": None if scopes is None else list(scopes)},
            ).fetchone()
        return int(counted[0]) if counted else 0

    def search(
        self, collection: str, vector: Matrix, which: PointFilter, limit: int
    ) -> Sequence[int]:
        where = which.where
        asked = {
            "scopes": list(which.scopes),
            "kinds": [*map(str, where.kinds)] or None,
            "statuses": [*map(str, where.statuses)] or None,
            "superseded": where.include_superseded,
            "since": None if where.since is None else micros(where.since),
            "until": None if where.until is None else micros(where.until),
            "rids": None if which.rids is None else list(which.rids),
            "vector": str(vector.tolist()),
            "limit": limit,
        }
        with self._answering() as connection:
            # Go on through the index until enough pass the filter, instead of giving up early.
            connection.execute("SET hnsw.iterative_scan = strict_order")
            rows = connection.execute(self._said(_SEARCH, collection), asked).fetchall()
        return [int(row[0]) for row in rows]

    def close(self) -> None:
        """Close nothing: the connections are the records'."""

    def _said(self, statement: str, collection: str, **more: sql.Composable) -> sql.Composed:
        return sql.SQL(statement).format(  # pyright: ignore[reportArgumentType]
            table=sql.Identifier(collection), home=sql.Identifier(self._home), **more
        )

    @contextmanager
    def _answering(self) -> Generator[psycopg.Connection[Any]]:
        try:
            with self._database.exclusive() as connection:
                yield connection
        except StoreError as error:
            if isinstance(error.__cause__, errors.UndefinedTable):
                raise PointsGoneError(f"{self.name}: the collection is gone") from error
            raise PointIndexError(f"{self.name}: {error}") from error


def _is_there(connection: psycopg.Connection[Any], collection: str) -> bool:
    found = connection.execute(
        "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = %s",
        (collection,),
    ).fetchone()
    return found is not None


def _home(connection: psycopg.Connection[Any]) -> str:
    """Return the schema that the extension is in."""
    where = (
        "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n"
        " ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    found = connection.execute(where).fetchone()
    if found is None:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        except psycopg.Error as error:
            raise ConfigurationError(
                "vectors: this PostgreSQL server has no pgvector, or this user may not make it: "
                f"CREATE EXTENSION vector ({str(error).strip().partition(chr(10))[0]})"
            ) from error
        found = connection.execute(where).fetchone()
    return str(found[0]) if found else "public"
