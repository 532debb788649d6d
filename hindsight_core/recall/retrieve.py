"""Hybrid retrieval: a hard filter, candidates by text and by vectors, one ranking, and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hindsight_core import ranking
from hindsight_core.indexed import search_text
from hindsight_core.ports import Embedder, Store, Where
from hindsight_core.ranking import ScoreBreakdown, Weights
from hindsight_core.recall.lexical import LexicalMatch, QueryTerms
from hindsight_core.schema import Memory, Scope
from hindsight_core.text import clean, fold, terms

__all__ = ["DEFAULT_SETTINGS", "Found", "Retrieval", "RetrievalSettings", "retrieve"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSettings:
    """How candidates are found, fused and let through.

    `pool` candidates are taken from each side. `lexical` is the weight of the words in the fused
    similarity, the rest is the vectors'. A candidate passes when its cosine reaches `relevance`
    (None: the embedder's own) or its words cover `coverage` of the query's idf mass.
    """

    pool: int = 60
    lexical: float = 0.5
    coverage: float = 0.5
    relevance: float | None = None
    common: float = 0.1
    """Share of all memories above which a term finds no candidates, while rarer terms do."""


DEFAULT_SETTINGS: Final = RetrievalSettings()


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One candidate with every part of its score; `why_not` says why it was not kept.

    `cosine` is None where the memory has no vector yet or no embedder is in use. `similarity` is
    fused from both sides, 0 to 1.
    """

    memory: Memory
    cosine: float | None
    bm25: float
    coverage: float
    matched: tuple[str, ...]
    similarity: float
    score: ScoreBreakdown
    kept: bool
    why_not: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieval:
    """What a query found: candidates, best first; `kept` holds those that may be shown.

    `widened` says that the filter left nothing, so that the whole scope was searched.
    """

    query: str
    where: Where
    candidates: tuple[Found, ...]
    threshold: float
    widened: bool
    lexical_only: bool

    @property
    def kept(self) -> tuple[Found, ...]:
        """The candidates that passed, best first; at most `top_k`."""
        return tuple(found for found in self.candidates if found.kept)


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
) -> Retrieval:
    """Find the memories of a scope that a text calls to mind.

    The filter is hard; when it leaves nothing, the kinds and statuses alone filter. Below the
    threshold nothing is kept. A memory that has no vector yet is found by its words.
    """
    question = clean(text).strip()
    pooled: Pooled = {}
    if question:
        pooled = _pool(store, embedder, scope, question, where, settings)
    wide = replace(where, entities=(), task_type=None, tool_sequence=(), since=None, until=None)
    widened = bool(question) and not pooled and wide != where
    if widened:
        pooled = _pool(store, embedder, scope, question, wide, settings)
    threshold = settings.relevance
    if threshold is None:
        threshold = embedder.info.relevance if embedder else 0.0
    ranked = sorted(
        (
            _judge(memory, cosine, match, now, weights, settings, threshold)
            for memory, cosine, match in pooled.values()
        ),
        key=lambda found: -found.score.total,
    )
    return Retrieval(
        query=question,
        where=wide if widened else where,
        candidates=tuple(_cut(ranked, top_k)),
        threshold=threshold,
        widened=widened,
        lexical_only=embedder is None,
    )


Pooled = Mapping[str, tuple[Memory, float | None, LexicalMatch]]


def _pool(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    question: str,
    where: Where,
    settings: RetrievalSettings,
) -> Pooled:
    """Gather candidates from both sides, and score each of them on both."""
    wanted = dict.fromkeys(terms(question), 1.0)
    counts = store.term_counts(scope, list(wanted))
    query = QueryTerms(wanted, counts)
    telling = _telling(list(wanted), counts.holding, counts.total * settings.common)
    ids = [hit.id for hit in store.match_text(scope, where, telling, settings.pool)]
    cosines: dict[str, float] = {}
    if embedder is not None:
        vector = embedder.query(question)
        near = store.nearest(scope, where, vector, settings.pool)
        cosines = {hit.id: hit.score for hit in near}
        rest = [found for found in ids if found not in cosines]
        cosines |= store.cosines(scope, rest, vector)
    ids = list(dict.fromkeys([*ids, *cosines]))
    return {
        memory.id: (memory, cosines.get(memory.id), query.match(search_text(memory)))
        for memory in store.get(scope, ids)
    }


def _telling(wanted: Sequence[str], holding: Mapping[str, int], limit: float) -> list[str]:
    """Return the terms that find candidates: those that occur, without the common ones.

    Every memory that holds a common word would have to be scored, and the rarer words decide.
    """
    occurring = [term for term in wanted if holding.get(term)]
    rare = [term for term in occurring if holding[term] <= limit]
    return rare if len(rare) > 1 else sorted(occurring, key=holding.__getitem__)[:3]


def _judge(
    memory: Memory,
    cosine: float | None,
    match: LexicalMatch,
    now: datetime,
    weights: Weights,
    settings: RetrievalSettings,
    threshold: float,
) -> Found:
    similarity = fuse(cosine, match, settings)
    why_not = ""
    if memory.expires_at is not None and memory.expires_at <= now:
        why_not = "expired"
    elif match.coverage < settings.coverage and (cosine is None or cosine < threshold):
        why_not = "below the relevance threshold"
    return Found(
        memory=memory,
        cosine=cosine,
        bm25=match.bm25,
        coverage=match.coverage,
        matched=match.matched,
        similarity=similarity,
        score=ranking.score(memory, similarity, now, weights),
        kept=not why_not,
        why_not=why_not,
    )


def fuse(cosine: float | None, match: LexicalMatch, settings: RetrievalSettings) -> float:
    """Join both sides, each on its own absolute scale of 0 to 1."""
    if cosine is None:
        return match.share
    return settings.lexical * match.share + (1 - settings.lexical) * max(0.0, cosine)


def _cut(ranked: Sequence[Found], top_k: int) -> list[Found]:
    """Keep `top_k`, and of those that say the same only the best."""
    seen: set[str] = set()
    cut: list[Found] = []
    for found in ranked:
        said = fold(found.memory.content)
        if found.kept and said in seen:
            cut.append(replace(found, kept=False, why_not="says the same as a better one"))
        elif found.kept and len(seen) >= top_k:
            cut.append(replace(found, kept=False, why_not=f"beyond the best {top_k}"))
        else:
            if found.kept:
                seen.add(said)
            cut.append(found)
    return cut
