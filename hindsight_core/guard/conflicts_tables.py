"""What a language tells the conflict rules: word lists, opposites, and values that exclude."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["LANGUAGES", "Mark", "marks_of", "word_list"]

LANGUAGES: Final = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Mark:
    """What an entry means: the table it is of, the group in it, and the value in that group."""

    table: str
    group: str = ""
    value: str = ""


def marks_of(language: str) -> Iterator[tuple[str, Mark]]:
    """Yield every entry of a language's file with what it means.

    A word list separates its entries with `|`; a line of `axes` and `polar` is `a, b : c, d`, of
    `contrasts` `slot = value/alias; value/alias`, of `synonyms` `word/word`.
    """
    for name, text in _tables(language).items():
        if name in ("axes", "polar"):
            yield from _opposites(name, language, text)
        elif name == "contrasts":
            yield from _contrasts(text)
        elif name == "synonyms":
            for line in text.splitlines():
                words = [word.strip() for word in line.split("/")]
                yield from ((word, Mark("synonyms", "", words[0])) for word in words if word)
        else:
            yield from ((word, Mark(name)) for word in _words(text))


@cache
def word_list(language: str, table: str) -> frozenset[str]:
    """The entries of one word list of a language's file."""
    return frozenset(_words(_tables(language)[table]))


@cache
def _tables(language: str) -> dict[str, str]:
    path = files("hindsight_core.guard").joinpath(f"conflicts_{language}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("\n", " ").split("|") if word.strip()]


def _opposites(name: str, language: str, text: str) -> Iterator[tuple[str, Mark]]:
    for line in text.splitlines():
        plus, _, minus = line.partition(":")
        group = f"{language}/{plus.partition(',')[0].strip()}"
        for side, words in (("+", plus), ("-", minus)):
            for word in words.split(","):
                yield word.strip(), Mark(name, group, side)


def _contrasts(text: str) -> Iterator[tuple[str, Mark]]:
    for line in text.splitlines():
        slot, _, values = line.partition("=")
        for value in values.split(";"):
            words = [word.strip() for word in value.split("/")]
            yield from ((word, Mark("contrasts", slot.strip(), words[0])) for word in words)
