"""Text as every room sees it: cleaned of what no store can hold, and cut into terms.

`terms` is the one function that both the index and the query use, so what was indexed can be found.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.letters import part_names, plain_letters
from hindsight_core.stem import stem

__all__ = ["clean", "count_cjk", "fold", "is_cjk", "keywords", "searched", "shorten", "terms"]

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN: Final = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_KEYWORDS: Final = 12.0
_KEYWORDS_READ: Final = 600
_SHORT: Final = 3
_IS_CJK: Final = re.compile(f"[{_CJK}]")


def clean(text: str) -> str:
    """Drop NUL and lone surrogates, which SQLite, PostgreSQL and UTF-8 cannot hold."""
    return _UNSTORABLE.sub("", text)


def fold(text: str) -> str:
    """Return the text in compatibility form (full-width to half-width) and lower case."""
    return unicodedata.normalize("NFKC", text).casefold()


def is_cjk(sign: str) -> bool:
    """Whether a character belongs to a script that is written without spaces between words."""
    return _IS_CJK.match(sign) is not None


def count_cjk(text: str) -> int:
    """How many characters of a text belong to a script that is written without spaces."""
    return 0 if text.isascii() else len(_IS_CJK.findall(text))


def searched(text: str) -> str:
    """Return the text in the letters in which it is searched: however it is written, the same."""
    return plain_letters(simplified(fold(part_names(unicodedata.normalize("NFKC", text)))))


def terms(text: str) -> list[str]:
    """Cut a text into index terms: words to their English stem, CJK runs to overlapping bigrams.

    A name in camel case is a term, and so is each of its parts. A CJK run of one character is that
    character. The terms are ready for any index that compares them as they are.
    """
    found: list[str] = []
    for run in _TOKEN.findall(searched(text)):
        if len(run) > 1 and _IS_CJK.match(run):
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            found.append(stem(run))
    return found


def keywords(text: str) -> tuple[str, ...]:
    """Return the distinct terms by which a situation is known again, at most twelve words' worth.

    Words of up to three letters tell too little. Of a CJK run every bigram counts, as half a word.
    """
    found: list[str] = []
    room = _KEYWORDS
    for term in dict.fromkeys(terms(text[:_KEYWORDS_READ])):
        cjk = is_cjk(term[0])
        if not cjk and len(term) <= _SHORT:
            continue
        room -= 0.5 if cjk else 1.0
        if room < 0:
            break
        found.append(term)
    return tuple(found)


def shorten(text: str, limit: int, *, mark: str = " … ") -> str:
    """Keep the head and the tail of a text that is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    if limit <= len(mark):
        return text[:limit]
    head = (limit - len(mark)) * 2 // 3
    tail = limit - len(mark) - head
    return text[:head] + mark + text[len(text) - tail :]
