"""Cuts the words of records anew, where a newer version of this package cuts a text otherwise."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from hindsight_core.indexed import search_text
from hindsight_core.letters import WRITTEN_OTHERWISE
from hindsight_core.schema import Memory
from hindsight_core.stores import _sql_text as text
from hindsight_core.stores._sql import Connection

__all__ = ["recut_words"]

_AT_ONCE: Final = 1_000


def recut_words(connection: Connection) -> None:
    """Index those records anew whose letters or names `terms` did not read as it does now."""
    last = -1
    while rows := connection.execute(
        "SELECT m.rid, m.scope_id, m.body FROM memories AS m JOIN words AS w ON w.rid = m.rid"
        " WHERE m.rid > ? ORDER BY m.rid LIMIT ?",
        (last, _AT_ONCE),
    ).fetchall():
        for rid, scope_id, body in rows:
            if not WRITTEN_OTHERWISE.search(body):
                continue
            with suppress(ValidationError):  # a damaged record is for `doctor` to tell of
                found = search_text(Memory.model_validate_json(body))
                text.remove(connection, scope_id, rid)
                text.add(connection, scope_id, rid, found)
        last = rows[-1][0]
