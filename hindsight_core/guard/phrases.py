"""Finds the phrases of a table in a text, word by word, in one pass.

English and Chinese share one matcher: a token is a word, a CJK sign, an address or a mark of
punctuation. A table maps a concept to phrases; in a phrase `word*` matches every word that begins
so, and `~` skips up to three tokens of the same
sentence. Written as data, a table can be read by somebody who knows the
language and no Python.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["Hit", "PhraseTable", "Tokens", "tokenise"]

_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN: Final = re.compile(
    f"[a-z0-9](?:[a-z0-9_@./:\\-+%#?=&~']*[a-z0-9/])?|[{_CJK}]|[^\\W\\d_{_CJK}]+|\n|[^\\w\\s]"
)
_ADDRESS: Final = re.compile(
    r"(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)|(?P<url>[a-z][a-z0-9+.-]*://\S+|www\.\S+)"
    r"|(?P<host>(?:[a-z0-9-]+\.)+(?P<tld>[a-z]{2,12})(?::\d+)?(?:/\S*)?)"
)
# IBAN (ISO 13616), and addresses of Ethereum and Bitcoin; then any other long number.
_ACCOUNT: Final = re.compile(
    r"(?P<wallet>[a-z]{2}\d{2}(?=(?:[a-z]*\d){8})[a-z0-9]{11,30}|0x[0-9a-f]{32,}|bc1[a-z0-9]{25,60}"
    r"|[13](?=[a-z0-9]*[g-z])[a-z0-9]{25,34}|t(?=[a-z0-9]*[g-z])[a-z0-9]{33})|(?P<digits>\d{8,24})"
)
_GROUPED: Final = re.compile(
    r"(?<![a-z0-9])(?:[a-z]{2}\d{2}(?:[ -][a-z0-9]{4}){3,7}(?:[ -][a-z0-9]{1,3})?"
    r"|\d{4}(?:[ -]\d{4}){2,4}(?:[ -]\d{1,3})?)(?![a-z0-9])"
)
_MIN_ACCOUNT: Final = 8
_DOMAINS_TEXT: Final = (
    "com net org io co dev app ai cn hk tw ru us uk de fr jp kr eu in br info biz xyz top "
    "site shop online club cc tk me ly gg link live pro cloud store tech website space fun "
    "icu vip mobi edu gov int example test invalid local localhost internal corp lan onion"
)
_DOMAINS: Final = frozenset(_DOMAINS_TEXT.split())
_SUBWORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_BREAKS: Final = frozenset(".!?;。!?;\n…")
_QUOTES: Final = frozenset("\"'”’」』")
_GAP: Final = "~"
_MAX_GAP: Final = 3
_MIN_SLIP: Final = 8
"""From this length on a word is recognised in spite of one slip."""
_MAX_KNOWN: Final = 20_000
"""How many words are remembered with what the table has for them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into tokens; `sentence[i]` is the number of the sentence that token i is in."""

    words: tuple[str, ...]
    sentence: tuple[int, ...]


class Hit(NamedTuple):
    """A phrase that was found: its concept, and the tokens `start` up to but without `end`."""

    concept: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _plain_letters() -> dict[int, str]:
    """Accented Latin and Greek letters to their base; a typographic apostrophe to a plain one."""
    table: dict[int, str] = {ord("’"): "'"} | dict.fromkeys(range(0x300, 0x370), "")
    for code in (*range(0xC0, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base != chr(code):
            table[code] = base
    return table


def _plain(text: str) -> str:
    folded = fold(text)
    return folded if folded.isascii() else simplified(folded).translate(_plain_letters())


def tokenise(text: str) -> Tokens:
    """Cut a text into tokens: lower case, without accents, in simplified signs.

    An address becomes one token, `<mail>`, `<url>`, `<host>` or `<wallet>` (an account or wallet,
    also one in groups), another long number `<digits>`; what is joined by other signs
    ("force-push", "a/b", "verify=false") is cut into its parts.
    """
    words: list[str] = []
    sentence: list[int] = []
    number = 0
    plain = _GROUPED.sub(_closed, _plain(text))
    found = _TOKEN.findall(plain)
    for piece, after in zip(found, [*found[1:], ""], strict=False):
        parts = _parts(piece) if not piece.isalnum() else [_number(piece)]
        words += parts
        sentence += [number] * len(parts)
        # What ends a sentence inside a quotation does not end the one that quotes.
        if piece in _BREAKS and (after not in _QUOTES or piece == "\n"):
            number += 1
    return Tokens(tuple(words), tuple(sentence))


def _closed(grouped: re.Match[str]) -> str:
    run = grouped.group()
    # Three groups of words with a number before them are no account.
    return re.sub("[ -]", "", run) if sum(map(str.isdigit, run)) > _MIN_ACCOUNT else run


def _number(word: str) -> str:
    if len(word) < _MIN_ACCOUNT or word.isalpha():
        return word
    match = _ACCOUNT.fullmatch(word)
    return word if match is None else f"<{match.lastgroup}>"


def _parts(token: str) -> list[str]:
    if len(token) > 3 and "." in token:
        match = _ADDRESS.fullmatch(token)
        if match is not None and (match["tld"] is None or match["tld"] in _DOMAINS):
            return [f"<{match.lastgroup if match.lastgroup != 'tld' else 'host'}>"]
    return _SUBWORD.findall(token) or [token]


_Entry = tuple[str, tuple[str, ...]]


class _Known(NamedTuple):
    """What the table has for a word: its proper spelling and the phrases that begin with it.

    `whole` are the concepts of the word alone, `by_next` the phrases whose second token is a plain
    word, by that word, and `others` the rest, each without its first token.
    """

    meant: str
    whole: tuple[str, ...]
    by_next: Mapping[str, Sequence[_Entry]]
    others: Sequence[_Entry]


class PhraseTable:
    """A table of phrases, indexed by their first token; safe to share between threads.

    A word that is one slip (a sign too many, too few, wrong or swapped) away from a long word of
    the table is taken for it: a spelling mistake is the cheapest disguise.
    """

    def __init__(self, *tables: Mapping[str, Iterable[str]]) -> None:
        self._exact: defaultdict[str, list[_Entry]] = defaultdict(list)
        self._prefix: defaultdict[str, list[_Entry]] = defaultdict(list)
        self._known: dict[str, _Known] = {}
        self._words: set[str] = set()
        for concepts in tables:
            for concept, phrases in concepts.items():
                for phrase in phrases:
                    first, *rest = parts = _PHRASE.findall(_plain(phrase))
                    index = self._prefix if first.endswith("*") else self._exact
                    index[first.removesuffix("*")].append((concept, tuple(rest)))
                    self._words.update(part.removesuffix("*") for part in parts)
        self._lengths = sorted({len(first) for first in self._prefix})
        self._slips: dict[str, str] = {}
        for word in sorted(self._words):
            if len(word) >= _MIN_SLIP and word.isascii():
                for slip in _shortened(word):
                    self._slips.setdefault(slip, word)

    def find(self, tokens: Tokens) -> list[Hit]:
        """All phrases in the text, in the order of their beginning; they may overlap."""
        known, look_up = self._known, self._look_up
        entries = [known.get(word) or look_up(word) for word in tokens.words]
        words = [entry.meant for entry in entries]
        hits: list[Hit] = []
        for start, entry in enumerate(entries):
            hits += [Hit(concept, start, start + 1) for concept in entry.whole]
            if entry.by_next and start + 1 < len(words):
                for concept, rest in entry.by_next.get(words[start + 1], ()):
                    end = _match(words, start + 2, rest) if rest else start + 2
                    if end:
                        hits.append(Hit(concept, start, end))
            for concept, rest in entry.others:
                end = _match(words, start + 1, rest)
                if end:
                    hits.append(Hit(concept, start, end))
        return hits

    def _look_up(self, word: str) -> _Known:
        """What the table has for a word; remembered."""
        meant = self._meant(word)
        entries = list(self._exact.get(meant, ()))
        for length in self._lengths:
            if length <= len(meant):
                entries += self._prefix.get(meant[:length], ())
        by_next: defaultdict[str, list[_Entry]] = defaultdict(list)
        others: list[_Entry] = []
        for concept, rest in entries:
            if rest and rest[0] != _GAP and not rest[0].endswith("*"):
                by_next[rest[0]].append((concept, rest[1:]))
            elif rest:
                others.append((concept, rest))
        whole = tuple(dict.fromkeys(concept for concept, rest in entries if not rest))
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        found = self._known[word] = _Known(meant, whole, dict(by_next), others)
        return found

    def _meant(self, word: str) -> str:
        if len(word) < _MIN_SLIP or not (word.isascii() and word.isalpha()):
            return word
        if any(word[:length] in self._words for length in range(_MIN_SLIP - 2, len(word) + 1)):
            return word
        for slip in (word, *_shortened(word)):
            meant = (
                slip if slip in self._words and len(slip) >= _MIN_SLIP else self._slips.get(slip)
            )
            if meant is not None and abs(len(meant) - len(word)) <= 1:
                return meant
        return word


def _shortened(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


_PHRASE: Final = re.compile(f"<[a-z]+>|~|[{_CJK}]|[^\\W_{_CJK}]+(?:'[^\\W\\d_]+)?\\*?|[^\\w\\s]")


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
