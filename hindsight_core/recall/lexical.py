"""BM25 over two fields, computed here so that every backend ranks alike.

A backend's text search finds candidates; which of them is best is decided by this one function, for
those that the vectors found as well. S. Robertson and H. Zaragoza, The Probabilistic Relevance
Framework: BM25 and Beyond, 2009, sections 3.1 (idf), 3.6 (weighted fields).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hindsight_core.indexed import CONTEXT_WEIGHT, SearchText, search_text
from hindsight_core.ports import TermCounts
from hindsight_core.schema import Memory
from hindsight_core.text import is_cjk, terms

__all__ = ["LexicalMatch", "QueryTerms", "forget_words", "held_by"]

_SMALLEST: Final = 100
"""Memories that a scope counts as having at least: in a store of three, a word that all three hold
says much of them, and one that none holds should not outweigh the rest of the query."""
_K1: Final = 0.9
_B: Final = 0.4
_UNKNOWN: Final = 0.5
"""What a bigram of a longer run counts that no memory holds: about half of them reach across two
words, and are none. One that stands alone is a word, as an English one, and counts in full."""
_TYPICAL_LENGTH: Final = 40.0
"""Length, in weighted terms, at which a text is neither favoured nor punished."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LexicalMatch:
    """How well the words of a memory match those of a query.

    `bm25` is not bounded; `share` is the score over that of a memory which repeats every term
    without end (0 to 1); `coverage` the share of the query's idf mass whose terms occur at all.
    """

    bm25: float
    share: float
    coverage: float
    matched: tuple[str, ...]


class QueryTerms:
    """The terms of one query with their idf, ready to be matched with memories."""

    def __init__(self, wanted: Iterable[str], counts: TermCounts) -> None:
        words = list(wanted)
        self.idf = {term: _idf(counts, term) for term in words}
        for term in _of_longer_runs(words):
            if not counts.holding.get(term):
                self.idf[term] *= _UNKNOWN
        self.best = sum(self.idf.values()) * (_K1 + 1)
        """The score of a memory that repeats every term without end."""

    def match(self, held: Mapping[str, float]) -> LexicalMatch:
        """Score the weighted term counts of one memory."""
        matched = [term for term in self.idf if term in held]
        if not matched:
            return _NO_MATCH
        norm = _K1 * (1 - _B + _B * sum(held.values()) / _TYPICAL_LENGTH)
        score = covered = 0.0
        for term in matched:
            times, gain = held[term], self.idf[term]
            score += gain * times * (_K1 + 1) / (times + norm)
            covered += gain
        return LexicalMatch(
            bm25=score,
            share=score / self.best,
            coverage=covered * (_K1 + 1) / self.best,
            matched=tuple(matched),
        )


_NO_MATCH: Final = LexicalMatch(bm25=0.0, share=0.0, coverage=0.0, matched=())


_MOST_HELD: Final = 2_048
"""As many as the stores keep parsed: a record that is parsed anew has other parts."""
_held: Final[dict[tuple[object, ...], tuple[tuple[object, ...], Mapping[str, float]]]] = {}


def held_by(memory: Memory) -> Mapping[str, float]:
    """Count the terms of a memory; one in the context counts `CONTEXT_WEIGHT`.

    The counts are kept for as long as the record is. One that was not changed comes with the same
    parts, so these are compared and no text is.
    """
    parts = (memory.value, memory.key, memory.context)
    slot = (*map(id, parts), memory.query, memory.created_at)
    known = _held.get(slot)
    if known is None:
        known = (parts, _weighted_counts(search_text(memory)))
        if len(_held) >= _MOST_HELD:
            _held.clear()
        _held[slot] = known  # with the parts, whose identity is no other's while they are here
    return known[1]


def forget_words() -> None:
    """Drop every text that was counted: an erased one must not stay in memory."""
    _held.clear()


def _weighted_counts(text: SearchText) -> Mapping[str, float]:
    held: dict[str, float] = dict(Counter(terms(text.own)))
    for term in terms(text.context):
        held[term] = held.get(term, 0.0) + CONTEXT_WEIGHT
    return held


def _idf(counts: TermCounts, term: str) -> float:
    holding = counts.holding.get(term, 0)
    total = max(counts.total, _SMALLEST)
    return math.log(1 + (max(total, holding) - holding + 0.5) / (holding + 0.5))


def _of_longer_runs(words: Sequence[str]) -> set[str]:
    """The bigrams that overlap with the one before or after: some of them are nobody's words."""
    found: set[str] = set()
    for one, other in pairwise(words):
        if len(one) == len(other) == 2 and one[1] == other[0] and is_cjk(one[1]):
            found |= {one, other}
    return found
