"""English words cut to their stem, so that "booked" finds "booking".

M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980, 130-137. The libraries at hand
load thirty languages (a second of import) or need a compiler, so the one algorithm is here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["stem"]

_VOWEL: Final = "(?:[aeiou]|(?<=[^aeiou])y)"
_HAS_VOWEL: Final = re.compile(_VOWEL)
_MEASURE: Final = re.compile(f"{_VOWEL}+(?:(?!{_VOWEL})[a-z])+")
_DOUBLE: Final = re.compile(r"([bcdfghjkmnpqrtvwxy])\1$")
_CVC: Final = re.compile(r"(?:^|.*)[^aeiou][aeiouy][^aeiouwxy]$")

_LONGEST: Final = 64
"""Letters of a word; the patterns take as long as the square of a row of vowels."""

_STEP_2: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4: Final = re.compile(
    "(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$"
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; anything else comes back as it is."""
    if not 3 <= len(word) <= _LONGEST or not (word.isascii() and word.isalpha()):
        return word
    word = _plural_and_participle(word)
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    for table in (_STEP_2, _STEP_3):
        for suffix, instead in table:
            if word.endswith(suffix):
                if _measure(word[: -len(suffix)]) > 0:
                    word = word[: -len(suffix)] + instead
                break
    found = _STEP_4.search(word)
    if found and _measure(word[: found.start()]) > 1:
        word = word[: found.start()]
    return _final_e_and_l(word)


def _measure(word: str) -> int:
    """Count the vowel-consonant sequences: m in the paper's [C](VC)^m[V]."""
    return len(_MEASURE.findall(word))


def _plural_and_participle(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return _mend(rest) if _HAS_VOWEL.search(rest) else word
    return word


def _mend(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    if _measure(word) == 1 and _CVC.match(word):
        return word + "e"
    return word


def _final_e_and_l(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        count = _measure(rest)
        if count > 1 or (count == 1 and not _CVC.match(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
