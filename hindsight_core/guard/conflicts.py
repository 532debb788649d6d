"""How two texts relate: the same, the opposite, a refinement, or merely like words. Pure.

Cosine finds the same subject and cannot tell these apart (contradictions are often the more similar
pair), so what decides is read from the texts: signs, opposites, slot values, numbers, quantifiers,
and how the words align. No embedder and no chat model is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from hindsight_core.guard.conflicts_evidence import Evidence, gather
from hindsight_core.guard.conflicts_model import LABELS, features, grounds, probabilities

__all__ = ["Judge", "Label", "Relation", "relate"]


class Label(StrEnum):
    """How a later text relates to one that stands."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    REFINEMENT = "refinement"
    UNRELATED = "unrelated_similar"


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation:
    """The judgement on a pair.

    `score` is the probability of `label`, `scores` those of all labels, `reasons` what it rests on
    in words, and `change` whether the later text says of itself that something changed. `sameness`
    ranks pairs by how likely they mean the same; it is no probability and may pass 1.
    """

    label: Label
    score: float
    scores: dict[Label, float]
    sameness: float
    reasons: tuple[str, ...]
    change: bool


class Judge(Protocol):
    """Asks a chat model how two texts relate; None when it does not know."""

    def __call__(self, a: str, b: str) -> Label | None: ...


# What a cosine is worth: in a short text one other word changes the meaning and hardly the cosine.
_PER_LENGTH: Final = 0.12
_PER_DENIAL: Final = 0.03


def relate(
    a: str, b: str, *, similarity: float | None = None, judge: Judge | None = None
) -> Relation:
    """Tell how `b`, the later text, relates to `a`.

    `similarity` is the cosine of the two where it is known; it goes into `sameness` only, for it
    does not tell the labels apart. A `judge` that answers has the last word; its errors are the
    caller's. Of a long text the beginning is read (`MAX_CHARACTERS`), so the cost is bounded.
    """
    found = gather(a, b)
    reasons = grounds(found)
    scores = {
        Label(name): score
        for name, score in zip(LABELS, probabilities(features(found)), strict=True)
    }
    if not reasons:
        scores[Label.CONTRADICTION] = 0.0
    total = sum(scores.values()) or 1.0
    scores = {label: score / total for label, score in scores.items()}
    label = max(scores, key=lambda name: scores[name])
    verdict = judge(a, b) if judge is not None else None
    if verdict is None:
        return _relation(label, scores, found, similarity, _reasons(label, found, reasons))
    certain = {name: float(name is verdict) for name in Label}
    return _relation(verdict, certain, found, similarity, ("judged by a model",))


def _relation(
    label: Label,
    scores: dict[Label, float],
    found: Evidence,
    similarity: float | None,
    reasons: tuple[str, ...],
) -> Relation:
    return Relation(
        label=label,
        score=scores[label],
        scores=scores,
        sameness=_sameness(found, similarity),
        reasons=reasons,
        change=found.news["changes"] > 0,
    )


def _sameness(found: Evidence, similarity: float | None) -> float:
    words = found.alignment
    alike = (words.cover_a + words.cover_b) / 2 if similarity is None else similarity
    denial = abs(found.negation_shift) + words.refuted * max(words.exact_a, words.exact_b)
    return alike + _PER_LENGTH * found.shorter - _PER_DENIAL * denial


def _reasons(label: Label, found: Evidence, against: tuple[str, ...]) -> tuple[str, ...]:
    """What speaks for the label, in words that a person may read."""
    if label is Label.CONTRADICTION:
        return against
    if label is Label.UNRELATED:
        return ("another subject", *(f"other {place}" for place in found.places))
    if label is Label.REFINEMENT:
        named = ("exceptions", "conditions", "exclusives")
        more = tuple(f"adds {name}" for name in named if found.news[name] > 0)
        return ("says more", *more, *(("adds numbers",) if found.new_numbers else ()))
    return ("says the same", *(("same numbers",) if found.same_numbers else ()))
