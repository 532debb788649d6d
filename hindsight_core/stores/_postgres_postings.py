"""The inverted index of the PostgreSQL store: a GIN index over the tokens of `words`."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import marks

__all__ = ["PostgresPostings"]


class PostgresPostings:
    """`Postings` over GIN."""

    def count(self, connection: Connection, token: str) -> int:
        (held,) = connection.execute(
            "SELECT count(*) FROM words WHERE tokens @> ARRAY[?]", (token,)
        ).fetchone()
        return int(held)

    def count_of(self, connection: Connection, scope: int) -> int:
        (held,) = connection.execute(
            "SELECT count(*) FROM words AS w JOIN memories AS m ON m.rid = w.rid"
            " WHERE m.scope_id = ?",
            (scope,),
        ).fetchone()
        return int(held)

    def newest(
        self, connection: Connection, token: str, others: Sequence[str], limit: int
    ) -> list[str]:
        beside = f" AND tokens && ARRAY[{marks(others)}]" if others else ""
        rows = connection.execute(
            f"SELECT rid FROM words WHERE tokens @> ARRAY[?]{beside} ORDER BY rid DESC LIMIT ?",
            (token, *others, limit),
        ).fetchall()
        return [str(rid) for (rid,) in rows]
