"""Reads a text once for everything in the guard: undisguised, in tokens, with its concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hindsight_core.guard.lexicon import lexicon
from hindsight_core.guard.phrases import Hit, Tokens, tokenise
from hindsight_core.guard.unmask import unmask

__all__ = ["Reading", "Sentence", "read"]

Sentence = Mapping[str, list[Hit]]
"""The phrases found in one sentence, by concept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a text says when its disguise is off.

    `sentences` holds only those in which a concept was found, by number; `hidden` are the readings
    of texts that were hidden in it, `tricks` how they and the text itself were disguised.
    """

    plain: str
    tokens: Tokens
    sentences: Mapping[int, Sentence]
    hidden: tuple[Reading, ...] = ()
    tricks: frozenset[str] = frozenset()


def read(text: str) -> Reading:
    """Read a text, and every text that is hidden in it."""
    seen = unmask(text)
    return _read(seen.plain, tuple(_read(layer.text) for layer in seen.layers), seen.tricks)


def _read(
    plain: str, hidden: tuple[Reading, ...] = (), tricks: frozenset[str] = frozenset()
) -> Reading:
    tokens = tokenise(plain)
    numbers = tokens.sentence
    sentences: dict[int, dict[str, list[Hit]]] = {}
    for hit in lexicon().find(tokens):
        sentence = sentences.setdefault(numbers[hit.start], {})
        sentence.setdefault(hit.concept, []).append(hit)
    return Reading(plain=plain, tokens=tokens, sentences=sentences, hidden=hidden, tricks=tricks)
