"""Reads one text for the conflict rules: its words and their signs, slots, opposites, numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul
from typing import Final

from hindsight_core.guard.conflicts_lexicon import Found, Unit, find_entries, units_of
from hindsight_core.guard.conflicts_quantities import Quantity, quantities
from hindsight_core.guard.conflicts_tables import word_list
from hindsight_core.guard.conflicts_vectors import rarity

__all__ = ["MAX_CHARACTERS", "MAX_WORDS", "Reading", "Word", "read"]

MAX_CHARACTERS: Final = 1_000
"""How much of a text is read; a memory says what it says at its beginning."""
MAX_WORDS: Final = 48
"""How many content words of a text are compared."""

_BREAKS: Final = frozenset(",.;:!?…，。；：！？、()（）—–\n")
_NAMING: Final = frozenset({"synonyms", "contrasts"})
_NEGATORS: Final = frozenset({"negators", "verbal_negators"})
# Words of these tables say how something is said, not what is spoken of.
_SILENT: Final = _NEGATORS | {"stop", "clause_breaks", "questions", "exclusives", "polar"}


_TO_BE: Final = frozenset({"is", "are", "isnt", "arent", "was", "were"})
_OPENING: Final = 3
_JOINT: Final = 3
"""How near before a negator a conjunction must stand to open a clause of its own."""


@dataclass(frozen=True, slots=True)
class Word:
    """A content word: its name (synonyms share one), its surface, its signs and its weight.

    `signs` holds +1 where the text says it, -1 where it denies it; `groups` the axes and slots
    that the word belongs to.
    """

    name: str
    surface: str
    signs: frozenset[int]
    groups: frozenset[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules know of one text.

    `scene` says that the text describes what somebody not known before is doing.

    `axes` maps an axis of opposites to the effective sides taken on it (+1, -1), `values` a slot to
    the values that are said, `denied` to those that are denied. `flags` counts exclusive words,
    exceptions, conditions, changes and quantifiers, `negations` the clauses that deny.
    """

    words: tuple[Word, ...]
    axes: dict[str, frozenset[int]]
    values: dict[str, frozenset[str]]
    denied: dict[str, frozenset[str]]
    quantities: tuple[Quantity, ...]
    flags: dict[str, int]
    negations: int
    units: int
    clauses: int
    scene: bool


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read the first `MAX_CHARACTERS` of a text. Pure; recent readings are kept."""
    text = text[:MAX_CHARACTERS]
    units = units_of(text)
    axes: dict[str, set[int]] = {}
    values: dict[str, set[str]] = {}
    denied: dict[str, set[str]] = {}
    flags: dict[str, int] = {}
    words: dict[str, tuple[Found, set[int]]] = {}
    negations = clauses = 0
    for start, stop, entries in _clauses(units, find_entries(units)):
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
            name = _name(units, entry)
            if name:
                words.setdefault(name, (entry, set()))[1].add(sign)
    return Reading(
        words=tuple(
            Word(
                name,
                entry.text,
                frozenset(signs),
                frozenset(mark.group for mark in entry.marks if mark.group),
                rarity(entry.text),
            )
            for name, (entry, signs) in list(words.items())[:MAX_WORDS]
        ),
        axes={axis: frozenset(sides) for axis, sides in axes.items()},
        values={slot: frozenset(said) for slot, said in values.items()},
        denied={slot: frozenset(said) for slot, said in denied.items()},
        quantities=tuple(quantities(text)),
        flags=flags,
        negations=negations,
        units=sum(unit.kind != "punct" for unit in units),
        clauses=clauses,
        scene=_opens_scene(units) and ("progressives" in flags or _is_progressive(units)),
    )


def _opens_scene(units: list[Unit]) -> bool:
    """Whether a text begins with somebody or something indefinite."""
    openers = word_list("en", "indefinites") | word_list("zh", "indefinites")
    first = units[:_OPENING]
    return any(
        joiner.join(unit.text for unit in first[:length]) in openers
        for length in range(1, len(first) + 1)
        for joiner in ("", " ")
    )


def _is_progressive(units: list[Unit]) -> bool:
    """Whether a form of "to be" is followed, at most two words on, by a form in -ing."""
    return any(
        unit.text in _TO_BE
        and any(near.text.endswith("ing") for near in units[at + 1 : at + 1 + _JOINT])
        for at, unit in enumerate(units)
    )


def _name(units: list[Unit], entry: Found) -> str:
    """The name under which a content word is compared; empty for what has no content."""
    for mark in entry.marks:
        if mark.table in _NAMING:
            return mark.value
    if any(mark.table in _SILENT for mark in entry.marks):
        return ""
    first = units[entry.start]
    if first.kind == "num" or (first.kind == "word" and len(entry.text) < 2):
        return ""
    return first.stem if first.kind == "word" and entry.stop == entry.start + 1 else entry.text


def _clauses(units: list[Unit], found: list[Found]) -> Iterator[tuple[int, int, list[Found]]]:
    """Cut at punctuation and at words that open a clause."""
    cuts = {i + 1 for i, unit in enumerate(units) if unit.text in _BREAKS}
    cuts |= {entry.start for entry in found if any(m.table == "clause_breaks" for m in entry.marks)}
    joined = word_list("en", "conjunctions")
    for entry in found:
        if _turns(entry):
            near = range(max(0, entry.start - _JOINT), entry.start)
            cuts |= {i for i in near if units[i].text in joined}
    bounds = sorted({0, len(units)} | cuts)
    at = 0
    for start, stop in pairwise(bounds):
        entries: list[Found] = []
        while at < len(found) and found[at].start < stop:
            entries.append(found[at])
            at += 1
        if entries:
            yield start, stop, entries


def _turns(entry: Found) -> bool:
    """Whether an entry turns what it is said of: a negator, or the bad side of a polar axis."""
    return any(mark.table in _NEGATORS for mark in entry.marks) or _is_against(entry)


def _is_against(entry: Found) -> bool:
    return any(mark.table == "polar" and mark.value == "-" for mark in entry.marks)


def _flips(units: list[Unit], start: int, stop: int, entries: list[Found]) -> list[int]:
    """The sign of each unit of a clause, by the parity of what turns it."""
    toggles = [1] * (stop - start + 1)
    for entry in entries:
        if not _turns(entry):
            continue
        begin, end = start, stop
        if not _turns_whole(units, start, entry):
            begin, end = entry.start, _noun_end(units, entry.stop, stop)
        for at in (begin, end):
            toggles[at - start] = -toggles[at - start]
    return list(accumulate(toggles[:-1], mul))


def _noun_end(units: list[Unit], at: int, stop: int) -> int:
    """Where that ends which `no` or `without` is said of: at the next auxiliary, or the clause."""
    auxiliaries = word_list("en", "auxiliaries")
    return next((i for i in range(at, stop) if units[i].text in auxiliaries), stop)


def _turns_whole(units: list[Unit], start: int, entry: Found) -> bool:
    """Whether the whole clause is turned, not only what follows the negator."""
    if units[entry.start].kind == "cjk" or _is_against(entry):
        return True
    return any(mark.table == "verbal_negators" for mark in entry.marks) or (
        entry.start > start and units[entry.start - 1].text in word_list("en", "auxiliaries")
    )
