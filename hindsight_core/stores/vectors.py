"""A store beside whose tables an index of vectors stands: Qdrant, or any other `PointIndex`.

The index proposes which memories are alike; the store knows each record and vector as it is now,
and decides. So a hard filter is hard whatever the index holds, and a change is seen at once. An
index that is down is passed over: searches go by words, `vectors_error` says so, and what it was
not told is told when it answers again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.ports import ErasureReceipt, Hit, IndexInfo, PutResult, Where
from hindsight_core.schema import Memory, Scope
from hindsight_core.stores._points_search import Place, PointSearch
from hindsight_core.stores._points_telling import PointTeller
from hindsight_core.stores._sql_scopes import narrower_ids
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.points import PointFilter, PointIndex, PointsGoneError

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["VectorStore"]

logger: Final = logging.getLogger("hindsight_core")
_WAIT: Final = 5.0
"""Seconds that an erasure waits for another process to be done with telling."""
_SPARE: Final = 16
"""Points more than are wanted, in case some do not pass any more."""
_PLACE: Final = "indexed vectors"


class VectorStore:
    """A store whose vectors are searched by an index; all else goes through."""

    def __init__(self, store: SqlStore, index: PointIndex) -> None:
        self._store = store
        self._index = index
        self._teller = PointTeller(store, index)
        self._feed = self._teller.feed
        self._search = PointSearch(store.database, self._feed)
        self._claimed: IndexInfo | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def vectors_error(self) -> str:
        """Why the index is passed over; empty while it answers."""
        return self._teller.error

    def nearest(self, scope: Scope, where: Where, vector: Matrix, limit: int) -> list[Hit]:
        place = self._place(scope, vector)
        if place is None or limit < 1:
            return []
        try:
            proposed = self._propose(place, where, vector, limit + _SPARE)
        except PointsGoneError as error:
            logger.warning("%s: it is filled again", error)
            self._feed.forget(place.space)
            place, proposed = replace(place, told=0), ()
        if proposed is None and self._index.embedded:  # another process has it
            return self._store.nearest(scope, where, vector, limit)
        hits, untold = self._search.judge(place, where, vector, proposed or (), limit)
        if untold:
            self._teller.tell_soon()
        return hits

    def cosines(self, scope: Scope, ids: Sequence[str], vector: Matrix) -> dict[str, float]:
        place = self._place(scope, vector)
        return {} if place is None else self._search.cosines(place, ids, vector)

    def claim_index(self, info: IndexInfo) -> None:
        self._store.claim_index(info)
        self._claimed = info

    def add_vectors(self, items: Iterable[tuple[str, Matrix]]) -> None:
        self._store.add_vectors(items)
        self._teller.tell()

    def put(self, memories: Sequence[Memory]) -> list[PutResult]:
        results = self._store.put(memories)
        self._tell_of(memories)
        return results

    def settle(self, run_id: str, *, memories: Sequence[Memory], **judged: Any) -> list[PutResult]:
        results = self._store.settle(run_id, memories=memories, **judged)
        self._tell_of(memories)
        return results

    def reflect(
        self, run_ids: Sequence[str], memories: Sequence[Memory], *, at: datetime
    ) -> Sequence[PutResult]:
        results = self._store.reflect(run_ids, memories, at=at)
        self._tell_of(memories)
        return results

    def delete(self, scope: Scope, ids: Sequence[str], *, wipe: bool = True) -> int:
        gone = self._store.delete(scope, ids, wipe=wipe)
        if gone:
            self._teller.tell(wait=_WAIT)
        return gone

    def erase(self, scope: Scope, *, at: datetime) -> ErasureReceipt:
        with self._store.database.read() as connection:
            scopes = narrower_ids(connection, scope)
        receipt = self._store.erase(scope, at=at)
        purged = self._teller.purge(scopes, _WAIT) if scopes else (0, 0)
        self._teller.tell_soon()
        # Of an index that is down, what was erased here is what remains there.
        removed, left = purged or (0, receipt.removed["vectors"])
        return replace(
            receipt,
            removed=receipt.removed | {_PLACE: removed},
            remaining=receipt.remaining | {_PLACE: left},
        )

    def finish_reindex(self, info: IndexInfo) -> bool:
        before, spaces, _ = self._feed.spaces()
        if spaces[-1] != before and not self._store.unindexed(info, 1):
            self._teller.tell(spaces[-1], wait=_WAIT)  # so that the switch finds it full
        finished = self._store.finish_reindex(info)
        if finished:
            self._claimed = info
            self._feed.vouch(spaces[-1])
            self._teller.drop(before)
            self._teller.tell(wait=_WAIT)
        return finished

    def unerased(self) -> int:
        """How many deleted vectors the index still holds, because it was not told yet."""
        return self._feed.behind()[1]

    def untold(self) -> int:
        """How many changes the index was not told yet; searches compare those themselves."""
        return self._feed.behind()[0]

    def indexed(self, ids: Sequence[str]) -> int:
        """How many of these records have a vector, which the index holds or will hold."""
        return self._search.encoded(ids)

    def tell(self, on_progress: Callable[[int], None] | None = None) -> bool:
        """Tell the index what changed; False if it does not answer or another process is at it.

        `on_progress` is called with the number of changes told so far.
        """
        return self._teller.tell(wait=_WAIT, on_progress=on_progress)

    def check(self) -> dict[str, Any]:
        report = self._store.check()
        space, _, held = self._feed.spaces()
        collection = self._teller.collection(space)
        there = self._teller.ask(lambda: self._index.count(collection))
        untold = self.untold()
        report |= {_PLACE: there, "untold": untold}
        if there is None:
            report["problems"].append(f"{self._index.name}: {self.vectors_error}")
        elif not untold and there != held:
            report["problems"].append(
                f"{self._index.name} holds {there} of {held} vectors. Delete its collection "
                f"{collection}: it is filled again from the records"
            )
        return report

    def close(self) -> None:
        self._store.close()
        self._index.close()

    def _place(self, scope: Scope, vector: Matrix) -> Place | None:
        place = self._search.place(scope, self._claimed)
        if place is None or vector.shape != (place.dimension,) or not place.scopes:
            return None
        return place

    def _propose(
        self, place: Place, where: Where, vector: Matrix, limit: int
    ) -> Sequence[int] | None:
        if not place.told:  # then there is no collection yet
            return ()
        rids = self._search.passing(place, where)
        which = PointFilter(scopes=place.scopes, where=where, rids=rids)
        collection = self._teller.collection(place.space)
        return self._teller.ask(lambda: self._index.search(collection, vector, which, limit))

    def _tell_of(self, memories: Sequence[Memory]) -> None:
        if any(memory.revision for memory in memories):  # a new one has no vector yet
            self._teller.tell_soon()
