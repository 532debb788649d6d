"""What a user's turn takes back of what he said before: forgotten, erased, or put another way."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from hindsight_core.capture.preferences.features import compiled, language_of
from hindsight_core.capture.preferences.terms import terms_of
from hindsight_core.capture.preferences.text import mask, sentences
from hindsight_core.capture.replies import families, find
from hindsight_core.han import simplified
from hindsight_core.schema import Polarity
from hindsight_core.stem import stem
from hindsight_core.text import clean, count_cjk

__all__ = [
    "Reply",
    "asks_for_erasure",
    "forgotten",
    "is_on_the_same",
    "names",
    "own_sentences",
    "read_reply",
    "reworded",
    "reworded_act",
    "takes_back",
]

_LONGEST: Final = 160
"""Characters from which a turn is more than a reply, and a sentence more than a request."""
_REPLY: Final = 80
_FEW: Final = 4
"""Sentences of a turn that are looked at."""
_SIGNS: Final = {0x2019: "'", 0x2018: "'", 0x3002: "。"}
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_.+#'-]*")
_STATEMENT: Final = re.compile(r"(?:i|we)\b|我们?")
_FILLERS: Final = frozenset(
    "i i'm i've my we our me the a an that to am is are was of for it".split()  # noqa: SIM905
)
_FILLING_SIGNS: Final = frozenset("的了我你他它是在有和这那")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A value that is to take the place of another: `old` is empty where it is not named."""

    new: str
    old: str = ""


def _plain(text: str) -> str:
    """One sign for each sign: compatible forms of which one is one, simplified."""
    if text.isascii():  # of such signs none has another form
        return text
    signs = (unicodedata.normalize("NFKC", sign) for sign in text.translate(_SIGNS))
    return simplified("".join(n if len(n) == 1 else s for n, s in zip(signs, text, strict=True)))


@lru_cache(maxsize=1_024)  # a run may go on for long, and is read anew at each of its ends
def own_sentences(text: str) -> tuple[str, ...]:
    """Return the first short sentences of a text in one spelling; kept for the next time."""
    considered = clean(text[: _LONGEST * _FEW])
    found = (one.masked.strip() for one in sentences(considered, mask(considered)))
    return tuple(_plain(one) for one in islice(found, _FEW) if len(one) <= _LONGEST)


def asks_for_erasure(text: str) -> bool:
    """Whether a turn asks to erase all that is known of its user."""
    return any(find("erase", one) for one in own_sentences(text))


def forgotten(text: str) -> list[str]:
    """What a turn asks to be forgotten, each as the user named it: "pnpm", "that I like tea"."""
    return [
        match["what"].strip()
        for one in own_sentences(text)
        if not find("erase", one) and (match := find("forget", one))
    ]


def takes_back(text: str) -> bool:
    """Whether a text asks to forget or erase what was said before."""
    return asks_for_erasure(text) or bool(forgotten(text))


def names(what: str, content: str) -> bool:
    """Whether a statement is of what is to be forgotten: it has each of its words.

    "That I drink tea" names no statement against tea; "tea" names both.
    """
    wanted, said = _plain(what).lower().strip(), _plain(content).lower()
    if _STATEMENT.match(wanted) and _is_against(what) != _is_against(content):
        return False
    if count_cjk(wanted):
        wanted = wanted.removeprefix("我")
        return bool(wanted) and not _FILLING_SIGNS.issuperset(wanted) and wanted in said
    words = {stem(word.strip("'.")) for word in _WORD.findall(wanted) if word not in _FILLERS}
    return bool(words) and words <= {stem(word.strip("'.")) for word in _WORD.findall(said)}


def read_reply(text: str) -> Reply | None:
    """The value that a short turn puts in the place of another, None where it is no such turn."""
    said = text.strip()
    if not said or len(said) > _REPLY or "\n" in said:
        return None
    match = find("instead", _plain(said))
    if match is None:
        return None
    old = said[match.start("old") : match.end("old")] if match.groupdict().get("old") else ""
    return Reply(new=said[match.start("new") : match.end("new")].strip(), old=old.strip())


def reworded(content: str, reply: Reply) -> str | None:
    """A statement with the new value in the place of the old one; None if it does not hold that.

    A value that is not named is the one of the same kind: a colour for a colour. Where the new one
    is told as well, the two change places ("npm, never yarn"). What the statement is against is no
    value: "make it green" makes no ban on green of one on red.
    """
    plain, new = _plain(content), _plain(reply.new)
    family = next((one for one in families() if one.fullmatch(new)), None)
    if reply.old and family is None and (_says_nothing(reply.old) or _says_nothing(reply.new)):
        return None  # "not sure, maybe"
    kind = _whole(_plain(reply.old)) if reply.old else family
    found = kind.search(plain) if kind else None
    if found is None or found[0].casefold() == new.casefold() or _is_unwanted(found[0], content):
        return None
    rest = content[found.end() :]
    for other in reversed(list(_whole(new).finditer(plain[found.end() :]))):
        rest = rest[: other.start()] + found[0] + rest[other.end() :]
    return content[: found.start()] + reply.new + rest


def _whole(value: str) -> re.Pattern[str]:
    """A value as a whole word; Chinese words have no borders."""
    plain = re.escape(value)
    word = plain if count_cjk(value) else rf"(?<![a-zA-Z0-9_]){plain}(?![a-zA-Z0-9_])"
    return re.compile(word, re.IGNORECASE)


def _is_against(statement: str) -> bool:
    code = language_of(statement)
    return bool(code) and terms_of(statement, code, set()).polarity is Polarity.AGAINST


def _is_unwanted(value: str, content: str) -> bool:
    code = language_of(content)
    if not code:
        return False
    terms = terms_of(content, code, set())
    return any(_plain(value).lower() in _plain(term).lower() for term in terms.avoid)


def _says_nothing(value: str) -> bool:
    """Whether a value is of function words alone."""
    code = language_of(value)
    if not code:
        return True
    words = compiled(code).language.words
    return any(words.get(word) == word for word in _plain(value).lower().split())


def is_on_the_same(text: str) -> bool:
    """Whether a turn says of "them" or "it" what is to be done with that from now on."""
    return len(text) <= _LONGEST and find("same_act", _plain(text.strip())) is not None


def reworded_act(content: str, text: str) -> str | None:
    """A turn on what an earlier statement is about, with that for its pronoun, else None.

    "Ship them to Mill Lane" after "ship parcels to Harbour Street" is "ship parcels to Mill Lane".
    """
    said = text.strip()
    match = find("same_act", _plain(said)) if len(said) <= _LONGEST else None
    if match is None:
        return None
    verb, way = re.escape(match["verb"]), re.escape(match["way"])
    thing = rf"\b{verb} (?P<thing>(?!them\b|it\b)[^,.;:!?]{{1,40}}?) {way}\b"
    found = re.search(thing, _plain(content), re.IGNORECASE)
    if found is None:
        return None
    thing = content[found.start("thing") : found.end("thing")]
    return said[: match.start("it")] + thing + said[match.end("it") :]
