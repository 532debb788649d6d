"""What a preference is for, beside what it wants: Go in "tabs in Go", slides in "light for slides".

Two statements of one slot speak of the same thing only where these do not differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from hindsight_core.capture.languages import Language
from hindsight_core.capture.preferences import PreferenceFinding
from hindsight_core.capture.preferences.features import compiled, fold_sentence, language_of
from hindsight_core.capture.preferences.joining import clauses_of
from hindsight_core.capture.preferences.terms import topics_of
from hindsight_core.capture.standing import ANSWER_SLOTS
from hindsight_core.schema import Kind
from hindsight_core.stem import stem

__all__ = ["aims_of", "says_more"]

_CLAUSE: Final = re.compile(r"[,;:.!?()。—]+(?:\s|$|(?<=[,;:!?()。—]))")
_WORD: Final = re.compile(r"[a-z][a-z0-9_+#'-]*")
_NOUN, _TO, _OTHER = "noun", "to", "other"
_KINDS: Final = {"noun": _NOUN, "to": _TO}
_TIMES: Final = ("<DAY>", "<DAYS>", "<N>")
_PERSONAL: Final = "<REL>"
"""Words for people are no function words: whom a rule is for is part of what it is about."""


@lru_cache(maxsize=2_048)
def aims_of(finding: PreferenceFinding) -> frozenset[str]:
    """Return the stems of the words that say for what a statement holds; empty for everything."""
    code = language_of(finding.content)
    if not code:
        return frozenset()
    language = compiled(code).language
    folded = compiled(code).onset.sub(" ", fold_sentence(finding.content, code))
    if not language.spaced:
        return frozenset(filter(None, (_bare(topic, finding, language) for topic in finding.topic)))
    found: set[str] = set()
    valued = _values(folded, finding, language)
    for clause in _CLAUSE.split(folded):
        found.update(_aims_in(clause, finding, language, valued))
    return frozenset(map(stem, found))


def _bare(topic: str, finding: PreferenceFinding, language: Language) -> str:
    """The topic of a language whose words have no borders, without the slot's name and verbs."""
    folded = fold_sentence(topic, language.code)
    rest = _cues(finding.slot, language.code).sub("", folded)
    rest = _of_answers(language.code).sub("", rest)
    return _known(language.code).sub("", rest).strip()


def _aims_in(
    clause: str, finding: PreferenceFinding, language: Language, valued: set[str]
) -> Iterable[str]:
    """The words of a clause that bound what it says; one without a value has none, or is a bound.

    Its pieces begin at prepositions. The value is in the piece with a cue of the slot, or with a
    wanted or unwanted thing; of that piece only what follows the cue is no value ("dark mode
    charts", not "oat milk").
    """
    cues = _cues(finding.slot, language.code)
    pieces = _pieces(clause, language)
    told = cues.search(clause) or not valued.isdisjoint(_WORD.findall(clause))
    if not pieces or not (told or pieces[0][0] is _NOUN):
        return
    for opening, piece in pieces:
        last = max((match.end() for match in cues.finditer(piece)), default=-1)
        words = _WORD.findall(piece)
        if last >= 0:
            words = _WORD.findall(_up_to_a_verb(piece[last:]))
        elif not valued.isdisjoint(words) or opening is _OTHER:
            continue
        elif opening is _TO and finding.slot not in ANSWER_SLOTS:
            continue  # "ship to Mill Lane" tells the value
        if finding.kind is Kind.FACT and (last >= 0 or not opening):
            continue  # "my editor is Helix"
        for word in words:
            if word not in valued and not _is_known(word, language, noun=opening is _NOUN):
                yield word


def _pieces(clause: str, language: Language) -> list[tuple[str, str]]:
    """The pieces of a clause, each with the kind of preposition that opens it."""
    found = list(_scoping(language.code).finditer(clause))
    starts = [0, *(match.start() for match in found)]
    kinds = ["", *(_KINDS.get(match.lastgroup or "", _OTHER) for match in found)]
    ends = [*starts[1:], len(clause)]
    return [(kind, clause[a:b]) for kind, a, b in zip(kinds, starts, ends, strict=True) if a < b]


def _values(folded: str, finding: PreferenceFinding, language: Language) -> set[str]:
    """The words of what is wanted and what is not.

    Where a cue of the slot is among them ("in German"), only that is; else each term is, up to its
    first preposition.
    """
    cues, opening = _cues(finding.slot, language.code), _scoping(language.code)
    cued = {word for match in cues.finditer(folded) for word in _WORD.findall(match[0])}
    terms = (*finding.want, *finding.avoid)
    if any(not cued.isdisjoint(_WORD.findall(term)) for term in terms):
        return cued | {word for term in finding.avoid for word in _WORD.findall(term)}
    heads = [term[: found.start()] if (found := opening.search(term)) else term for term in terms]
    return {word for head in heads for word in _WORD.findall(head)}


def _up_to_a_verb(rest: str) -> str:
    return re.split(r"\b(?:is|are|be|to)\b|=", rest, maxsplit=1)[0]


def _is_known(word: str, language: Language, *, noun: bool) -> bool:
    """Whether a word says nothing of its own; after a preposition even a verb is a name: in Go."""
    shape = language.words.get(word)
    if shape == _PERSONAL:
        return False
    if noun:
        return shape == word or word in language.stop or shape in _TIMES
    known = (language.words, language.lead, language.trail, language.stop)
    return any(word in one for one in known) or bool(_of_answers(language.code).fullmatch(word))


@lru_cache(maxsize=512)
def _cues(slot: str, code: str) -> re.Pattern[str]:
    """The cue words of a slot; of one without them, its name."""
    language = compiled(code).language
    edge = r"\b" if language.spaced else ""
    return re.compile(f"{edge}(?:{language.topics.get(slot) or re.escape(slot) or '(?!)'}){edge}")


@lru_cache(maxsize=4)
def _scoping(code: str) -> re.Pattern[str]:
    return re.compile(compiled(code).language.scoping or r"(?!)")


@lru_cache(maxsize=4)
def _of_answers(code: str) -> re.Pattern[str]:
    return re.compile(compiled(code).language.answering)


@lru_cache(maxsize=4)
def _known(code: str) -> re.Pattern[str]:
    """Any verb or filler of a language whose words have no borders, the longest first."""
    language = compiled(code).language
    known = {*language.lead, *language.trail, *language.stop} - {""}
    return re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))) or r"(?!)")


def says_more(old: PreferenceFinding, new: PreferenceFinding) -> bool:
    """Whether the older statement also says what has nothing to do with the newer one.

    It is then not replaced: "I moved to Berlin" is no news of a name.
    """
    clauses = clauses_of(old.content)
    if len(clauses) < 2:
        return False
    told = topics_of(new.content) | {new.slot}
    topics = [topics_of(clause) for clause in clauses]
    if old.kind is Kind.FACT:
        return any(told.isdisjoint(found) for found in topics)
    return any(found and told.isdisjoint(found) for found in topics)
