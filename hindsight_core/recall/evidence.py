"""What speaks for a candidate: its words, its vector, who spoke, its run, what the best one says.

Pure: from a pool of candidates to the parts of each one's similarity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from hindsight_core.recall.found import RetrievalSettings
from hindsight_core.recall.lexical import LexicalMatch
from hindsight_core.recall.question import Question, content_terms
from hindsight_core.schema import Memory
from hindsight_core.text import terms

__all__ = ["Entry", "Pool", "add_runs", "base_parts", "best_of", "is_relevant", "similarity"]


@dataclass(kw_only=True, slots=True)
class Entry:
    """One candidate of one question while it is being judged; `parts` are weighted already.

    `ranks` are its places on each side, from 1, `held` the weighted counts of its terms; `follows`
    is the share (0 to 1) of what the best candidate adds to the question that it holds as well;
    `is_named` says that the question names it by an identifier that few others hold.
    """

    memory: Memory
    held: Mapping[str, float]
    cosine: float | None
    match: LexicalMatch
    parts: dict[str, float]
    ranks: dict[str, int]
    follows: float = 0.0
    is_named: bool = False


Pool = dict[str, Entry]


def base_parts(
    question: Question,
    memory: Memory,
    cosine: float | None,
    match: LexicalMatch,
    settings: RetrievalSettings,
) -> dict[str, float]:
    """Return the parts that need no other candidate, each on an absolute scale.

    A memory without a vector is judged by its words alone, at their full weight. Where the question
    names the speaker, whose name is embedded and indexed with the words, they count by their share:
    of n telling words n/(n + 1), so that "What?" is not found for the name of who said it.
    """
    whole = 1 + settings.vectors
    if cosine is None:
        parts = {"words": match.share}
    else:
        parts = {
            "words": match.share / whole,
            "vector": settings.vectors * max(0.0, cosine) / whole,
        }
    if memory.context.speaker and _names(question, memory.context.speaker):
        own = len(content_terms(memory.content))
        parts = {name: part * own / (own + 1) for name, part in parts.items()}
        parts["speaker"] = settings.speaker * sum(parts.values())
    return parts


def add_runs(pool: Mapping[str, Entry], settings: RetrievalSettings) -> None:
    """Let the best memories of a run speak for the others of the same run.

    What was learnt together belongs together: a run that several good candidates come from is
    likely the one that is asked about. A run of few candidates is not favoured by their absence.
    """
    runs: dict[str, list[Entry]] = defaultdict(list)
    for entry in pool.values():
        if entry.memory.evidence:
            runs[entry.memory.evidence[0].run_id].append(entry)
    for members in runs.values():
        best = sorted((similarity(entry) for entry in members), reverse=True)
        support = sum(best[: settings.run_members]) / settings.run_members
        for entry in members:
            entry.parts["run"] = settings.run * support


def is_relevant(entry: Entry, threshold: float, settings: RetrievalSettings) -> bool:
    """Whether its own vector, words or names say that it is about what was asked."""
    near = entry.cosine is not None and entry.cosine >= threshold
    return near or entry.is_named or entry.match.coverage >= settings.coverage


def best_of(pool: Mapping[str, Entry]) -> Entry | None:
    """Return the most similar candidate, the first of equals."""
    return max(pool.values(), key=similarity, default=None)


def similarity(entry: Entry) -> float:
    """Return the sum of the parts, at most 1."""
    return min(1.0, sum(entry.parts.values()))


def _names(question: Question, speaker: str) -> bool:
    return not set(question.terms).isdisjoint(terms(speaker))
