"""What a sentence is made of: the classes, the words and the word classes that occur in it.

A *class* (standing time, prohibition, first-person attitude, one-off time, question ...) is a list
of phrases or patterns in a language's table. *Grams* are runs of one to three words (characters
where words are not spaced), and runs of one or two word classes: "never push to main" holds the
word run "never push" and, since "push" is an act, the class run "never <DO>".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.languages import Language, load
from hindsight_core.capture.preferences.text import MASK

__all__ = ["Compiled", "classes", "compiled", "fold_sentence", "grams", "language_of", "spelt_out"]

_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN: Final = re.compile(r"[a-zA-Z]{2,}")
_MASKED: Final = re.compile(MASK + "{1,600}")
_FULL_STOP: Final = re.compile(r"(?<=[^.!。\s])[.!。\s]+\Z")
"""What says no more than that the sentence ends; many leave it out."""
_SPACED: Final = re.compile(r"[\w']+|[^\w\s]")
_WORD: Final = re.compile(r"[a-z]+'[a-z]+|\w+|[^\w\s]")
_IDENTIFIER: Final = re.compile(r"[a-z0-9][a-z0-9_./+#-]*")
_LATIN_RUN: Final = re.compile(r"[a-z_]+")
_DIGITS: Final = re.compile(r"\d+")
_PUNCTUATION: Final = frozenset(",;:()-—–.!?、。")
_APOSTROPHES: Final = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0xFF07: "'"}
_ACTS: Final = frozenset(["<DO>", "<TASK>"])
_START: Final = "^"
_CLAUSE: Final = "~"
_RUN_SPACED: Final = 2
_RUN_UNSPACED: Final = 3
_RUN_CLASSES: Final = 2


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
        self.variants: Final = dict(language.variants)
        self.longest: Final = max(map(len, language.words), default=1)
        self.index: Final[dict[str, list[_Phrase]]] = {}
        for feature, listed in language.phrases.items():
            for text in listed:
                anchor = text[0] if text[0] in (_START, _CLAUSE) else ""
                units = self.units(text.removeprefix(anchor).strip())
                phrase = _Phrase(units, feature, anchor)
                self.index.setdefault(units[0], []).append(phrase)
        self.patterns: Final = {
            feature: re.compile(pattern) for feature, pattern in language.patterns.items()
        }
        self.days: Final = re.compile(language.days)
        self.onset: Final = re.compile(language.onset)
        self.contracted: Final = re.compile(language.contracted) if language.contracted else None
        self.refusal: Final = re.compile(language.refusal)
        self.clause_of_another: Final = re.compile(language.clause_of_another)

    def units(self, folded: str) -> tuple[str, ...]:
        """Cut folded text into what phrases are matched on."""
        return tuple(_SPACED.findall(folded)) if self.language.spaced else tuple(folded)


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
    if han and han * 2 >= latin:
        return "zh"
    return "en" if latin else ""


def fold_sentence(masked: str, code: str) -> str:
    """Return a sentence as the tables spell it: compatibility form, lower case, one variant."""
    folded = unicodedata.normalize("NFKC", masked.translate(_APOSTROPHES)).lower()
    folded = spelt_out(_FULL_STOP.sub("", _MASKED.sub(MASK, folded).strip()), code)
    variants = compiled(code).variants
    return folded.translate(variants) if variants else folded


def spelt_out(folded: str, code: str) -> str:
    """Return a folded text with its contractions as they are written in full: don't for dont."""
    table = compiled(code)
    return (
        table.contracted.sub(table.language.contracted_as, folded) if table.contracted else folded
    )


def _clause_starts(units: Sequence[str], openers: frozenset[str]) -> list[bool]:
    starts: list[bool] = []
    fresh = True
    for unit in units:
        starts.append(fresh)
        fresh = unit in _PUNCTUATION or unit in openers
    return starts


def classes(folded: str, code: str) -> set[str]:
    """Return the classes that occur in a folded sentence, pairs included."""
    table = compiled(code)
    folded = table.onset.sub(table.language.onset_as, folded)
    units = table.units(folded)
    starts = _clause_starts(units, table.language.openers)
    opening = starts.index(False) if False in starts else len(starts)
    found: set[str] = set()
    for at, unit in enumerate(units):
        for phrase in table.index.get(unit, ()):
            if phrase.feature in found:
                continue
            if phrase.anchor == _START and at >= max(opening, 1):
                continue
            if phrase.anchor == _CLAUSE and not starts[at]:
                continue
            if units[at : at + len(phrase.units)] == phrase.units:
                found.add(phrase.feature)
    for feature, pattern in table.patterns.items():
        if pattern.search(folded):
            found.add(feature)
    for pair in table.language.pairs:
        if all((part[1:] not in found) if part[0] == "!" else (part in found) for part in pair):
            found.add("&".join(pair))
    return found


def _shape(word: str, table: Compiled) -> str:
    """Return the class of a word of a spaced language; an unknown one by its ending."""
    words = table.language.words
    known = words.get(word)
    if known:
        return known
    if word == MASK:
        return "<Q>"
    if word[0].isdigit():
        return "<N>"
    if not word[0].isalnum():
        return "<P>"
    if word.endswith("s") and not word.endswith("ss"):
        return "<DOs>" if {words.get(word[:-1]), words.get(word[:-2])} & _ACTS else "<Ws>"
    if word.endswith("ing"):
        stems = {words.get(word[:-3]), words.get(word[:-3] + "e")}
        return "<DOing>" if stems & _ACTS else "<Wing>"
    if word.endswith("ed"):
        return "<Wed>"
    return "<Wly>" if word.endswith("ly") else "<W>"


def _segmented(folded: str, table: Compiled) -> list[str]:
    """Return the word classes of an unspaced language by longest match."""
    words = table.language.words
    row: list[str] = []
    at = 0
    while at < len(folded):
        if folded[at].isspace():
            at += 1
            continue
        if identifier := _IDENTIFIER.match(folded, at):
            row.append("<N>" if folded[at].isdigit() else "<L>")
            at = identifier.end()
            continue
        for size in range(min(table.longest, len(folded) - at), 0, -1):
            known = words.get(folded[at : at + size])
            if known:
                if known != "<NUM>":
                    row.append(known)
                elif not row or row[-1] != "<N>":
                    row.append("<N>")
                at += size
                break
        else:
            if folded[at] == MASK:
                row.append("<Q>")
            elif not row or row[-1] != "<W>":
                row.append("<W>")
            at += 1
    return row


def _runs(units: Iterable[str], longest: int, mark: str, joint: str) -> set[str]:
    row = ["^", *units, "$"]
    return {
        mark + joint.join(row[at : at + size])
        for size in range(1, longest + 1)
        for at in range(len(row) - size + 1)
    }


def grams(folded: str, code: str) -> set[str]:
    """Return the runs of words, marked `=`, and of word classes, marked `#`, of a sentence."""
    table = compiled(code)
    plain = _DIGITS.sub("0", folded)
    if table.language.spaced:
        found = _runs(_SPACED.findall(plain), _RUN_SPACED, "=", " ")
        row = [_shape(word, table) for word in _WORD.findall(folded)]
    else:
        found = _runs(_LATIN_RUN.sub("a", plain.replace(" ", "")), _RUN_UNSPACED, "=", "")
        row = _segmented(folded, table)
    return found | _runs(row, _RUN_CLASSES, "#", " ")
