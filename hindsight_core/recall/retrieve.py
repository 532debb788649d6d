"""Hybrid retrieval: a hard filter, candidates by text and by vectors, one ranking, and reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest

from hindsight_core import ranking
from hindsight_core.indexed import passage_text
from hindsight_core.ports import Embedder, Store, Where
from hindsight_core.ranking import Weights
from hindsight_core.recall.asked import forget_questions, questions
from hindsight_core.recall.evidence import Entry, Pool, best_of, is_relevant, similarity
from hindsight_core.recall.found import (
    BELOW,
    DEFAULT_SETTINGS,
    Found,
    Retrieval,
    RetrievalSettings,
)
from hindsight_core.recall.lexical import forget_words
from hindsight_core.recall.pool import Search
from hindsight_core.recall.question import Question, forget_terms
from hindsight_core.recall.spellings import forget_spellings
from hindsight_core.recall.synonyms import Synonyms, shipped_synonyms
from hindsight_core.schema import Scope
from hindsight_core.text import clean, fold

__all__ = ["Rerank", "forget_texts", "retrieve"]

Rerank = Callable[[str, Sequence[str]], Sequence[float] | None]
"""From a question and texts to one score a text, 0 to 1; None leaves the ranking as it is."""


def retrieve(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    text: str,
    where: Where,
    *,
    top_k: int,
    now: datetime,
    weights: Weights = ranking.DEFAULT,
    settings: RetrievalSettings = DEFAULT_SETTINGS,
    rerank: Rerank | None = None,
    synonyms: Synonyms | None = None,
) -> Retrieval:
    """Find the memories of a scope that a text calls to mind.

    The filter is hard; when it leaves nothing, kinds and statuses alone filter, and time decays.
    Below the threshold, which is the index's own, nothing is kept. A memory that has no vector yet
    is found by its words. A message with several questions gets the best of each in turn. Words and
    entities are found by their `synonyms` as well (None: the shipped ones).
    """
    message = clean(text).strip()
    asked = questions(message) if message else ()
    words = shipped_synonyms() if synonyms is None else synonyms
    where = replace(where, entities=words.matching(where.entities))
    search = Search(
        store=store,
        embedder=embedder,
        scope=scope,
        where=where,
        settings=settings,
        synonyms=words,
        today=now.date(),
    )
    pools = [search.pool(question) for question in asked]
    wide = Where(
        kinds=where.kinds,
        statuses=where.statuses,
        include_superseded=where.include_superseded,
    )
    widened = bool(asked) and not any(pools) and wide != where
    if widened:
        search = replace(search, where=wide)
        pools = [search.pool(question) for question in asked]
    threshold = settings.relevance
    if threshold is None:
        threshold = (store.index_info() or embedder.info).relevance if embedder else 0.0
    lists: list[list[Found]] = []
    for number, (question, pool) in enumerate(zip(asked, pools, strict=True)):
        if rerank is not None:
            _rerank(rerank, question, pool, settings.rerank)
        best = best_of(pool)
        leads = best is not None and is_relevant(best, threshold, settings)
        judged = [
            _judge(
                number,
                entry,
                now,
                weights,
                relevant=is_relevant(entry, threshold, settings)
                or (leads and entry.follows >= settings.follows),
            )
            for entry in pool.values()
        ]
        lists.append(sorted(judged, key=lambda found: -found.score.total))
    return Retrieval(
        query=message,
        questions=tuple(question.text for question in asked),
        where=search.where,
        candidates=tuple(_cut(_in_turn(lists), top_k)),
        threshold=threshold,
        widened=widened,
        lexical_only=embedder is None,
    )


def forget_texts() -> None:
    """Empty the caches of this room, which hold words of memories and questions."""
    forget_words()
    forget_questions()
    forget_terms()
    forget_spellings()


def _rerank(rerank: Rerank, question: Question, pool: Pool, depth: int) -> None:
    """Let the reranker's word count as much as everything else, for the best of the pool."""
    best = sorted(pool.values(), key=similarity, reverse=True)[:depth]
    scores = rerank(question.text, [passage_text(entry.memory) for entry in best])
    if scores is None:
        return
    for entry in pool.values():
        entry.parts = {name: part / 2 for name, part in entry.parts.items()}
    for entry, score in zip(best, scores, strict=True):
        entry.parts["rerank"] = score / 2


def _judge(
    number: int,
    entry: Entry,
    now: datetime,
    weights: Weights,
    *,
    relevant: bool,
) -> Found:
    memory, match = entry.memory, entry.match
    why_not = ""
    if memory.expires_at is not None and memory.expires_at <= now:
        why_not = "expired"
    elif not relevant:
        why_not = BELOW
    alike = similarity(entry)
    return Found(
        memory=memory,
        cosine=entry.cosine,
        bm25=match.bm25,
        coverage=match.coverage,
        matched=match.matched,
        parts=dict(entry.parts),
        ranks=entry.ranks,
        similarity=alike,
        score=ranking.score(memory, alike, now, weights),
        question=number,
        kept=not why_not,
        why_not=why_not,
    )


def _in_turn(lists: Sequence[Sequence[Found]]) -> list[Found]:
    """Take the best of each question, then the second of each, and every memory once."""
    taken: dict[str, Found] = {}
    for row in zip_longest(*lists):
        for found in row:
            if found is not None:
                taken.setdefault(found.memory.id, found)
    return list(taken.values())


def _cut(ranked: Sequence[Found], top_k: int) -> list[Found]:
    """Keep `top_k`, and of those that say the same only the best."""
    said: set[str] = set()
    cut: list[Found] = []
    for found in ranked:
        why_not = ""
        if found.kept and len(said) >= top_k:
            why_not = f"beyond the best {top_k}"
        elif found.kept:
            words = fold(found.memory.content)
            if words in said:
                why_not = "says the same as a better one"
            said.add(words)
        cut.append(replace(found, kept=False, why_not=why_not) if why_not else found)
    return cut
