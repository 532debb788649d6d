"""Shows what a text hides: invisible signs, look-alike letters, reversed runs and encodings.

Nothing here judges. `unmask` returns the text as a reader would see it, every further text that was
hidden in it, and the names of the tricks that were found; the rules and the scorer judge those.
Every step is linear in the length of the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from hindsight_core.guard.unmask_encodings import (
    CUT_BASE64,
    DECODERS,
    MIN_HIDDEN,
    WORD_DECODERS,
    Decode,
    decode_cut,
)
from hindsight_core.guard.unmask_pinyin import from_pinyin
from hindsight_core.guard.unmask_words import EDGES, joined_signs, masked_words, run_together

__all__ = ["Layer", "Unmasked", "unmask"]

MAX_LAYERS: Final = 16
"""How many hidden texts are looked at; a text with more is suspicious by that alone."""
MAX_DEPTH: Final = 2
_LONG_WORD: Final = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """A text that was hidden in another one, and the trick that hid it."""

    trick: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unmasked:
    """A text without its disguise.

    `plain` is the text in compatibility form, without invisible signs and with look-alike letters
    replaced, in its own case; `layers` are the texts that were hidden in it; `tricks` names every
    disguise, also one that hid nothing readable.
    """

    plain: str
    layers: tuple[Layer, ...]
    tricks: frozenset[str]


# Invisible signs that join nothing a reader sees. ZWJ and ZWNJ are kept where they belong (emoji,
# Indic and Arabic scripts) and dropped between Latin or CJK letters.
_TAGS: Final = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_SPLIT_WORD: Final = re.compile(
    "[a-z\u0400-\u04ff\u3400-\u9fff][\u00ad\u200b-\u200d\u2060-\u2064\ufeff]+"
    "[a-z\u0400-\u04ff\u3400-\u9fff]",
    re.IGNORECASE,
)
_REVERSED: Final = re.compile("[\u202e\u202d]([^\u202c\n]*)[\u202c\n]?")
_MIXED: Final = re.compile(
    "[a-zA-Z]*[\u0370-\u03ff\u0400-\u04ff\u0501-\u052f\u0131\u0250-\u029f\u1d00-\u1d2b\ua730\ua731]"
    "[^\\W\\d_]*"
)
_LATIN: Final = re.compile("[a-zA-Z]")
_SMALL: Final = re.compile("[\u0250-\u029f\u1d00-\u1d2b]{3}")
_ENCLOSED: Final = re.compile("[\U0001f150-\U0001f169\U0001f170-\U0001f189]{2,}")
_ENCLOSED_A: Final = (0x1F150, 0x1F170)
_FULLWIDTH: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]{2}|[\U0001d400-\U0001d7cb]{2}")
# Any sign that one of the patterns above begins with: a text without one needs no closer look.
_STRANGE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u0370-\u03ff\u0400-\u052f\u061c\u115f\u1160"
    "\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uff21-\uff3a"
    "\uff41-\uff5a\uffa0\ufff9-\ufffb\u0131\u0250-\u029f\u1d00-\u1d2b\ua730\ua731\U0001d400-\U0001d7cb"
    "\U0001f150-\U0001f189\U000e0000-\U000e01ef]"
)
_LOOKALIKES: Final = str.maketrans(
    "АВЕКМНОРСТХУІЈЅаеорсухіјѕԁһӏԛԝвкмнтαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡ",
    "ABEKMHOPCTXYIJSaeopcyxijsdhlqwbkmhtaeikvoptuxABEZHIKMNOPTYXabcdefghijklmnoprstuvwyziag",
)

# Enough of English to tell a decoded text from noise; the hidden texts are orders, so pronouns,
# articles and prepositions appear in all of them.
_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER: Final = _UPPER.lower()
_ROT13: Final = str.maketrans(
    _UPPER + _LOWER, _UPPER[13:] + _UPPER[:13] + _LOWER[13:] + _LOWER[:13]
)
_COMMON_TEXT: Final = (
    "the and all any you your our this that these those with from for not now are is was will "
    "to of in on it as at be by or an me my we user users rule rules ignore send tell "
    "instructions file please do if then system previous password every"
)
_COMMON: Final = frozenset(_COMMON_TEXT.split())


def unmask(text: str) -> Unmasked:
    """Return the text without its disguise, and what was hidden in it."""
    tricks: set[str] = set()
    layers: list[Layer] = []
    plain = joined_signs(seen := _visible(text, tricks, layers))
    if len(plain) != len(seen):
        tricks.add("spaced_letters")
    _decode(plain, layers, tricks, 1)
    if len(layers) > MAX_LAYERS:
        tricks.add("many_layers")
    return Unmasked(plain=plain, layers=tuple(layers[:MAX_LAYERS]), tricks=frozenset(tricks))


def _visible(text: str, tricks: set[str], layers: list[Layer]) -> str:
    if text.isascii() and text.isprintable():
        return text
    if not _STRANGE.search(text):
        return unicodedata.normalize("NFKC", text)
    for run in _TAGS.findall(text):
        hidden = "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) < 0xE007F)
        # A flag of a region is spelt in tag characters too, in at most six of them.
        if len(hidden) > MIN_HIDDEN:
            tricks.add("tag_characters")
            layers.append(Layer(trick="tag_characters", text=hidden))
    for run in _SELECTORS.findall(text):
        tricks.add("variation_selectors")
        codes = (ord(c) - 0xFE00 if ord(c) < 0xFF00 else ord(c) - 0xE0100 + 16 for c in run)
        hidden = bytes(codes).decode("utf-8", "replace")
        layers.append(Layer(trick="variation_selectors", text=hidden))
    for run in _REVERSED.findall(text):
        tricks.add("bidirectional")
        layers.append(Layer(trick="bidirectional", text=run[::-1]))
    if _SPLIT_WORD.search(text):
        tricks.add("zero_width")
    if _FULLWIDTH.search(text):
        tricks.add("wide_letters")
    if _ENCLOSED.search(text):
        tricks.add("wide_letters")
        text = _ENCLOSED.sub(lambda run: run.group().translate(_plain_enclosed()), text)
    text = _INVISIBLE.sub("", _SELECTORS.sub("", _TAGS.sub("", text)))
    text = unicodedata.normalize("NFKC", text)
    return _MIXED.sub(partial(_latinise, tricks), text)


@lru_cache(maxsize=1)
def _plain_enclosed() -> dict[int, str]:
    return {first + i: chr(ord("a") + i) for first in _ENCLOSED_A for i in range(26)}


def _latinise(tricks: set[str], match: re.Match[str]) -> str:
    word = match.group()
    # A word in one script is a word of its language; only the mixture is a disguise. Small capitals
    # and letters of phonetics make no language's words.
    if not _LATIN.search(word) and not _SMALL.search(word):
        return word
    tricks.add("lookalikes")
    return word.translate(_LOOKALIKES)


def _decode(text: str, layers: list[Layer], tricks: set[str], depth: int) -> None:
    for trick, hidden in _hidden(text):
        if len(layers) > MAX_LAYERS:
            return
        tricks.add(trick)
        layers.append(Layer(trick=trick, text=hidden))
        if depth < MAX_DEPTH:
            _decode(hidden, layers, tricks, depth + 1)


def _hidden(text: str) -> Iterator[tuple[str, str]]:
    words = text.split()
    lengths = Counter(map(len, words))
    # Each pattern is tried only where its alphabet can be there at all: most texts skip them all.
    likely = {
        "digits": lengths[2] + lengths[3] + lengths[4] + lengths[8] + lengths[9] >= 3,
        "dashes": ".-" in text or "-." in text,
        "backslash": "\\" in text,
        "entity": "&#" in text,
        "percent": text.count("%") >= 3,
    }
    for trick, sign, pattern, decode in DECODERS:
        if likely[sign]:
            yield from _decoded(trick, pattern, decode, text)
    if "&#" in text:  # a word of it may be spelt so, the rest plainly
        yield "entities", html.unescape(text)
    if max(lengths, default=0) >= _LONG_WORD:
        long_words = [word for word in words if len(word) >= _LONG_WORD]
        for trick, pattern, decode in WORD_DECODERS:
            for word in long_words:
                yield from _decoded(trick, pattern, decode, word)
        if len(words) > 1:
            yield from _decoded("base64", CUT_BASE64, decode_cut, text)
    yield from masked_words(text, words, lengths)
    yield from run_together(text)
    yield from from_pinyin(text)
    yield from _turned(text, text.lower().split())


def _decoded(
    trick: str, pattern: re.Pattern[str], decode: Decode, text: str
) -> Iterator[tuple[str, str]]:
    for match in pattern.finditer(text):
        found = decode(match.group())
        if found is not None:
            yield trick, found


def _turned(text: str, words: list[str]) -> Iterator[tuple[str, str]]:
    """The text in rot13 and backwards, where that reads more like English than the text does."""
    as_is = _common(words)
    if len(words) < 3 or as_is * 5 > len(words):
        return
    if _common(word.translate(_ROT13) for word in words) > max(1, as_is):
        yield "rot13", text.translate(_ROT13)
    if _common(word[::-1].strip(EDGES) for word in words) > max(1, as_is):
        yield "backwards", text[::-1]


def _common(words: Iterable[str]) -> int:
    return sum(map(_COMMON.__contains__, words))
