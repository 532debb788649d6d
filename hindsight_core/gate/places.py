"""Where a rule holds: production, a branch, the reports; and whether a call is made there.

A place goes by several names (prod, 生产库) and is part of others (`prod_db`). What is named as not
being it (`non-prod`, 预生产) is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture import PreferenceFinding
from hindsight_core.gate._rule_words import (
    ANY_ACT,
    ANY_THING,
    EMPTY,
    LOOKS,
    PLACE_NAMES,
    PLACE_NOUNS,
    PLACES,
)
from hindsight_core.gate.arguments import Argument, name_words, plain
from hindsight_core.gate.calls import CallView, acts

__all__ = ["Places"]

_PARTS: Final = re.compile(r"[^a-z0-9]+")
_REFUSES_ALL: Final = re.compile(
    r"\b(?:never|don't|do not|not|no one may)\b[^,.;:!?]{0,24}\b(?:anything|everything|whatever)\b"
    r"|\bnothing\b|(?:别|不要|不准|不许|不得|不能|禁止|勿)[^,.;:!?]{0,12}(?:任何|一切|什么)"
)
_NOT_IT: Final = frozenset(("non", "not", "pre", "un", "no", "like", "copy"))
_NOT_IT_HAN: Final = "非预类仿准"
_SURE_HAN: Final = 3
"""So many signs of a name in Chinese are no chance; 生产 may be any making of things."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The places of a rule by all their names; `whole` says that nothing may be done there."""

    names: frozenset[str] = frozenset()
    whole: bool = False

    @classmethod
    def read(cls, finding: PreferenceFinding) -> Places:
        """Take the places from a statement; one that it excepts is none."""
        named = [plain(one) for one in finding.where if not _is_free(one, finding)]
        names = frozenset(other for name in named for other in _other_names(name))
        if not names:
            return cls()
        if finding.avoid:
            whole = any(_is_all(plain(term), names) for term in finding.avoid)
        else:
            whole = bool(finding.actions)
        loose = _REFUSES_ALL.search(plain(finding.content)) is not None
        done = [act for act in finding.actions if act not in ANY_ACT]
        return cls(names=names, whole=whole and (loose or not done))

    def without(self, terms: Iterable[str]) -> list[str]:
        """The things that are to be avoided, those left out that are the place itself."""
        return [term for term in terms if not _is_all(plain(term), self.names)]

    def are_met(self, call: CallView) -> bool:
        """Whether a call is made in one of the places."""
        return any(_is_in(name, one) for one in call.arguments for name in self.names) or any(
            name in call.tool_words for name in self.names if name.isascii()
        )

    def are_touched(self, call: CallView) -> bool:
        """Whether a call does something in a place where nothing may be done."""
        return self.whole and self.are_met(call) and not _looks(call)


def _is_free(place: str, finding: PreferenceFinding) -> bool:
    """Whether a place is named as one where it may be done."""
    refused = any(place in term for term in finding.avoid)
    return place in finding.except_ or (not refused and any(place in term for term in finding.want))


def _other_names(name: str) -> frozenset[str]:
    return next((group for group in PLACES if name in group), frozenset((name,)))


def _is_environment(name: str) -> bool:
    return any(name in group for group in PLACES)


def _is_all(term: str, names: frozenset[str]) -> bool:
    """Whether a thing is no more than the place: "the production database", 线上数据库."""
    if term in PLACE_NOUNS | ANY_THING:
        return bool(names)
    if term.isascii():
        left = set(_PARTS.split(term)) - names - EMPTY - PLACE_NOUNS - ANY_THING - {""}
        return not left and bool(names & set(_PARTS.split(term)))
    for name in sorted(names, key=len, reverse=True):
        if term.startswith(name):
            return not term[len(name) :] or term[len(name) :] in PLACE_NOUNS | ANY_THING
    return False


def _is_in(name: str, value: Argument) -> bool:
    if not acts(value) or value.format == "bool":
        return False
    if name.isascii() and not _is_environment(name):
        return set(name.split()) <= value.words  # `main-menu` is not main
    if name.isascii():
        parts = [part for part in _PARTS.split(value.text) if part]
        return any(
            part == name and not _NOT_IT & {*parts[max(0, at - 1) : at], *parts[at + 1 : at + 2]}
            for at, part in enumerate(parts)
        )
    at = value.text.find(name)
    if at < 0 or (at and value.text[at - 1] in _NOT_IT_HAN):
        return False
    rest = value.text[at + len(name) :]
    sure = len(name) >= _SURE_HAN or not rest or rest in PLACE_NOUNS
    return sure or bool(name_words(value.name) & PLACE_NAMES)


def _looks(call: CallView) -> bool:
    first = next(iter(re.findall(r"[a-z]+", call.tool_text)), "")
    return first in LOOKS or call.tool_text[:1] in LOOKS or call.tool_text[:2] in LOOKS
