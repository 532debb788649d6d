"""Whether a statement words the value of an argument: "thirty minutes" 30, "in francs" `CHF`.

A statement and the calls around it are tied by what they have in common: which argument was set as
it asks, and which had what it rules out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.limits import clocks_in
from hindsight_core.capture.wording_words import (
    all_codes,
    codes,
    empty_words,
    han_codes,
    han_names,
    light_words,
    says,
)
from hindsight_core.han import numeral, simplified
from hindsight_core.stem import stem
from hindsight_core.text import count_cjk, fold

__all__ = ["Wording", "codes_of", "says", "words_of_name"]

_MAX_READ: Final = 600
_MAX_VALUE: Final = 80
_WORD: Final = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]|[0-9]+(?:\.[0-9]+)?|[\u3400-\u9fff]+")
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u3400-\u9fff]+")
_NUMBER: Final = re.compile(r"(?<![\w.])[0-9]{1,9}(?:\.[0-9]{1,3})?(?!\w*[-/][0-9])")
_CLAUSES: Final = re.compile(r"[,;!?，；。！？]|:(?![0-9])|(?<=[a-z0-9]{3})\.(?=\s)")
_CLOCK: Final = re.compile(r"0?([0-9]{1,2}):([0-5][0-9])(?::00)?")
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[t ]([0-9]{2}):([0-5][0-9])(?::[0-9.]{2,9})?(?:z|[+-][0-9:]{4,5})?"
)
_HAN_NUMBER: Final = re.compile(
    r"([零一二两三四五六七八九十百]+)(?=[分点号度岁人位块元米天周月年小档级楼层遍页行字钟秒毫克斤公折])(?:[分点度]钟?(半))?"
)
_ONES: Final = "two three four five six seven eight nine ten eleven twelve"
_DECADES: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELT: Final = {
    **{word: value for value, word in enumerate(_ONES.split(), start=2)},
    **{word: 10 * value for value, word in enumerate(_DECADES.split(), start=2)},
}
_SHORT: Final = 3
_ALIKE: Final = 4


def codes_of(term: str) -> frozenset[str]:
    """Return the codes by which tools call what a term names: `eur` for "euros"."""
    words = (term, stem(term), term.rstrip("s"))
    return frozenset(code for word in words for code in codes().get(word, ()))


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """A statement as values are looked up in it: folded, in simplified signs."""

    text: str
    places: Mapping[str, int]
    numbers: Mapping[float, int]

    @classmethod
    def read(cls, statement: str) -> Wording:
        """Read a statement; of a very long one its head."""
        text = simplified(fold(statement[:_MAX_READ])).replace("’", "'")
        places: dict[str, int] = {}
        numbers: dict[float, int] = {}
        for match in _WORD.finditer(text):
            word = match[0].removesuffix("'s")
            for form in (word, stem(word), *word.split("-"), *codes_of(word)):
                places.setdefault(form, match.start())
            if word in _SPELT:
                numbers.setdefault(float(_SPELT[word]), match.start())
        for name, coded in han_codes() if count_cjk(text) else ():
            if (at := text.find(name)) >= 0:
                for code in coded:
                    places.setdefault(code, at)
        for match in _NUMBER.finditer(text):
            numbers.setdefault(float(match[0]), match.start())
        for match in _HAN_NUMBER.finditer(text):
            if (value := _han(match[1])) is not None:
                numbers.setdefault(value + (0.5 if match[2] else 0.0), match.start())
        return cls(text=text, places=places, numbers=numbers)

    def place(self, value: object) -> int:
        """Where the statement words a value, -1 where it does not."""
        if isinstance(value, bool) or value is None:
            return -1
        if isinstance(value, int | float):
            return self.numbers.get(float(value), -1)
        if not isinstance(value, str) or not value.strip() or len(value) > _MAX_VALUE:
            return -1
        plain = simplified(fold(value)).strip()
        if moment := _MOMENT.fullmatch(plain):
            return self._moment(int(moment[1]), int(moment[2]))
        if clock := _CLOCK.fullmatch(plain):
            return self._clock(plain, int(clock[1]), int(clock[2]))
        if plain.replace(".", "", 1).isdigit():
            return self.numbers.get(float(plain), -1)
        return self._phrase(plain)

    def names(self, argument: str) -> bool:
        """Whether the statement says the name of an argument or a tool, or part of it."""
        return any(self._told(word) for word in words_of_name(argument))

    def shared(self, value: object) -> str:
        """Return what the statement and a value have in common, "" where it is nothing."""
        if not isinstance(value, str) or len(value) > _MAX_VALUE * 2:
            return ""
        for word in _WORD.findall(simplified(fold(value))):
            if count_cjk(word):
                cuts = [word, *(word[at : at + 2] for at in range(len(word) - 1))]
                if found := next((one for one in cuts if len(one) > 1 and one in self.text), ""):
                    return found
            elif len(word) >= _SHORT and word[0].isalpha() and self._told(word):
                return word
        return ""

    def clause(self, value: object) -> str:
        """Return the clauses that word a value, "" where none does."""
        return ", ".join(one for one in self._cut() if Wording.read(one).place(value) >= 0)

    def clauses_with(self, phrases: Iterable[str]) -> str:
        """Return the clauses that have one of the phrases."""
        plain = [simplified(fold(one)) for one in phrases]
        return ", ".join(one for one in self._cut() if any(word in one for word in plain))

    def clauses_sharing(self, values: Iterable[object]) -> str:
        """Return the clauses that have something in common with one of the values."""
        kept, shared = [*values], [(one, Wording.read(one)) for one in self._cut()]
        return ", ".join(one for one, words in shared if any(map(words.shared, kept)))

    def clause_of_name(self, argument: str) -> str:
        """Return the first clause that says the name of an argument."""
        return next((one for one in self._cut() if Wording.read(one).names(argument)), "")

    def tells(self) -> frozenset[str]:
        """The words that tell of what it is said: none of a language without spaces."""
        return frozenset(
            word
            for word in self.places
            if word.isascii() and word.isalpha() and len(word) > _SHORT
            if word not in light_words() | empty_words() | all_codes() and word not in _SPELT
        )

    def speaks_of(self, words: Iterable[str]) -> bool:
        """Whether it has one of the words, or one that begins alike: sign, signature."""
        heads = {word[:_ALIKE] for word in words}
        return any(word[:_ALIKE] in heads for word in self.places if len(word) >= _ALIKE)

    def recodes(self, value: object) -> bool:
        """Whether the statement has a value by another name: zh-hans in "我要简体"."""
        plain = simplified(fold(value)).strip() if isinstance(value, str) else ""
        return plain in all_codes() and plain in self.places

    def _cut(self) -> list[str]:
        return _CLAUSES.split(self.text)

    def _told(self, word: str) -> bool:
        if count_cjk(word):
            return len(word) > 1 and word in self.text
        if any(name in self.text for name in han_names().get(word, ())):
            return True
        forms = (word, stem(word))
        told = any(form in self.places for form in forms)
        return told and len(word) > 1 and word not in empty_words()

    def _clock(self, plain: str, hour: int, minute: int) -> int:
        if plain in self.text:
            return self.text.index(plain)
        half = {0: 0.0, 30: 0.5}.get(minute)
        return -1 if half is None else self.numbers.get(hour + half, -1)

    def _moment(self, hour: int, minute: int) -> int:
        """Where the statement words the time of day of a date and time."""
        at = self.text.find(str(hour))
        return max(at, 0) if float(hour * 60 + minute) in clocks_in(self.text) else -1

    def _phrase(self, plain: str) -> int:
        if plain in self.places and plain not in empty_words():
            return self.places[plain]
        if count_cjk(plain):
            packed = plain.replace(" ", "")
            return self.text.replace(" ", "").find(packed) if len(packed) > 1 else -1
        words = [word for word in _WORD.findall(plain) if word not in empty_words()]
        if not words or not any(len(word) >= _SHORT for word in words):
            return -1
        found = [self._word(word) for word in words]
        return max(found) if all(at >= 0 for at in found) else -1

    def _word(self, word: str) -> int:
        if word[0].isdigit():
            return self.numbers.get(float(word), -1)
        return self.places.get(word, self.places.get(stem(word), -1))


def words_of_name(name: str) -> Iterable[str]:
    """Cut the name of a tool or an argument."""
    return (fold(part) for part in _PARTS.findall(simplified(name)))


def _han(text: str) -> float | None:
    """Read a numeral that tells a number: not 一 ("a"), nor two digits side by side (两三)."""
    told = len(text) == 1 or "十" in text or "百" in text
    return numeral(text) if told and text != "一" else None
