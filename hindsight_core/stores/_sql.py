"""What the stores over SQL share: statements that SQLite and PostgreSQL both understand.

They are written in SQLite's dialect as far as it is PostgreSQL's too, with `?` or `:name` for a
value. What PostgreSQL lacks of it (`json_each` of a list, `max` and `min` of two, `instr`) its
schema defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

__all__ = ["Connection", "Cursor", "Database", "Postings", "Values"]

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
_Found = TypeVar("_Found")


class Cursor(Protocol):
    """The rows of a statement, each a tuple."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""
        ...

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def fetchmany(self, size: int = ...) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection inside of a transaction."""

    def execute(self, sql: str, parameters: Values = ..., /) -> Cursor: ...
    def executemany(self, sql: str, parameters: Iterable[Values], /) -> Cursor: ...


class Database(Protocol):
    """Lends connections; what goes wrong inside leaves as a typed error."""

    def read(self) -> AbstractContextManager[Connection]:
        """Lend a connection for reads on one snapshot."""
        ...

    def write(self, *, lasting: bool = True) -> AbstractContextManager[Connection]:
        """Lend a connection for writes of one transaction, which bumps the change counter.

        One writes at a time, so changes become visible in the order of their numbers. What need not
        be `lasting` may be lost, whole, if the machine of the database fails within a second.
        """
        ...

    def look(self, work: Callable[[Connection], _Found]) -> _Found:
        """Do reads that need no common snapshot; they may be done twice."""
        ...

    def fetch(self, statement: str, parameters: Sequence[Any] = ...) -> list[Any]:
        """Run one reading statement."""
        ...

    def alone(self, wait: float = 0.0) -> AbstractContextManager[bool]:
        """Say whether one is the only one in such a block, of all processes; else wait so long.

        It ends with the process, and keeps no one from reading or writing.
        """
        ...

    def close(self) -> None:
        """Release the connections; safe to call twice."""
        ...


class Postings(Protocol):
    """The inverted index over `words`, which the database itself keeps in step."""

    def counts(self, connection: Connection, tokens: Sequence[str]) -> dict[str, int]:
        """Return how many records hold each token."""
        ...

    def count_of(self, connection: Connection, scope: int) -> int:
        """Return how many records of a scope the index holds."""
        ...

    def newest(
        self, connection: Connection, tokens: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        """Return for each token the newest records that hold it, newest first."""
        ...

    def newest_beside(
        self, connection: Connection, token: str, others: Sequence[str], limit: int
    ) -> list[str]:
        """Return the newest records that hold a token and one of the others."""
        ...
