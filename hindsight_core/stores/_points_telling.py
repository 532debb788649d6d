"""Tells an index of points what changed in its store, and passes an index over that is down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Final, TypeVar

from hindsight_core.errors import StoreError
from hindsight_core.stores._points_feed import Feed, Page
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.points import PointIndex, PointIndexError, PointsGoneError
from hindsight_core.workers import DaemonPool

__all__ = ["PointTeller"]

logger: Final = logging.getLogger("hindsight_core")
_PAUSE: Final = 5.0
"""An index that failed is not asked again for so many seconds."""
_BATCH: Final = 1_000
"""Points of one request."""
_One = TypeVar("_One")
_Answer = TypeVar("_Answer")


class PointTeller:
    """All that one process says to an index; one process tells at a time."""

    def __init__(self, store: SqlStore, index: PointIndex) -> None:
        self.feed = Feed(store.database, index.name)
        self.error = ""
        """Why the index is passed over; empty while it answers."""
        self._database = store.database
        self._index = index
        self._prefix = f"hindsight_{blake2b(store.identity.encode(), digest_size=6).hexdigest()}"
        self._paused_until = 0.0
        self._worker = DaemonPool(size=1)
        self._due = False

    def collection(self, space: int) -> str:
        """Return the name of the collection that holds the vectors of an embedder."""
        return f"{self._prefix}_{space}"

    def ask(self, ask: Callable[[], _Answer]) -> _Answer | None:
        """Ask the index; None if it does not answer, or did not a moment ago.

        Raises `PointsGoneError` when it answers that the collection is gone.
        """
        if time.monotonic() < self._paused_until:
            return None
        try:
            answer = ask()
        except PointsGoneError:
            raise
        except PointIndexError as error:
            if not self.error:
                logger.warning("the index of vectors is passed over: %s", error)
            self.error = str(error)
            self._paused_until = time.monotonic() + _PAUSE
            return None
        if self.error:
            logger.info("the index of vectors answers again")
        self.error = ""
        return answer

    def tell(
        self,
        space: int | None = None,
        *,
        wait: float = 0.0,
        on_progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Tell everything; False if the index does not answer or another process is at it.

        `wait` is how many seconds to wait for that one; `on_progress` is called with the number of
        changes told so far.
        """
        done = 0
        if self.feed.page(space) is None:
            return True
        while True:
            told = self.ask(lambda: self._tell_next(space, wait))
            if told is None or told < 0:
                return False
            if not told:
                return True
            done += told
            if on_progress is not None:
                on_progress(done)

    def tell_soon(self) -> None:
        """Tell in the background; returns at once."""
        if not self._due and time.monotonic() >= self._paused_until:
            self._due = True
            self._worker.submit(self._tell_behind)

    def purge(self, scopes: Sequence[int], wait: float) -> tuple[int, int] | None:
        """Delete the points of erased scopes; return how many there were and are, None if down."""

        def purge() -> tuple[int, int]:
            removed = left = 0
            with self._database.alone(wait):  # else an earlier word of theirs could come after
                for space in self.feed.spaces()[1]:
                    collection = self.collection(space)
                    held = self._index.count(collection, scopes)
                    if held:
                        self._index.delete_scopes(collection, scopes)
                    removed += held
                    left += self._index.count(collection, scopes)
            return removed, left

        return self.ask(purge)

    def drop(self, space: int) -> None:
        """Delete the collection of an embedder that was replaced."""
        self.ask(lambda: self._index.drop(self.collection(space)))
        self.feed.forget(space)

    def _tell_next(self, space: int | None, wait: float) -> int:
        """Tell some changes; return how many, 0 if there are none, -1 if another one tells."""
        with self._database.alone(wait) as alone:
            if not alone:
                return -1
            page = self.feed.page(space)
            if page is None:
                return 0
            self._tell_page(page)
            return len(page.points) + len(page.gone)

    def _tell_page(self, page: Page) -> None:
        collection = self.collection(page.space)
        if page.anew:
            self.feed.forget(page.space)
            self._index.drop(collection)
        made = self._index.make(collection, page.dimension)
        if page.anew:
            self.feed.begin(page.space)
        elif made:  # somebody deleted it: the next page is the first one again
            self.feed.forget(page.space)
            return
        for rids in _slices(page.gone):
            self._index.delete(collection, rids)
        for points in _slices(page.points):
            self._index.upsert(collection, points)
        self.feed.advance(page.space, page.upto)

    def _tell_behind(self) -> None:
        self._due = False  # what comes from now on asks again
        try:
            self.tell()
        except StoreError as error:  # closed, or down: whoever writes next tells of it
            logger.info("the index of vectors was not told: %s", error)


def _slices(many: Sequence[_One]) -> Iterable[Sequence[_One]]:
    return (many[start : start + _BATCH] for start in range(0, len(many), _BATCH))
