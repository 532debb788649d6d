"""Finds the phrases of a table in a text, word by word, in one pass.

English and Chinese share one matcher: a token is a word, a CJK sign, an address or a mark of
punctuation. A table maps a concept to phrases; in a phrase `word*` matches every word that begins
so, and `~` skips up to three tokens of the same
sentence. Written as data, a table can be read by somebody who knows the
language and no Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Hit", "PhraseTable", "Tokens", "tokenise"]

_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN: Final = re.compile(
    f"[a-z0-9](?:[a-z0-9_@./:\\-+%#?=&~']*[a-z0-9/])?|[{_CJK}]|[^\\W\\d_{_CJK}]+|\n|[^\\w\\s]"
)
_ADDRESS: Final = re.compile(
    r"(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)|(?P<url>[a-z][a-z0-9+.-]*://\S+|www\.\S+)"
    r"|(?P<wallet>0x[0-9a-f]{8,}|[a-z]{2}\d{10,}|(?:bc1|[13])[a-z0-9]{25,})"
    r"|(?P<host>(?:[a-z0-9-]+\.)+(?P<tld>[a-z]{2,12})(?::\d+)?(?:/\S*)?)"
)
_DOMAINS_TEXT: Final = (
    "com net org io co dev app ai cn hk tw ru us uk de fr jp kr eu in br info biz xyz top "
    "site shop online club cc tk me ly gg link live pro cloud store tech website space fun "
    "icu vip mobi edu gov int example test invalid local localhost internal corp lan onion"
)
_DOMAINS: Final = frozenset(_DOMAINS_TEXT.split())
_SUBWORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_BREAKS: Final = frozenset(".!?;。!?;\n…")
_GAP: Final = "~"
_MAX_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into tokens; `sentence[i]` is the number of the sentence that token i is in."""

    words: tuple[str, ...]
    sentence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase that was found: its concept, and the tokens `start` up to but without `end`."""

    concept: str
    start: int
    end: int


def tokenise(folded: str) -> Tokens:
    """Cut a text that `fold` went over into tokens.

    An address becomes one token, `<mail>`, `<url>`, `<host>` or `<wallet>`; what is joined by other
    signs ("force-push", "a/b", "verify=false") is cut into its parts.
    """
    words: list[str] = []
    sentence: list[int] = []
    number = 0
    for token in _TOKEN.findall(folded.replace("’", "'")):
        if token in _BREAKS:
            words.append(token)
            sentence.append(number)
            number += 1
            continue
        if token.isalnum():
            words.append(token)
            sentence.append(number)
            continue
        for part in _parts(token):
            words.append(part)
            sentence.append(number)
    return Tokens(tuple(words), tuple(sentence))


def _parts(token: str) -> list[str]:
    if len(token) > 3 and ("." in token or token.startswith("0x")):
        match = _ADDRESS.fullmatch(token)
        if match is not None and (match["tld"] is None or match["tld"] in _DOMAINS):
            return [f"<{match.lastgroup if match.lastgroup != 'tld' else 'host'}>"]
    return _SUBWORD.findall(token) or [token]


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """A table of phrases, indexed by their first token."""

    _exact: dict[str, list[tuple[str, tuple[str, ...]]]] = field(
        default_factory=dict[str, list[tuple[str, tuple[str, ...]]]]
    )
    _prefix: dict[str, list[tuple[str, tuple[str, ...]]]] = field(
        default_factory=dict[str, list[tuple[str, tuple[str, ...]]]]
    )
    _lengths: set[int] = field(default_factory=set[int])

    @classmethod
    def of(cls, *tables: Mapping[str, Iterable[str]]) -> PhraseTable:
        """Index the phrases of one or more tables."""
        table = cls()
        for concepts in tables:
            for concept, phrases in concepts.items():
                for phrase in phrases:
                    table._add(concept, phrase)
        return table

    def _add(self, concept: str, phrase: str) -> None:
        first, *rest = _PHRASE.findall(phrase)
        if first.endswith("*"):
            self._prefix.setdefault(first[:-1], []).append((concept, tuple(rest)))
            self._lengths.add(len(first) - 1)
        else:
            self._exact.setdefault(first, []).append((concept, tuple(rest)))

    def find(self, tokens: Tokens) -> list[Hit]:
        """All phrases in the text, in the order of their beginning; they may overlap."""
        words = tokens.words
        hits: list[Hit] = []
        for start, word in enumerate(words):
            entries = self._exact.get(word)
            if entries:
                self._extend(hits, words, start, entries)
            if self._prefix and word.isascii():
                for length in self._lengths:
                    entries = self._prefix.get(word[:length]) if length <= len(word) else None
                    if entries:
                        self._extend(hits, words, start, entries)
        return hits

    @staticmethod
    def _extend(
        hits: list[Hit],
        words: Sequence[str],
        start: int,
        entries: Sequence[tuple[str, tuple[str, ...]]],
    ) -> None:
        for concept, rest in entries:
            end = _match(words, start + 1, rest)
            if end:
                hits.append(Hit(concept, start, end))


_PHRASE: Final = re.compile(f"<[a-z]+>|~|[a-z0-9]+(?:'[a-z]+)?\\*?|[{_CJK}]|[^\\w\\s]")


def _match(words: Sequence[str], at: int, rest: Sequence[str]) -> int:
    """Where the phrase ends if it goes on at `at` with `rest`, else 0."""
    for index, part in enumerate(rest):
        if part == _GAP:
            for skip in range(_MAX_GAP + 1):
                if skip and (at + skip > len(words) or words[at + skip - 1] in _BREAKS):
                    return 0
                end = _match(words, at + skip, rest[index + 1 :])
                if end:
                    return end
            return 0
        if at >= len(words):
            return 0
        word = words[at]
        if not (word.startswith(part[:-1]) if part.endswith("*") else word == part):
            return 0
        at += 1
    return at
