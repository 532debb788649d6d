"""Reranking that a recall can do without: what fails or comes too late is told and left out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from hindsight_core.engine.answers import scores_of
from hindsight_core.failsafe import Failsafe
from hindsight_core.ports import Reranker
from hindsight_core.recall import Rerank
from hindsight_core.workers import DaemonPool

__all__ = ["Reranking"]


class Reranking:
    """The reranker of one open `Hindsight`, asked off the caller's thread; thread-safe."""

    def __init__(self, reranker: Reranker, failsafe: Failsafe) -> None:
        self._reranker: Final = reranker
        self._failsafe: Final = failsafe
        self._pool: Final = DaemonPool(size=2)

    def before(self, until: float) -> Rerank:
        """Return a function that scores texts, or gives None where that takes too long.

        `until` is a time of `time.perf_counter`.
        """
        return partial(self._scores, until)

    def _scores(self, until: float, query: str, texts: Sequence[str]) -> Sequence[float] | None:
        patience = max(0.0, until - time.perf_counter())
        asked = self._pool.submit(partial(self._asked, query, texts))
        try:
            error = asked.exception(patience)
        except TimeoutError:
            error = TimeoutError(f"no scores within {patience:.1f} s")
        if error is not None:
            self._failsafe.report("rerank", error)
            return None
        return asked.result()

    def _asked(self, query: str, texts: Sequence[str]) -> list[float]:
        return scores_of(self._reranker.scores(query, texts), len(texts))
