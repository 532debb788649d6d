"""Reads one text for the conflict rules: its terms and their signs, slots, opposites, numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul
from typing import Final

from hindsight_core.guard.conflicts_lexicon import Found, Unit, find_entries, units_of
from hindsight_core.guard.conflicts_quantities import Quantity, quantities

__all__ = ["MAX_CHARACTERS", "Reading", "read"]

MAX_CHARACTERS: Final = 1_000
"""How much of a text is read; a memory says what it says at its beginning."""

_BREAKS: Final = frozenset(",.;:!?…，。；：！？、()（）—–\n")
_AUXILIARIES: Final = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "am",
        "to",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
    }
    | {"can", "could", "may", "might", "must", "shall", "should", "will", "would"}
)
_WHOLE_CLAUSE: Final = frozenset(
    {"never", "cannot", "cant", "none", "nobody", "nothing", "neither"}
)
_NAMING: Final = frozenset({"synonyms", "contrasts"})
_SILENT: Final = frozenset({"stop", "negators", "clause_breaks", "questions", "exclusives"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules know of one text.

    `signs` maps each content term to the signs under which it occurs (+1 said, -1 denied). `axes`
    maps an axis of opposites to the effective sides taken on it, `values` a slot to the values
    that are said, `denied` to those that are denied. `flags` counts exclusive words, exceptions,
    conditions, changes, quantifiers. `negations` counts clauses that deny.
    """

    signs: dict[str, frozenset[int]]
    axes: dict[str, frozenset[int]]
    values: dict[str, frozenset[str]]
    denied: dict[str, frozenset[str]]
    quantities: tuple[Quantity, ...]
    flags: dict[str, int]
    negations: int
    units: int
    clauses: int


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read the first `MAX_CHARACTERS` of a text. Pure; recent readings are kept."""
    text = text[:MAX_CHARACTERS]
    units = units_of(text)
    found = find_entries(units)
    signs: dict[str, set[int]] = {}
    axes: dict[str, set[int]] = {}
    values: dict[str, set[str]] = {}
    denied: dict[str, set[str]] = {}
    flags: dict[str, int] = {}
    negations = 0
    clauses = 0
    for start, stop, entries in _clauses(units, found):
        clauses += 1
        flips = _flips(units, start, stop, entries)
        negations += any(flip < 0 for flip in flips)
        for entry in entries:
            sign = flips[entry.start - start]
            for mark in entry.marks:
                if mark.table in ("axes", "polar"):
                    # A word does not turn itself: "forbidden" is the negative side, said plainly.
                    own = -1 if _turns(entry) else 1
                    side = (1 if mark.value == "+" else -1) * sign * own
                    axes.setdefault(mark.group, set()).add(side)
                elif mark.table == "contrasts":
                    into = values if sign > 0 else denied
                    into.setdefault(mark.group, set()).add(mark.value)
                else:
                    flags[mark.table] = flags.get(mark.table, 0) + 1
        for term, at in _terms(units, start, stop, entries):
            signs.setdefault(term, set()).add(flips[at - start])
    return Reading(
        signs={term: frozenset(found) for term, found in signs.items()},
        axes={axis: frozenset(sides) for axis, sides in axes.items()},
        values={slot: frozenset(said) for slot, said in values.items()},
        denied={slot: frozenset(said) for slot, said in denied.items()},
        quantities=tuple(quantities(text)),
        flags=flags,
        negations=negations,
        units=sum(unit.kind != "punct" for unit in units),
        clauses=clauses,
    )


def _clauses(units: list[Unit], found: list[Found]) -> Iterator[tuple[int, int, list[Found]]]:
    """Cut at punctuation and at words that open a clause."""
    cuts = {i + 1 for i, unit in enumerate(units) if unit.text in _BREAKS}
    cuts |= {entry.start for entry in found if any(m.table == "clause_breaks" for m in entry.marks)}
    bounds = sorted({0, len(units)} | cuts)
    at = 0
    for start, stop in pairwise(bounds):
        entries: list[Found] = []
        while at < len(found) and found[at].start < stop:
            entries.append(found[at])
            at += 1
        if any(unit.kind != "punct" for unit in units[start:stop]):
            yield start, stop, entries


def _is_negator(entry: Found) -> bool:
    return any(mark.table == "negators" for mark in entry.marks)


def _turns(entry: Found) -> bool:
    """Whether an entry turns what it is said of: a negator, or the bad side of a polar axis."""
    return _is_negator(entry) or _is_against(entry)


def _is_against(entry: Found) -> bool:
    return any(mark.table == "polar" and mark.value == "-" for mark in entry.marks)


def _flips(units: list[Unit], start: int, stop: int, entries: list[Found]) -> list[int]:
    """The sign of each unit of a clause, by the parity of what turns it."""
    toggles = [1] * (stop - start)
    for entry in entries:
        if _turns(entry):
            begin = start if _turns_whole(units, start, entry) else entry.start
            toggles[begin - start] = -toggles[begin - start]
    return list(accumulate(toggles, mul))


def _turns_whole(units: list[Unit], start: int, entry: Found) -> bool:
    """Whether the whole clause is turned, not only what follows the negator."""
    first = units[entry.start]
    if first.kind == "cjk" or _is_against(entry):
        return True
    before = units[entry.start - 1].text if entry.start > start else ""
    return (
        first.text in _WHOLE_CLAUSE
        or (first.text.endswith("nt") and first.text != "want")
        or before in _AUXILIARIES
    )


def _terms(
    units: list[Unit], start: int, stop: int, entries: list[Found]
) -> Iterator[tuple[str, int]]:
    """Content terms: stems, canonical synonyms and values, CJK signs and bigrams."""
    canonical: dict[int, str] = {}
    silent: set[int] = set()
    for entry in entries:
        tables = {mark.table for mark in entry.marks}
        for mark in entry.marks:
            if mark.table in _NAMING:
                canonical[entry.start] = mark.value
        if entry.start in canonical or tables & _SILENT:
            silent.update(range(entry.start, entry.stop))
    for at, name in canonical.items():
        yield name, at
    for at in range(start, stop):
        unit = units[at]
        if at in silent or unit.kind in ("punct", "num"):
            continue
        if unit.kind == "word":
            if len(unit.stem) > 1 or not unit.text.isascii():
                yield unit.stem, at
            continue
        yield unit.text, at
        after = units[at + 1] if at + 1 < stop else None
        if after is not None and after.kind == "cjk" and at + 1 not in silent:
            yield unit.text + after.text, at
