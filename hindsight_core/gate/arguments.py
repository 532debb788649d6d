"""The arguments of a call as the gate compares them: names, formats, words; no model is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

from hindsight_core.capture import format_of
from hindsight_core.han import simplified
from hindsight_core.schema import ToolCall
from hindsight_core.stem import stem
from hindsight_core.text import fold, is_cjk

__all__ = ["Argument", "arguments_of", "is_quoted", "name_words", "occurs", "plain", "words"]

_MAX_TEXT: Final = 2_000
_MAX_ARGUMENTS: Final = 64
_QUANTITY: Final = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)*\s*([^\W\d_]{1,12}|[%°€$£¥][a-z]?)")
_NAME_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_PARTS: Final = re.compile(r"[\s/\\#@,;:=?&|\"'`()\[\]{}<>（）「」『』【】，。、；：？！]+")
_COMPOUND: Final = re.compile(r"[^\W_][._:/@-]+[^\W_]")
_INNER_NAME: Final = re.compile(r"[^\W\d_]{4,40}|[\u4e00-\u9fff]{2,40}")
_LONG: Final = 80


def plain(text: str) -> str:
    """Return a text as all comparisons see it: folded, in simplified signs, blanks as one."""
    return " ".join(simplified(fold(text[:_MAX_TEXT])).split())


def words(text: str) -> frozenset[str]:
    """Cut a folded text at blanks and signs, not at hyphens; each word and its English stem."""
    parts = (part.strip(".-_!") for part in _PARTS.split(text))
    return frozenset(form for part in parts if part for form in (part, stem(part)))


def name_words(name: str) -> frozenset[str]:
    """Cut the name of a tool or an argument: `createTicket`, `git_push`, `calendar.show`."""
    parts = (fold(part) for part in _NAME_PARTS.findall(simplified(name)))
    return frozenset(form for part in parts for form in (part, stem(part)))


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One value of a call under its dotted name; `text` is folded."""

    name: str
    text: str
    format: str

    @cached_property
    def words(self) -> frozenset[str]:
        """The value's words."""
        return words(self.text)

    @cached_property
    def parts(self) -> frozenset[str]:
        """Whole value and, of a path or an address, its host and segments."""
        if self.format not in ("url", "path", "email", "id") or len(self.text) > _LONG * 4:
            return frozenset((self.text,)) if len(self.text) <= _LONG else frozenset()
        cut = (part for part in re.split(r"[/\\?&=@]+", self.text) if len(part) > 1)
        return frozenset((self.text, *(part for part in cut if part != "https:")))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names inside of identifiers, addresses and statements, such as a table's schema."""
        found: set[str] = set()
        for token in self.text[:_MAX_TEXT].split():
            if _COMPOUND.search(token):
                found.update(_INNER_NAME.findall(token))
        return frozenset(found)


def arguments_of(call: ToolCall) -> tuple[Argument, ...]:
    """Return the values of a call, nested ones under dotted names, at most 64 of them."""
    found: list[Argument] = []
    for name, value in _flat(call.args, ""):
        found.append(_argument(name, value))
        if len(found) == _MAX_ARGUMENTS:
            break
    return tuple(found)


def _flat(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and value:
        for inner in cast("list[Any]", value):
            yield from _flat(inner, name)
    else:
        yield name, value


def _argument(name: str, value: object) -> Argument:
    if isinstance(value, str):
        text = plain(value)
        return Argument(name=name, text=text, format=_format(text))
    kind = "null" if value is None else type(value).__name__
    return Argument(name=name, text=str(value).lower() if kind != "null" else "", format=kind)


def _format(text: str) -> str:
    quantity = _QUANTITY.fullmatch(text)
    if quantity:
        return f"number {quantity[1]}"
    found = format_of(text)
    if found in ("word", "text") and not any(sign.isdigit() for sign in text):
        return "words"
    if found == "id" and is_cjk(text[0]):
        return "text"
    return found


def is_quoted(word: str, text: str) -> bool:
    """Whether a plain text has a word in quotes."""
    return bool(word) and any(f"{a}{word}{b}" in text for a, b in ("''", '""', "``", "「」", "“”"))


def occurs(word: str, text: str) -> bool:
    """Whether a plain text has a word, as a whole one where it is ASCII."""
    if not word:
        return False
    if not word.isascii():
        return word in text
    return re.search(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])", text) is not None
