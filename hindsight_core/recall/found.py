"""What retrieval returns: candidates with every part of their score, and why one was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Self

from hindsight_core import ranking
from hindsight_core.ports import Where
from hindsight_core.ranking import ScoreBreakdown
from hindsight_core.schema import Memory

__all__ = ["BELOW", "DEFAULT_SETTINGS", "Found", "Retrieval", "RetrievalSettings", "keep_beside"]

BELOW: Final = "below the relevance threshold"
"""Why a candidate is not kept that is unlike what was asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSettings:
    """How candidates are found, fused and let through.

    `pool` candidates are taken from each side, and as many are read. In the fused similarity
    the words count 1 and the vectors `vectors`; `speaker` is the rise for a memory of one whom
    the question names, `identifier` for one that holds a rare identifier of it, `time` for one
    of the days that it names relative to today; `run` the weight of the best memories of the
    same run; `feedback` that of the words of the best memory, which lead on to what belongs to
    it. A candidate passes when its cosine reaches `relevance` (None: the embedder's own), its
    words cover `coverage` of the question's idf mass, or it holds `follows` of what the best
    candidate adds, where that one passes. `rerank` candidates are read by the reranker, where
    there is one.
    """

    pool: int = 40
    vectors: float = 0.6
    speaker: float = 0.2
    identifier: float = 0.2
    time: float = 0.2
    run: float = 0.4
    run_members: int = 3
    feedback: float = 0.3
    coverage: float = 0.4
    follows: float = 0.3
    relevance: float | None = None
    rerank: int = 20


DEFAULT_SETTINGS: Final = RetrievalSettings()


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One candidate with every part of its score; `why_not` says why it was not kept.

    `cosine` is None where the memory has no vector yet or no embedder is in use. `parts` holds
    what the fused `similarity` (0 to 1) is the sum of: words, vector, speaker, identifier,
    time, run, feedback, rerank. `ranks` are its places on each side, from 1. `question` is the
    number of the question that it answers best, from 0.
    """

    memory: Memory
    cosine: float | None
    bm25: float
    coverage: float
    matched: tuple[str, ...]
    parts: dict[str, float] = field(default_factory=dict[str, float])
    ranks: dict[str, int] = field(default_factory=dict[str, int])
    similarity: float
    score: ScoreBreakdown
    question: int = 0
    kept: bool
    why_not: str = ""

    @classmethod
    def beside(
        cls,
        memory: Memory,
        now: datetime,
        weights: ranking.Weights,
        *,
        similarity: float = 0.0,
        parts: Mapping[str, float] | None = None,
    ) -> Self:
        """A memory that is kept although the search itself did not find it."""
        return cls(
            memory=memory,
            cosine=None,
            bm25=0.0,
            coverage=0.0,
            matched=(),
            parts=dict(parts or {}),
            similarity=similarity,
            score=ranking.score(memory, similarity, now, weights),
            kept=True,
        )


def keep_beside(
    candidates: Sequence[Found],
    memories: Sequence[Memory],
    now: datetime,
    weights: ranking.Weights,
    *,
    part: str,
) -> tuple[Found, ...]:
    """Return the candidates with these memories kept, after those that were called to mind.

    `part` names why, in what the report tells of one that the search had not found.
    """
    if not memories:
        return tuple(candidates)
    known = {found.memory.id: found for found in candidates}
    added = [
        replace(known.pop(memory.id), kept=True, why_not="")
        if memory.id in known
        else Found.beside(memory, now, weights, parts={part: 1.0})
        for memory in memories
    ]
    shown = [found for found in known.values() if found.kept]
    return (*shown, *added, *(found for found in known.values() if not found.kept))


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieval:
    """What a message called to mind: candidates, best first, kept or not.

    `questions` are the parts of the message that were searched apart. `widened` says that the
    filter left nothing, so that the whole scope was searched.
    """

    query: str
    questions: tuple[str, ...]
    where: Where
    candidates: tuple[Found, ...]
    threshold: float
    widened: bool
    lexical_only: bool

    @property
    def kept(self) -> tuple[Found, ...]:
        """The candidates that may be shown, best first; at most `top_k`."""
        return tuple(found for found in self.candidates if found.kept)
