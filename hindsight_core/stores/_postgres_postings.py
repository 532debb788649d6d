"""The inverted index of the PostgreSQL store: a GIN index over the tokens of `words`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hindsight_core.stores._sql import Connection
from hindsight_core.stores._sql_scopes import marks

__all__ = ["PostgresPostings"]


class PostgresPostings:
    """`Postings` over GIN."""

    def counts(self, connection: Connection, tokens: Sequence[str]) -> dict[str, int]:
        if not tokens:
            return {}
        rows = connection.execute(
            "SELECT t.value, (SELECT count(*) FROM words WHERE tokens @> ARRAY[t.value])"
            " FROM json_each(?) AS t",
            (json.dumps(list(tokens)),),
        ).fetchall()
        return {token: int(held) for token, held in rows}

    def count_of(self, connection: Connection, scope: int) -> int:
        (held,) = connection.execute(
            "SELECT count(*) FROM words AS w JOIN memories AS m ON m.rid = w.rid"
            " WHERE m.scope_id = ?",
            (scope,),
        ).fetchone()
        return int(held)

    def newest(
        self, connection: Connection, tokens: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {token: [] for token in tokens}
        if not found:
            return found
        rows = connection.execute(
            "SELECT t.value, held.rid FROM json_each(?) AS t CROSS JOIN LATERAL"
            " (SELECT rid FROM words WHERE tokens @> ARRAY[t.value] ORDER BY rid DESC LIMIT ?)"
            " AS held",
            (json.dumps(list(found)), limit),
        )
        for token, rid in rows:
            found[token].append(str(rid))
        return found

    def newest_beside(
        self, connection: Connection, token: str, others: Sequence[str], limit: int
    ) -> list[str]:
        rows = connection.execute(
            "SELECT rid FROM words WHERE tokens @> ARRAY[?]"
            f" AND tokens && ARRAY[{marks(others)}] ORDER BY rid DESC LIMIT ?",
            (token, *others, limit),
        ).fetchall()
        return [str(rid) for (rid,) in rows]
