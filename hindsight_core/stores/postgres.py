"""The store of many machines: the same tables as the embedded one, on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from hindsight_core.errors import MissingExtraError
from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.opening import without_secrets

try:
    from hindsight_core.stores._postgres_connection import PostgresConnection, PostgresDatabase
    from hindsight_core.stores._postgres_postings import PostgresPostings
    from hindsight_core.stores._postgres_upkeep import check, wipe_deleted
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("psycopg", "psycopg_pool"):
        raise
    raise MissingExtraError("postgres", error.name or "psycopg", reason=str(error)) from error

__all__ = ["PostgresStore"]

_SCHEMA: Final = "hindsight"
_NUMBERED: Final = (
    ("scopes", "id"),
    ("memories", "rid"),
    ("events", "seq"),
    ("recalls", "seq"),
    ("guard_records", "seq"),
)
_COPIED: Final = ("memories", "entities", "tools", "words", "vectors", "runs", "events", "calls")


class PostgresStore(SqlStore):
    """A `Store` in one schema of a PostgreSQL database, shared by any number of machines.

    `url` is libpq's (`postgresql://user@host/database`); `?schema=NAME` names another schema than
    `hindsight`. The password is better kept in PGPASSWORD or a passfile than in the URL. Schema and
    tables are made where they are missing. Raises `StoreUnavailableError` or `StoreVersionError`.
    Vectors are searched exactly in the memory of each process, by a cache that follows the store.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
        schema = dict(query).get("schema", _SCHEMA)
        others = urlencode([one for one in query if one[0] != "schema"], quote_via=quote)
        self._url = without_secrets(url)
        if schema != _SCHEMA:
            self._url += f"?schema={quote(schema)}"
        conninfo = urlunsplit((parts.scheme, parts.netloc, parts.path, others, ""))
        self._server = PostgresDatabase(conninfo, schema, self._url)
        super().__init__(self._server, PostgresPostings())

    @property
    def url(self) -> str:
        return self._url

    @property
    def embedded(self) -> bool:
        return False

    @property
    def answered_at(self) -> float:
        """When the server answered a statement last, by the monotonic clock."""
        return self._server.answered_at

    @property
    def identity(self) -> str:
        """The store's own name, the same by whatever address it is reached."""
        return str(self._server.fetch("SELECT store FROM version")[0][0])

    def fill(
        self, connection: Connection, table: str, columns: str, rows: Sequence[Sequence[Any]]
    ) -> None:
        cast("PostgresConnection", connection).copy_in(f"COPY {table} ({columns}) FROM STDIN", rows)

    def after_fill(self, connection: Connection) -> None:
        for table, column in _NUMBERED:
            connection.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'),"
                f" (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"
            )
        # Else the tables count as empty until the server looks by itself, a minute later.
        connection.execute(f"ANALYZE {', '.join(_COPIED)}")

    def wipe(self, *, whole: bool = False) -> bool:
        return wipe_deleted(self._server, whole=whole)

    def check(self) -> dict[str, Any]:
        return check(self._server, self.audit_key)
