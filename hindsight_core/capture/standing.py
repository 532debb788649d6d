"""Which rules of a user hold whatever is asked: how he wants to be answered and addressed.

"No emojis" names nothing that a task could be compared with, so no likeness would bring it to mind.
A rule of this kind that names a thing of its own ("no emojis in customer replies", "bullets in my
minutes") is a rule for that thing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hindsight_core.capture.preferences import read_preference
from hindsight_core.capture.preferences.features import compiled, fold_sentence, language_of
from hindsight_core.capture.preferences.terms import topics_of
from hindsight_core.schema import Kind

__all__ = ["ANSWER_SLOTS", "is_standing"]

ANSWER_SLOTS: Final = (
    "answer format",
    "answer language",
    "answer length",
    "emoji",
    "form of address",
    "spelling",
    "tone",
)
"""Slots of rules on the answers themselves."""
_LONGEST: Final = 120
"""Characters from which a statement surely speaks of more than how to answer."""
_ANSWERS: Final = {
    "en": r"\b(?:answer|repl(?:y|ie)|respon[sd]e?|message|point|paragraph|list|text|word|chat)s?\b",
    "zh": "回答|答复|回复|回话|说话|讲话|内容|文字|消息|符号|表情包",
}
"""What an answer is called and made of."""
_OF_ANSWERS: Final = {
    "en": re.compile(rf"(?:when |in |if )?(?:you |your |all |any |the )*{_ANSWERS['en']}"),
    "zh": re.compile(f"(?:在|你|您|给我|的|所有)*(?:{_ANSWERS['zh']})(?:我|的|时|时候|里|中)*"),
}
"""A bound that is none."""
_OF_A_THING: Final = re.compile(
    r"\b(?:in|on|for|from) (?:all |any )?(?:my|our|the|this|these) "
    "(?!answer|repl|respon|message|chat)"
)
_FEW: Final = {"en": 2, "zh": 4}
"""Words, or signs where words have no borders, that may be left over."""
_UNITS: Final = {"en": re.compile(r"[a-z][a-z'-]+"), "zh": re.compile("[\u4e00-\u9fff]|[a-z]+")}


@lru_cache(maxsize=2_048)
def is_standing(statement: str) -> bool:
    """Whether a preference holds for every answer, whatever it is about."""
    if len(statement) > _LONGEST:
        return False
    found = read_preference(statement)
    if found is None or found.kind is not Kind.PREFERENCE or found.slot not in ANSWER_SLOTS:
        return False
    code = language_of(statement)
    folded = fold_sentence(statement, code)
    bounds = (found.condition, *found.where, *found.topic)
    return (
        not found.of_another
        and topics_of(statement) <= {*ANSWER_SLOTS}
        and not _OF_A_THING.search(folded)
        and all(_OF_ANSWERS[code].fullmatch(bound) for bound in bounds if bound)
        and len(_left(folded, code)) <= _FEW[code]
    )


def _left(folded: str, code: str) -> list[str]:
    """What is left beside cues, function words and words for an answer."""
    language = compiled(code).language
    known = {*language.words, *language.lead, *language.trail, *language.stop}
    plain = re.sub("|".join((_ANSWERS[code], *language.topics.values())), " ", folded)
    if not language.spaced:
        plain = _any_word(code).sub(" ", plain)
    return [unit for unit in _UNITS[code].findall(plain) if unit not in known]


@lru_cache(maxsize=4)
def _any_word(code: str) -> re.Pattern[str]:
    """Any known word of a language whose words have no borders, the longest first."""
    language = compiled(code).language
    known = {*language.words, *language.lead, *language.trail, *language.stop} - {""}
    return re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))
