"""Tells whether a text is in a language that the learnt scorers were never taught.

They know English and Chinese. Of another language they know nothing, so their silence about a text
in it clears it of nothing.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.guard.reading import Reading

__all__ = ["is_foreign"]

_OTHER_SCRIPT: Final = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0530-\u1fff\u3040-\u30ff\uac00-\ud7af]{2}"
)
_SCRIPT_SHARE: Final = 0.2
_FEWEST: Final = 2
_WORD_SHARE: Final = 0.12


def is_foreign(reading: Reading) -> bool:
    """Whether another script, or the small words of another language, make up much of a text."""
    plain = reading.plain
    other = sum(map(len, _OTHER_SCRIPT.findall(plain)))
    if other and other > _SCRIPT_SHARE * sum(map(str.isalpha, plain)):
        return True
    words = reading.tokens.words
    small = {
        words[hit.start]
        for sentence in reading.sentences.values()
        for hit in sentence.get("tongue", ())
    }
    hits = sum(len(sentence.get("tongue", ())) for sentence in reading.sentences.values())
    return len(small) >= _FEWEST and hits >= _WORD_SHARE * len(words)
