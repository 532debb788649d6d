"""Undoes words that are written apart, run together or in digits: disguises without odd signs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["EDGES", "joined_signs", "masked_words", "run_together"]

_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff"
_MARKS: Final = r"*_|~^+=·•・./\\-"
_SIGNS_APART: Final = re.compile(f"[{_HAN}](?:[ {_MARKS}]{{1,3}}[{_HAN}]){{3,}}")
_GAPS: Final = re.compile(f"[ {_MARKS}]")
_LETTERS_APART: Final = re.compile(
    rf"(?<![A-Za-z])(?:(?:[A-Za-z][ {_MARKS}]){{5,}}|(?:[A-Za-z][{_MARKS}]){{3,}})"
    r"[A-Za-z](?![A-Za-z])"
)
_JOINED: Final = re.compile(rf"(?:[A-Za-z][{_MARKS}]){{3}}")
# Letters around digits, or digits around letters; not "5th", "mp3", "utf8" or "v2".
_LEET_WORD: Final = re.compile(
    r"(?=.{3})(?:[a-zA-Z@$]*[0134578$@]+[a-zA-Z]+[0134578$@]+[\w@$]*|[a-zA-Z]+[0134578$@]+[a-zA-Z]+)"
)
EDGES: Final = ".,;:!?()[]'\""
_LEET: Final = str.maketrans("0134578@$", "oieastbas")
# What every override comes down to. Looked for with all gaps closed, for no spacing hides it then.
_OVERRIDE: Final = re.compile(
    r"(ignore|disregard|forget|override|bypass|dismiss)(?:s|d|ing)?"
    r"((?:all|any|every|the|your|my|of|these|those|other|and){0,3})"
    r"(previous|prior|earlier|above|preceding|foregoing|former|system|safety|operators?|owners?)"
    r"(instruction|rule|guideline|directive|prompt|order|command|constraint|policies|restriction)"
    r"|(忽略|无视|忘记|忘掉|别管|不要遵守|不再遵守|违反)((?:掉|了|你|所有|全部|一切|的|上面|任何){0,3})"
    r"(之前|以前|先前|以上|上述|前面|系统|主人|用户|开发者)(?:的|所有|全部|给|设|定){0,3}"
    r"(指令|指示|规则|要求|提示|设定|命令|限制)"
)
_CLOSED: Final = re.compile(r"[\W_]+")


def joined_signs(text: str) -> str:
    """The text with Chinese signs put together again that marks or blanks stand between."""
    return _SIGNS_APART.sub(lambda run: _GAPS.sub("", run.group()), text)


def run_together(text: str) -> Iterator[tuple[str, str]]:
    """An override that is only seen with all gaps closed, as a hidden text with its words apart."""
    folded = simplified(fold(text))
    for match in _OVERRIDE.finditer(_CLOSED.sub("", folded)):
        # Who writes it as it is usually written hides nothing.
        if match.group() in folded if not match.group().isascii() else _as_usual(match, folded):
            continue
        yield "split_words", " ".join(part for part in match.groups() if part)


def masked_words(
    text: str, words: Sequence[str], lengths: Counter[int]
) -> Iterator[tuple[str, str]]:
    """The text with its spelt-out words joined, and with its digits read as letters."""
    odd = [word for word in words if not word.isalpha()]
    if lengths[1] >= 6 or any(len(word) >= 7 and _JOINED.search(word) for word in odd):
        joined = _LETTERS_APART.sub(lambda run: re.sub(r"[^A-Za-z]", "", run.group()), text)
        if joined != text:
            yield "spaced_letters", joined
    if sum(map(_is_leet, odd)) >= 2:
        yield "leet", " ".join(map(_unleet, words))


def _as_usual(match: re.Match[str], folded: str) -> bool:
    verb, _, whose, what, *_ = match.groups()
    words = rf"\b{verb}\w{{0,3}}[\W_]+(?:\w+?[\W_]+){{0,4}}{whose}[\W_]+{what}"
    return re.search(words, folded) is not None


def _is_leet(word: str) -> bool:
    return _LEET_WORD.fullmatch(word.strip(EDGES)) is not None


def _unleet(word: str) -> str:
    return word.translate(_LEET) if _is_leet(word) else word
