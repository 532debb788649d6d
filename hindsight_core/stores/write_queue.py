"""Where events wait while the store of many machines does not answer.

A `WriteQueue` gives positions that grow; what waits is read from the front and removed once it is
in the store. Two processes may read the same: the store takes each event once, by its key.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol

from hindsight_core.events import EventBase, dump_event, load_event
from hindsight_core.schema import Scope

__all__ = [
    "LEAD_SECONDS",
    "LocalQueue",
    "Position",
    "QueueError",
    "WriteQueue",
    "name_of",
    "packed",
    "purge",
    "unpacked",
]

Position = tuple[int, int]
LEAD_SECONDS: Final = 5
"""After these another process takes over from one that was killed."""
_BUSY_SECONDS: Final = 5.0
"""As long as a store's file is waited for: behind the file is only memory, which may be lost."""
_MOST_PAGES: Final = 1 << 16
"""Of 4 kB each: what waits in memory must not eat up the host."""
# A position is never given twice, or what was just put there could be taken for sent.
_COLUMNS: Final = "(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT)"
_COLUMNS_OF_LEAD: Final = "(one INTEGER PRIMARY KEY, me TEXT, until REAL)"
_NOW: Final = "(julianday('now') * 86400.0)"


class QueueError(Exception):
    """The queue did not answer; what was to be put there waits elsewhere."""


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
    """A `WriteQueue` in a SQLite file, which the processes of one machine share, or in memory.

    The file is made when the first event has to wait. Each store has tables of its own in it.
    """

    def __init__(self, path: Path | None = None, store: str = "") -> None:
        self._path = path
        self._table = f"queue_{name_of(store)}"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inherited: list[object] = []
        self._pid = 0
        self._closed = False

    @property
    def name(self) -> str:
        return "memory" if self._path is None else str(self._path)

    @property
    def durable(self) -> bool:
        return self._path is not None

    def push(self, body: str) -> Position:
        rows = self._run("INSERT INTO {queue} (body) VALUES (?) RETURNING id", body, make=True)
        return (0, rows[0][0])

    def peek(self, limit: int) -> list[tuple[Position, str]]:
        rows = self._run("SELECT id, body FROM {queue} ORDER BY id LIMIT ?", limit)
        return [((0, id_), body) for id_, body in rows]

    def remove(self, positions: Sequence[Position]) -> None:
        ids = json.dumps([id_ for _, id_ in positions])
        self._run("DELETE FROM {queue} WHERE id IN (SELECT value FROM json_each(?))", ids)

    def lead(self) -> bool:
        return not self._is_there() or bool(
            self._run(
                f"INSERT INTO {{queue}}_lead VALUES (1, me(), {_NOW} + {LEAD_SECONDS})"
                " ON CONFLICT (one) DO UPDATE SET me = excluded.me, until = excluded.until"
                f" WHERE me = excluded.me OR until < {_NOW} RETURNING one"
            )
        )

    def size(self) -> int:
        return sum(count for (count,) in self._run("SELECT count(*) FROM {queue}"))

    def warning(self) -> str:
        return "" if self.durable else "it is in memory: it ends with this process"

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _is_there(self) -> bool:
        return self._path is None or self._path.exists()

    def _run(self, statement: str, *values: object, make: bool = False) -> list[tuple[Any, ...]]:
        if not make and not self._is_there():
            return []
        with self._lock:
            try:
                connection = self._opened()
                return connection.execute(statement.format(queue=self._table), values).fetchall()
            except (sqlite3.Error, OSError) as error:
                raise QueueError(f"{self.name}: {error}") from error

    def _opened(self) -> sqlite3.Connection:
        if self._closed:
            raise OSError("the queue was closed")
        if self._pid != os.getpid():  # SQLite forbids to use, and even to close, it after a fork
            self._inherited.append(self._connection)
            self._connection, self._pid = None, os.getpid()
        if self._connection is None:
            self._connection = self._open()
        return self._connection

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
        try:
            for statement in (
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = FULL",
                "PRAGMA secure_delete = ON",
                f"PRAGMA max_page_count = {(1 << 30) if self.durable else _MOST_PAGES}",
                f"CREATE TABLE IF NOT EXISTS {self._table} {_COLUMNS}",
                f"CREATE TABLE IF NOT EXISTS {self._table}_lead {_COLUMNS_OF_LEAD}",
            ):
                connection.execute(statement).fetchall()
        except BaseException:
            connection.close()
            raise
        me = secrets.token_hex(8)
        connection.create_function("me", 0, lambda: me)
        return connection


def name_of(store: str) -> str:
    """A short name of a store, for what is kept of it in a shared place."""
    return blake2b(store.encode(), digest_size=8).hexdigest()


def packed(event: EventBase, owner: str) -> str:
    """An event and its owner as the text that waits."""
    return json.dumps({"owner": owner, "event": json.loads(dump_event(event))})


def unpacked(body: str) -> tuple[EventBase, str]:
    """The same read back; raises what reading damaged JSON raises."""
    kept = json.loads(body)
    return load_event(json.dumps(kept["event"])), str(kept["owner"])


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
