"""Vectors of what is asked: each encoded once, off the caller's thread, and ahead where asked."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Final

from hindsight_core.engine.answers import query_vector
from hindsight_core.errors import EmbedderMismatchError, ModelError
from hindsight_core.failsafe import describe
from hindsight_core.ports import Embedder, IndexInfo
from hindsight_core.recall import questions
from hindsight_core.text import clean, shorten
from hindsight_core.workers import DaemonPool, not_ending

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["EncodedQuery", "QueryFailedError", "QueryLateError", "QueryVectors"]

logger: Final = logging.getLogger("hindsight_core")
_MAX_QUERY: Final = 4_000
_MAX_VECTORS: Final = 512
"""Vectors of the latest queries, kept so that a query is encoded once."""
_NEWEST: Final = 0.2
"""What the latest query counts for in the time that one is expected to take."""


class QueryLateError(TimeoutError):
    """A query has no vector in time."""


class QueryFailedError(ModelError):
    """A query has no vector: the embedder raised, or its answer is none."""


class QueryVectors:
    """The query vectors of one open `Hindsight`; thread-safe."""

    def __init__(self) -> None:
        self._pool = DaemonPool(size=1)
        self._vectors: dict[str, Matrix] = {}
        self._seconds = 0.0  # that one query takes; 0: none was encoded yet
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._waiting = 0
        self._began: float | None = None  # when the one at work was begun

    def encoded(
        self, embedder: Embedder, message: str, patience: float, *, whole: bool = False
    ) -> EncodedQuery:
        """Return the embedder, the message's questions being encoded; returns at once.

        Its `query` waits for one of them, raises QueryFailedError when the embedder failed, and
        QueryLateError when it is not there `patience` seconds from now; what comes later is kept
        for the next time. So the store is searched for words in the meantime. Where so many wait
        already that its turn would come too late, or the one at work takes longer than this one
        would wait, the query is not waited for at all: a burst of users goes by words, and its
        later ones do not stand behind those that nobody waits for; a model that hangs is waited
        for once. `whole` takes the message for one text to look for.
        """
        until = time.perf_counter() + patience
        asked = [message] if whole else _asked(message)
        vectors = self._known(asked)
        missing = [text for text in asked if text not in vectors]
        if missing and self._is_late(len(missing), patience):
            return EncodedQuery(embedder, vectors, Future(), time.perf_counter())
        coming = self._submit(embedder, missing) if missing else None
        return EncodedQuery(embedder, vectors, coming, until)

    def _known(self, asked: Sequence[str]) -> dict[str, Matrix]:
        if self._pid != os.getpid():
            self._begin()  # a forked child has nothing at work, and a lock that may be held
        with self._lock:
            return {text: self._vectors[text] for text in asked if text in self._vectors}

    def _is_late(self, count: int, patience: float) -> bool:
        """Whether so many more would be encoded too late, by those that wait and their time."""
        with self._lock:
            if self._began is not None and time.perf_counter() - self._began > patience:
                return True
            return self._waiting > 0 and (self._waiting + count) * self._seconds > patience

    def clear(self) -> None:
        """Forget every query."""
        with self._lock:
            self._vectors.clear()

    def prefetch(self, embedder: Embedder, message: str) -> None:
        """Start to encode a message that will be recalled for; returns at once."""
        asked = _asked(message)
        known = self._known(asked)
        if missing := [text for text in asked if text not in known]:
            self._submit(embedder, missing)

    def _submit(self, embedder: Embedder, texts: Sequence[str]) -> Future[dict[str, Matrix]]:
        with self._lock:
            self._waiting += len(texts)
        coming = self._pool.submit(partial(self._encode, embedder, texts))
        coming.add_done_callback(lambda _: self._done(len(texts)))
        return coming

    def _done(self, count: int) -> None:
        with self._lock:
            self._waiting -= count

    def _encode(self, embedder: Embedder, texts: Sequence[str]) -> dict[str, Matrix]:
        made: dict[str, Matrix] = {}
        for text in texts:
            with self._lock:
                known = self._vectors.pop(text, None)
            made[text] = self._timed(embedder, text) if known is None else known
            with self._lock:
                self._vectors[text] = made[text]  # the latest is the last to go
                while len(self._vectors) > _MAX_VECTORS:
                    self._vectors.pop(next(iter(self._vectors)))
        return made

    def _timed(self, embedder: Embedder, text: str) -> Matrix:
        started = self._began = time.perf_counter()
        try:
            vector = query_vector(not_ending(embedder.query, text), embedder.info)
        finally:
            self._began = None
        took = time.perf_counter() - started
        with self._lock:
            usual = self._seconds or took
            self._seconds = usual + _NEWEST * (took - usual)
        return vector


def _asked(message: str) -> list[str]:
    return [question.text for question in questions(clean(shorten(message, _MAX_QUERY)).strip())]


class EncodedQuery:
    """An embedder whose questions are answered already, or being answered."""

    def __init__(
        self,
        embedder: Embedder,
        vectors: Mapping[str, Matrix],
        coming: Future[dict[str, Matrix]] | None,
        until: float,
    ) -> None:
        self._embedder = embedder
        self._vectors = dict(vectors)
        self._coming = coming
        self._until = until

    @property
    def info(self) -> IndexInfo:
        return self._embedder.info

    def meanwhile(self, steps: Iterable[Callable[[], object]]) -> None:
        """Take these steps, one after the other, until the questions are encoded."""
        for step in steps:
            if self._coming is None or self._coming.done():
                return
            step()

    def passages(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.passages(texts)

    def query(self, text: str) -> Matrix:
        if self._coming is not None and text not in self._vectors:
            left = self._until - time.perf_counter()
            try:
                self._vectors |= self._coming.result(max(0.0, left))
            except TimeoutError as error:
                logger.info("the query has no vector in time; this recall goes by words alone")
                raise QueryLateError("the query has no vector in time") from error
            except EmbedderMismatchError:
                raise
            except Exception as error:
                raise QueryFailedError(f"the query has no vector: {describe(error)}") from error
            self._coming = None
        known = self._vectors.get(text)
        return query_vector(self._embedder.query(text), self.info) if known is None else known
