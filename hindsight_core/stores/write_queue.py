"""Where events wait while the store of many machines does not answer.

A `WriteQueue` gives positions that grow; what waits is read from the front and removed once it is
in the store. Two processes may read the same: the store takes each event once, by its key.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from hindsight_core.schema import Scope

__all__ = ["LocalQueue", "Position", "QueueError", "WriteQueue", "purge"]

Position = tuple[int, int]
_BUSY_SECONDS: Final = 1.0


class QueueError(Exception):
    """The queue did not answer; what was to be put there waits in this process."""


class WriteQueue(Protocol):
    """A first-in first-out queue of texts. Every method may raise `QueueError`."""

    @property
    def name(self) -> str:
        """Where it is, without secrets."""
        ...

    @property
    def durable(self) -> bool:
        """Whether what waits outlives this process."""
        ...

    def push(self, body: str) -> Position:
        """Put a text at the end; it is durable when this returns."""
        ...

    def peek(self, limit: int) -> list[tuple[Position, str]]:
        """The first texts, which stay where they are."""
        ...

    def remove(self, positions: Sequence[Position]) -> None:
        """Take texts away; what is gone already is no error."""
        ...

    def lead(self) -> bool:
        """Whether it is for this process to hand over, for the next seconds."""
        ...

    def size(self) -> int:
        """How many texts wait."""
        ...

    def warning(self) -> str:
        """Why the queue may lose what it holds; "" when it does not."""
        ...

    def close(self) -> None:
        """Release it; safe to call twice."""
        ...


class LocalQueue:
    """A `WriteQueue` in a SQLite file, which the processes of one machine share, or in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def name(self) -> str:
        return "memory" if self._path is None else str(self._path)

    @property
    def durable(self) -> bool:
        return self._path is not None

    def push(self, body: str) -> Position:
        return (0, self._run("INSERT INTO queue (body) VALUES (?) RETURNING id", (body,))[0][0])

    def peek(self, limit: int) -> list[tuple[Position, str]]:
        rows = self._run("SELECT id, body FROM queue ORDER BY id LIMIT ?", (limit,))
        return [((0, id_), body) for id_, body in rows]

    def remove(self, positions: Sequence[Position]) -> None:
        for _, id_ in positions:
            self._run("DELETE FROM queue WHERE id = ?", (id_,))

    def lead(self) -> bool:
        return True

    def size(self) -> int:
        return int(self._run("SELECT count(*) FROM queue")[0][0])

    def warning(self) -> str:
        return "" if self.durable else "it is in memory: it ends with this process"

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[int, str]]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                return self._connection.execute(statement, values).fetchall()
            except (sqlite3.Error, OSError) as error:
                raise QueueError(f"{self.name}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(
            self._path or ":memory:",
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "PRAGMA secure_delete = ON",
            # A position is never given twice, or what was just put there could be taken for sent.
            "CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT)",
        ):
            connection.execute(statement).fetchall()
        return connection


def purge(queue: WriteQueue, scope: Scope) -> int:
    """Take away what waits of a scope, and of everything narrower; how many events there were."""
    found = [place for place, body in queue.peek(1 << 20) if _is_of(body, scope)]
    queue.remove(found)
    return len(found)


def _is_of(body: str, scope: Scope) -> bool:
    try:
        named = Scope.model_validate(json.loads(body)["event"]["scope"])
    except (ValueError, KeyError, TypeError):
        return False
    return (
        (named.tenant, named.user) == (scope.tenant, scope.user)
        and scope.agent in (None, named.agent)
        and scope.session in (None, named.session)
    )
