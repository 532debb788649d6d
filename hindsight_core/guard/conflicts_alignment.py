"""Aligns the content words of two texts by likeness: what both speak of, and with which sign."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from hindsight_core.guard.conflicts_reading import Reading, Word
from hindsight_core.guard.conflicts_vectors import likeness

__all__ = ["Alignment", "align"]

_SAME: Final = 0.999
_ALIKE: Final = 0.5
"""From this likeness on two words are taken to speak of one thing when signs are compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    """How the words of `a` and `b` meet; every field is 0 to 1 but the counts.

    `cover_a` is the weighted mean, over the words of a, of the best likeness in b; `exact_a` the
    weighted share that b has itself; `rest_a` the weighted mean likeness of the others, 1 if there
    are none, and `extra_a` their weight; words that an opposition explains are left out of both.
    `head_a` is the best likeness of a's first word. `denied` is the weighted share of what both
    speak of that one says and the other denies, `weakest` the least likeness of any word.
    `refuted` is how far the whole of what one denies is said by the other: the weighted mean of the
    squared likeness of its denied words, the better of both directions.
    """

    cover_a: float
    cover_b: float
    exact_a: float
    exact_b: float
    rest_a: float
    rest_b: float
    extra_a: float
    extra_b: float
    head_a: float
    head_b: float
    denied: float
    refuted: float
    weakest: float


@dataclass(frozen=True, slots=True)
class _Side:
    cover: float
    exact: float
    rest: float
    extra: float
    head: float
    weakest: float
    met: float
    denied: float


def align(a: Reading, b: Reading, explained: AbstractSet[str]) -> Alignment:
    """Compare the words of two readings; `explained` names the axes and slots in opposition."""
    table = [[_alike(x, y) for y in b.words] for x in a.words]
    there = _side(a.words, b.words, table, explained)
    turned = [list(column) for column in zip(*table, strict=True)]
    back = _side(b.words, a.words, turned, explained)
    met = there.met + back.met
    return Alignment(
        cover_a=there.cover,
        cover_b=back.cover,
        exact_a=there.exact,
        exact_b=back.exact,
        rest_a=there.rest,
        rest_b=back.rest,
        extra_a=there.extra,
        extra_b=back.extra,
        head_a=there.head,
        head_b=back.head,
        denied=(there.denied + back.denied) / met if met else 0.0,
        refuted=max(
            _refuted(a.words, b.words, table),
            _refuted(b.words, a.words, turned),
        ),
        weakest=min(there.weakest, back.weakest),
    )


def _alike(x: Word, y: Word) -> float:
    return 1.0 if x.name == y.name else min(0.99, likeness(x.surface, y.surface))


def _side(
    words: tuple[Word, ...],
    others: tuple[Word, ...],
    table: list[list[float]],
    explained: AbstractSet[str],
) -> _Side:
    if not words or not others:
        return _Side(0.0, 0.0, 0.0, sum(w.weight for w in words), 0.0, 0.0, 0.0, 0.0)
    total = covered = exact = extra = rest = met = denied = 0.0
    best = [max(row) for row in table]
    for word, row, top in zip(words, table, best, strict=True):
        total += word.weight
        covered += word.weight * top
        if top >= _SAME:
            exact += word.weight
        elif not word.groups & explained:
            extra += word.weight
            rest += word.weight * top
        if top >= _ALIKE:
            met += word.weight * top
            if not word.signs & others[row.index(top)].signs:
                denied += word.weight * top
    return _Side(
        covered / total,
        exact / total,
        rest / extra if extra else 1.0,
        extra,
        best[0],
        min(best),
        met,
        denied,
    )


def _refuted(words: tuple[Word, ...], others: tuple[Word, ...], table: list[list[float]]) -> float:
    total = found = 0.0
    said = [1 in other.signs for other in others]
    for word, row in zip(words, table, strict=False):
        if 1 not in word.signs:
            total += word.weight
            found += word.weight * max(
                (x * x for x, y in zip(row, said, strict=True) if y), default=0
            )
    return found / total if total else 0.0
