"""A phrase of a statement cut into terms: list, edges, words and verbs that lead to them."""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.capture.languages import Language

__all__ = ["cut_terms"]

_LIST: Final = re.compile(r"\s*(?:,|、| or | and | nor |或者|或|和|以及)\s*")
_SLASH: Final = re.compile(r"/(?=\w)")
_EDGE: Final = " .。!?\"'()“”「」`"
_MAX_WORDS: Final = 5
_SHORT: Final = 2


def cut_terms(text: str, language: Language, *, cut: bool) -> tuple[list[str], list[str]]:
    """Split a captured phrase into its terms and, where `cut`, the verbs that led to them."""
    terms: list[str] = []
    verbs: list[str] = []
    strip = _strip_words if language.spaced else _strip_characters
    for part in _LIST.split(text):
        term, acts = strip(part.strip(_EDGE), language, cut)
        verbs += acts
        # "Finance/Incoming" is one thing, "npm/yarn" are two: who compares knows both readings.
        readings = dict.fromkeys((term, *_SLASH.split(term)))
        terms += [one for one in readings if one and one not in language.stop]
    return terms, verbs


def _strip_words(part: str, language: Language, cut: bool) -> tuple[str, list[str]]:
    words = part.split()
    verbs: list[str] = []
    lead = language.lead if cut else language.lead - language.verbs
    while words and words[0] in lead and (len(words) > 1 or words[0] not in language.verbs):
        verbs += [words[0]] if words[0] in language.verbs else []
        words = words[1:]
    while words and words[-1] in language.trail:
        words = words[:-1]
    return " ".join(words[:_MAX_WORDS]).strip(_EDGE), verbs


def _strip_characters(part: str, language: Language, cut: bool) -> tuple[str, list[str]]:
    verbs: list[str] = []
    between = False
    while cut and not part.startswith(language.whole):
        lead = next((one for one in language.lead_first if part.startswith(one)), "")
        if not lead or len(part) - len(lead) < (_SHORT if len(lead) == 1 else 1):
            break
        verbs += [lead] if lead in language.verbs else []
        between = between or lead in language.coverbs
        part = part[len(lead) :].strip(_EDGE)
    trimmed = True
    while trimmed:
        trimmed = False
        for trail in language.trail:
            if part.endswith(trail) and len(part) > len(trail):
                part, trimmed = part[: -len(trail)].strip(_EDGE), True
    act = part[-1:]
    if between and act in language.verbs and len(part) > _SHORT:  # 给猫舍开: the act comes last
        part, verbs = part[:-1], [*verbs, act]
    return part, verbs
