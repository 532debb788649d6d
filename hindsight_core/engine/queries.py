"""What is asked of one open memory, on its way to a vector; without one it goes by words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.query_vectors import (
    EncodedQuery,
    QueryFailedError,
    QueryLateError,
    QueryVectors,
)

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["PATIENCE", "Queries"]

PATIENCE: Final = 60.0
"""Seconds that whoever asks by hand waits for a vector: long enough to load most models."""


class Queries:
    """The queries of one open `Hindsight`; thread-safe."""

    def __init__(self, core: Core, encoder: Encoder) -> None:
        self._core = core
        self._encoder = encoder
        self._vectors = QueryVectors()
        self.clear = self._vectors.clear

    def begin(
        self, text: str, patience: float | None = None, *, whole: bool = False
    ) -> EncodedQuery | None:
        """The embedder with the text's vectors on their way, or None to go by words alone."""
        embedder = self._encoder.fitting()
        if embedder is None:
            return None
        patience = PATIENCE if patience is None else patience
        return self._vectors.encoded(embedder, text, patience, whole=whole)

    def vector(self, text: str) -> Matrix | None:
        """The vector of a whole text to look for, or None to go without."""
        embedder = self.begin(text, whole=True)
        try:
            return embedder.query(text) if embedder else None
        except (QueryLateError, QueryFailedError) as error:
            self.by_words(error)
            return None

    def prefetch(self, text: str) -> None:
        """Start to encode a text that will be recalled for; returns at once."""
        embedder = self._core.embedder
        if embedder is not None and self._encoder.refused is None:
            self._vectors.prefetch(embedder, text)

    def by_words(self, error: QueryLateError | QueryFailedError) -> None:
        """Count a search without a vector; an embedder that failed is an error, a slow one not."""
        self._core.failsafe.counts.by_words += 1
        if isinstance(error, QueryFailedError):
            self._core.failsafe.report("recall.query", error.__cause__ or error)
