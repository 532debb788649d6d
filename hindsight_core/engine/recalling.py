"""One recall: search, rank, render into a block, and keep the report that explains it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from hindsight_core.capture import forget_read
from hindsight_core.engine.agreeing import agree, clear_agreement
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.few_lessons import with_the_unlike
from hindsight_core.engine.holding_out import WITHHELD, held_out
from hindsight_core.engine.lesson_seats import seated_for, with_lessons
from hindsight_core.engine.observed import count_found, observed
from hindsight_core.engine.queries import PATIENCE, Queries
from hindsight_core.engine.query_vectors import QueryFailedError, QueryLateError
from hindsight_core.engine.recalled import Recalled
from hindsight_core.engine.receiving import receive
from hindsight_core.engine.reranking import Reranking
from hindsight_core.engine.sealing import CHANGED
from hindsight_core.engine.showing import Numbers, show
from hindsight_core.errors import EmbedderMismatchError
from hindsight_core.ports import Where
from hindsight_core.recall import (
    AskedOnce,
    Found,
    LessonKey,
    LessonMatch,
    RecallReport,
    RetrievalSettings,
    Synonyms,
    describe_filters,
    find_lessons,
    forget_texts,
    marked,
    missing_rivals,
    report_candidates,
    retrieve,
    with_rivals,
)
from hindsight_core.schema import Scope
from hindsight_core.text import clean, shorten

__all__ = ["Recaller"]

_ROOM_TO_CHOOSE: Final = 4
"""Times as many candidates as seats are judged fit, so that seats can be given by kind."""
_MAX_QUERY: Final = 4_000
_NO_KEY: Final = LessonKey()


class Recaller:
    """Recalls for one open `Hindsight`."""

    def __init__(self, core: Core, encoder: Encoder) -> None:
        self._core = core
        self._encoder = encoder
        self._reranking = Reranking(core.reranker, core.failsafe) if core.reranker else None
        self.queries = Queries(core, encoder)
        core.caches += (self.queries.clear, clear_agreement, forget_texts, forget_read)
        self._synonyms = (
            Synonyms.shipped().extended(core.settings.synonyms) if core.settings.synonyms else None
        )

    @observed("recall", count_found)
    def recall(
        self,
        scope: Scope,
        query: str,
        *,
        where: Where,
        top_k: int | None = None,
        run_id: str = "",
        threshold: float | None = None,
        patience: float | None = None,
        key: LessonKey = _NO_KEY,
        numbers: Numbers | None = None,
        details: bool = False,
        said: str = "",
        inspect: bool = False,
        meanwhile: Sequence[Callable[[], object]] = (),
    ) -> Recalled:
        """Find at most `top_k` memories for a query, render them, and keep the report.

        Of the `key` lessons are left out that it excludes; those found by it take free seats. When
        the query has no vector after `patience` seconds (a model that is being loaded, a slow
        endpoint), or the embedder fails, this recall goes by words alone, which `health` counts; so
        it goes without a reranker that takes longer. `numbers` are those of the run's earlier
        blocks, `details` says that the model can ask for what a line leaves out. A person who looks
        with `inspect` uses nothing: what was found is as old and as often used as before. In a run
        the rules that hold for every answer have seats of their own, beside the `top_k`, and a
        user's few rules and lessons those that stay free; see `with_the_unlike`. `meanwhile` is
        done for as long as the query is being encoded.
        """
        core = self._core
        started = time.perf_counter()
        now = core.clock()
        recall_id = core.ids()
        seats = top_k or core.settings.top_k
        self._encoder.wake(receive(core, scope))
        query = clean(query)
        question = shorten(query, _MAX_QUERY)
        patience = PATIENCE if patience is None else patience
        embedder = self.queries.begin(question, patience)
        settings = RetrievalSettings(
            relevance=core.settings.relevance if threshold is None else threshold
        )
        store = AskedOnce.over(core.store)
        search = partial(
            retrieve,
            store,
            scope=scope,
            text=question,
            where=where,
            top_k=seats * _ROOM_TO_CHOOSE,
            now=now,
            weights=core.settings.weights,
            settings=settings,
            synonyms=self._synonyms,
            rerank=self._reranking.before(started + patience) if self._reranking else None,
        )
        beyond = partial(with_the_unlike, core, store, scope, seats, key, now, run_id)
        if embedder is not None:
            # By words alone these ask and count most of what is wanted when the vector is there.
            steps: list[Callable[[], object]] = [partial(search, None, rerank=None)]
            if key:
                steps.append(partial(find_lessons, store, scope, question, key))
            if run_id:
                steps.append(partial(beyond, ()))
            embedder.meanwhile([*steps, *meanwhile])
        try:
            found = search(embedder)
        except EmbedderMismatchError as error:  # the store was reindexed while this process ran
            self._encoder.refuse(error)
            embedder = None
            found = search(None)
        except (QueryLateError, QueryFailedError) as error:
            self.queries.by_words(error)
            embedder = None
            found = search(None)
        ranked: Sequence[Found] = found.candidates
        if key:
            matches = find_lessons(store, scope, question, key, embedder=embedder)
            ranked = with_lessons(ranked, matches, key, now, core.settings.weights)
        seated = partial(self._seated, found.threshold, seats, question, not run_id)
        candidates = seated(ranked)
        agreed = agree(core, scope, candidates, [c.memory for c in candidates if c.kept])
        if agreed.held:
            candidates = seated(agreed.without(ranked))
        candidates = held_out(core.settings, candidates, run_id)
        candidates = agreed.without(self._with_rivals(scope, candidates, seats, now))
        if run_id:
            candidates = beyond(candidates)
        picked = marked(candidates)
        block = show(
            core,
            picked,
            recall_id=recall_id,
            now=now,
            question=question,
            notes=agreed.notes,
            numbers=numbers,
            details=details,
        )
        report = RecallReport(
            recall_id=recall_id,
            run_id=run_id,
            scope=scope,
            at=now,
            query=query,
            said=said if said != query else "",
            filters=describe_filters(where),
            embedder=embedder.info.model if embedder else "",
            threshold=found.threshold,
            thresholds={
                "cosine": found.threshold,
                "coverage": settings.coverage,
                "follows": settings.follows,
            },
            questions=found.questions,
            widened=found.widened,
            milliseconds=(time.perf_counter() - started) * 1000,
            candidates=report_candidates(candidates, block.numbered if block else {}),
            injected=block.text if block else "",
            tokens=block.tokens if block else 0,
            inspection=inspect,
        )
        with core.failsafe.guard("recall.report"):  # a store that is only to be read
            core.store.save_recall(scope, recall_id, run_id, report.model_dump_json())
            if block and not inspect:
                core.store.touch(scope, block.memory_ids, at=now)
        withheld = tuple(c.memory.id for c in candidates if c.why_not == WITHHELD)
        return Recalled(memories=tuple(picked), block=block, report=report, withheld=withheld)

    def _seated(
        self, threshold: float, seats: int, task: str, search: bool, candidates: Sequence[Found]
    ) -> tuple[Found, ...]:
        """Give the seats, none of them to a record that was changed behind our back."""
        while True:
            seated = seated_for(task, candidates, seats, threshold, search=search)
            picked = [one.memory for one in seated if one.kept]
            intact = {m.id for m in self._core.seal.intact(picked, self._core.store)}
            if len(intact) == len(picked):
                return seated
            changed = {memory.id for memory in picked} - intact
            candidates = [
                replace(one, kept=False, why_not=CHANGED) if one.memory.id in changed else one
                for one in candidates
            ]

    def _with_rivals(
        self, scope: Scope, candidates: Sequence[Found], seats: int, now: datetime
    ) -> tuple[Found, ...]:
        """The candidates, each that is kept beside what it contradicts."""
        if not any(found.kept and found.memory.conflicts_with for found in candidates):
            return tuple(candidates)
        store = self._core.store
        missing = missing_rivals(candidates)
        rivals = self._core.seal.intact(store.get(scope, missing) if missing else (), store)
        known = {memory.id: memory for memory in rivals}
        weights = self._core.settings.weights
        return with_rivals(candidates, known, seats, now=now, weights=weights)

    def lessons(self, scope: Scope, task: str, key: LessonKey) -> list[LessonMatch]:
        """The lessons that fit a task in two stages, at most three, best first."""
        question = shorten(task, _MAX_QUERY)
        embedder = self.queries.begin(question)
        try:
            return find_lessons(self._core.store, scope, question, key, embedder=embedder)
        except (QueryLateError, QueryFailedError) as error:
            self.queries.by_words(error)
            return find_lessons(self._core.store, scope, question, key)
