"""How likely a sentence states something lasting: word classes of a language, added up.

The classes (standing time, prohibition, first-person attitude, one-off time, question ...) are the
phrases and patterns of a language's table; the weight of each is in `languages/weights.json`,
learnt offline by logistic regression (`benchmarks/train_preferences.py`). The probability is
`1 / (1 + exp(-(bias + sum of the weights of the classes that occur)))`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.languages import Language, load
from hindsight_core.capture.preferences_text import MASK

__all__ = ["Compiled", "compiled", "features", "fold_sentence", "language_of", "probability"]

_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN: Final = re.compile(r"[a-zA-Z]{2,}")
_MASKED: Final = re.compile(MASK + "{1,600}")
_SPACED: Final = re.compile(r"[\w']+|[^\w\s]")
_PUNCTUATION: Final = frozenset(",;:()-—–.!?、。")
_APOSTROPHES: Final = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0xFF07: "'"}
START: Final = "^"
CLAUSE: Final = "~"


@dataclass(frozen=True, slots=True)
class _Phrase:
    units: tuple[str, ...]
    feature: str
    anchor: str


class Compiled:
    """A language's table made ready: phrases indexed by their first unit, patterns compiled.

    A unit is a word or a sign in a spaced language and one character in an unspaced one.
    """

    def __init__(self, language: Language) -> None:
        self.language: Final = language
        self.table: Final = dict(language.variants)
        self.openers: Final = language.openers
        self.index: Final[dict[str, list[_Phrase]]] = {}
        for feature, listed in language.phrases.items():
            for text in listed:
                anchor = text[0] if text[0] in (START, CLAUSE) else ""
                units = self.units(text.removeprefix(anchor).strip())
                phrase = _Phrase(units, feature, anchor)
                self.index.setdefault(units[0], []).append(phrase)
        self.patterns: Final = {
            feature: re.compile(pattern) for feature, pattern in language.patterns.items()
        }

    def units(self, folded: str) -> tuple[str, ...]:
        """Cut folded text into what phrases are matched on."""
        if self.language.spaced:
            return tuple(_SPACED.findall(folded))
        return tuple(folded)


_COMPILED: dict[str, Compiled] = {}


def compiled(code: str) -> Compiled:
    """Return the compiled table of a language, made on first use."""
    found = _COMPILED.get(code)
    if found is None:
        found = _COMPILED[code] = Compiled(load(code))
    return found


def language_of(text: str) -> str:
    """Return `zh` or `en`, by which script carries more of the text, or `""` for neither."""
    han = len(_HAN.findall(text))
    latin = len(_LATIN.findall(text))
    if han * 2 >= latin and han:
        return "zh"
    return "en" if latin else ""


def fold_sentence(masked: str, code: str) -> str:
    """Return a sentence as the tables spell it: compatibility form, lower case, one variant."""
    folded = unicodedata.normalize("NFKC", masked.translate(_APOSTROPHES)).lower()
    folded = _MASKED.sub(MASK, folded).strip()
    table = compiled(code).table
    return folded.translate(table) if table else folded


def _clause_starts(units: Sequence[str], openers: frozenset[str]) -> list[bool]:
    starts: list[bool] = []
    fresh = True
    for unit in units:
        starts.append(fresh)
        fresh = unit in _PUNCTUATION or (fresh and unit in openers) or unit in openers
    return starts


def features(folded: str, code: str) -> frozenset[str]:
    """Return the classes that occur in a folded sentence."""
    table = compiled(code)
    units = table.units(folded)
    starts = _clause_starts(units, table.openers)
    found: set[str] = set()
    for at, unit in enumerate(units):
        for phrase in table.index.get(unit, ()):
            if phrase.feature in found:
                continue
            if phrase.anchor == START and at and not all(starts[1 : at + 1]):
                continue
            if phrase.anchor == CLAUSE and not starts[at]:
                continue
            if units[at : at + len(phrase.units)] == phrase.units:
                found.add(phrase.feature)
    for feature, pattern in table.patterns.items():
        if pattern.search(folded):
            found.add(feature)
    for pair in table.language.pairs:
        if all((part[1:] not in found) if part[0] == "!" else (part in found) for part in pair):
            found.add("&".join(pair))
    return frozenset(found)


def probability(found: Iterable[str], code: str) -> float:
    """Return the probability, 0 to 1, that a sentence with these classes states a preference."""
    weights: Mapping[str, float] = compiled(code).language.weights
    total = weights.get("", 0.0) + sum(weights.get(feature, 0.0) for feature in found)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
