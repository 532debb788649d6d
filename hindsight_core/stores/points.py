"""An index of vectors beside a store, as a protocol: it only proposes, the store disposes.

The store keeps every vector and stays the truth. The index holds a copy of each with what it is
filtered by, and no text. Losing it loses nothing: it is filled again from the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hindsight_core.port_types import Where

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["Point", "PointFilter", "PointIndex", "PointIndexError", "PointsGoneError"]


class PointIndexError(Exception):
    """The index did not answer, or not with what was asked; the store goes on without it."""


class PointsGoneError(PointIndexError):
    """The collection that was asked for is not there: somebody deleted it."""


class Point(NamedTuple):
    """One vector and what it is filtered by.

    `time` is in microseconds since 1970, `scope` the number of the scope in its store.
    """

    rid: int
    vector: Matrix
    scope: int
    kind: str
    status: str
    superseded: bool
    time: int
    trust: float

    def payload(self) -> dict[str, object]:
        """Return what an index keeps beside the vector; a keyword index wants text."""
        return {
            "scope": str(self.scope),
            "kind": self.kind,
            "status": self.status,
            "superseded": int(self.superseded),  # qdrant-edge matches no booleans
            "time": self.time,
            "trust": self.trust,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class PointFilter:
    """Which points a search may propose: those of these scopes that pass `where`.

    Of `where` the index knows kinds, statuses, times and whether superseded. What else it asks
    for the store has looked up: then only `rids` pass.
    """

    scopes: Sequence[int]
    where: Where
    rids: Sequence[int] | None = None


class PointIndex(Protocol):
    """Collections of points, each of one store and embedder.

    A write has taken effect when the call returns. Every call may raise `PointIndexError`.
    """

    @property
    def name(self) -> str:
        """Where the index is, without secrets; how far it was filled is remembered under it."""
        ...

    @property
    def embedded(self) -> bool:
        """Whether it belongs to one process, so that others compare vectors themselves."""
        ...

    def make(self, collection: str, dimension: int) -> bool:
        """Make a collection unless it is there; say whether it was made now."""
        ...

    def drop(self, collection: str) -> None:
        """Delete a whole collection; nothing happens if there is none."""
        ...

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points, each in the place of an earlier one of its `rid`."""
        ...

    def delete(self, collection: str, rids: Sequence[int]) -> None:
        """Delete points by number; of some there may be none."""
        ...

    def delete_scopes(self, collection: str, scopes: Sequence[int]) -> None:
        """Delete every point of these scopes."""
        ...

    def count(self, collection: str, scopes: Sequence[int] | None = None) -> int:
        """Return how many points there are, of these scopes or of all; 0 without a collection."""
        ...

    def search(
        self, collection: str, vector: Matrix, which: PointFilter, limit: int
    ) -> Sequence[int]:
        """Return the numbers of the points most alike to a unit vector, best first.

        Raises `PointsGoneError` without a collection.
        """
        ...

    def close(self) -> None:
        """Release what is held; safe to call twice."""
        ...
