"""How likely each sentence of a text states something lasting: one additive model per language.

The probability of a sentence is `1 / (1 + exp(-z))` with `z` the sum of a bias, the weights of its
classes, the weights of its grams divided by the length of their vector (tf-idf with cosine norm),
and `-ln(n / 4)` where the text has n > 4 sentences: the longer a text, the less likely is any one
sentence of it a statement. It is 0 for sentences that play a role or follow a text handed over
("You are a bot. Always ...", "Translate the following. ..."). Weights are learnt offline by
regularised logistic regression (`benchmarks/train_preferences.py`), those of classes with the sign
that the table gives them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.preferences.features import (
    classes,
    compiled,
    fold_sentence,
    grams,
    language_of,
)
from hindsight_core.capture.preferences.text import MASK, Sentence

__all__ = ["FEW_SENTENCES", "Judged", "Parts", "judge", "parts_of", "with_context"]

FEW_SENTENCES: Final = 4
"""Number of sentences from which on a sentence's probability falls with their number."""
_MANY: Final = 2
_LEAST: Final = {True: 2, False: 3}
"""Words, or characters where words are not spaced, that say anything: "Always." says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A sentence and what it is made of."""

    sentence: Sentence
    code: str
    folded: str
    classes: set[str]
    grams: set[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A sentence, its classes, its probability, and from which probability on it is a statement."""

    sentence: Sentence
    code: str
    folded: str
    classes: set[str]
    probability: float
    threshold: float


def parts_of(found: Iterable[Sentence]) -> list[Parts]:
    """Return the parts of the sentences whose language has a table."""
    parts: list[Parts] = []
    for sentence in found:
        code = language_of(sentence.masked.replace(MASK, ""))
        if code:
            folded = fold_sentence(sentence.masked, code)
            parts.append(
                Parts(
                    sentence=sentence,
                    code=code,
                    folded=folded,
                    classes=classes(folded, code),
                    grams=grams(folded, code),
                )
            )
    return parts


def with_context(parts: Sequence[Parts]) -> list[set[str]]:
    """Return each sentence's classes, with `ctx:` classes for what the other sentences hold."""
    own = [part.classes & compiled(part.code).language.context for part in parts]
    rows: list[set[str]] = []
    for at, part in enumerate(parts):
        around = {name for other, names in enumerate(own) if other != at for name in names}
        many = {"ctx:many"} if len(parts) > _MANY else set[str]()
        rows.append(part.classes | {f"ctx:{name}" for name in around} | many)
    return rows


def judge(found: Iterable[Sentence]) -> list[Judged]:
    """Return the sentences whose language has a table, each with its probability."""
    parts = parts_of(found)
    length = max(0.0, math.log(len(parts) / FEW_SENTENCES)) if parts else 0.0
    judged: list[Judged] = []
    own_will = True
    for part, row in zip(parts, with_context(parts), strict=True):
        language = compiled(part.code).language
        weights = language.weights
        total = weights.bias + sum(weights.classes.get(name, 0.0) for name in row) - length
        score = square = 0.0
        for gram in part.grams:
            if value := weights.grams.get(gram):
                score += value[0]
                square += value[1]
        if square:
            total += score / math.sqrt(square)
        own_will = own_will and not part.classes & language.disclaims
        probability = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
        if not own_will or len(compiled(part.code).units(part.folded)) < _LEAST[language.spaced]:
            probability = 0.0
        judged.append(
            Judged(
                sentence=part.sentence,
                code=part.code,
                folded=part.folded,
                classes=part.classes,
                probability=probability,
                threshold=language.threshold,
            )
        )
    return judged
