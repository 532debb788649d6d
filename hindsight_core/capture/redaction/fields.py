"""Tell by the names of its fields what a JSON value holds: secrets, and texts to be read.

A field is named by its key, by a sibling (`{"name": "API_TOKEN", "value": "..."}`, as lists of
headers and of the environment are written) or by the flag before it (`["--password", "..."]`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from hindsight_core.capture.redaction.labels import fits_code, secret_type, words_of
from hindsight_core.capture.redaction.values import holds_secret
from hindsight_core.capture.redaction.words import NEUTRAL_WORDS

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "Fields",
    "as_text",
    "children",
    "cue",
    "is_plain_name",
    "is_secret",
]

MAX_DEPTH: Final = 64
MAX_NODES: Final = 10_000
MAX_READ: Final = 128 * 1024
"""Characters of one text of a value that are read; what a call is kept by is far shorter."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_-]{1,30}")
_NAMING: Final = ("name", "key", "header", "field", "variable", "名称", "名")
_NAMED: Final = ("value", "val", "值")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]{1,60}")
_JSON: Final = re.compile(r"\s*[\[{].*[\]}]\s*", re.DOTALL)


class Fields:
    """What a value holds: secrets by name, texts with their names; `whole` if that is all."""

    def __init__(self, value: Any) -> None:
        self.secrets: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self.whole = True
        self._left = MAX_NODES
        self._visit(value, None, "", 0)

    def _visit(self, value: Any, forced: str | None, name: str, depth: int) -> None:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            self.whole = False
        elif isinstance(value, Mapping | list | tuple):
            for key, item, type_, field in children(value, forced, name):
                if isinstance(key, str) and not is_plain_name(key):
                    self.texts.append(("", key))
                self._visit(item, type_, field, depth + 1)
        elif is_secret(value, forced, name):
            self.secrets.append((str(value), str(forced)))
        elif (text := as_text(value)) is not None:
            self.texts.append((name, text))
            self.whole = self.whole and not (isinstance(value, str) and len(value) > MAX_READ)
            if (inner := _read_json(text)) is not None:  # as results of tools mostly are
                self._visit_json(inner, depth + 1)

    def _visit_json(self, value: Any, depth: int) -> None:
        """Take the secrets of a value that is written out in a text: the text is read as such."""
        texts, whole = len(self.texts), self.whole
        self._visit(value, None, "", depth)
        del self.texts[texts:]
        self.whole = whole


def children(
    value: Any, forced: str | None, name: str
) -> Iterator[tuple[Any, Any, str | None, str]]:
    """Yield the items of an object or a list: key, item, the type of secret it must be, its name.

    `forced` and `name` are those of the value itself. The key is None in a list.
    """
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value)
        named = _named_by_sibling(items)
        for key, item in items.items():
            if named and key in _NAMED:
                yield key, item, _forced(named, forced), named
            else:
                yield key, item, _forced(key, forced), str(key)
    elif isinstance(value, list | tuple):
        flag = ""
        for item in cast("Sequence[Any]", value):
            if flag and isinstance(item, str) and not item.startswith("-"):
                yield None, item, secret_type(flag) or forced, flag
            else:
                yield None, item, forced, name
            flag = item.lstrip("-") if isinstance(item, str) and _FLAG.fullmatch(item) else ""


def _named_by_sibling(items: Mapping[Any, Any]) -> str:
    """The name that one field gives to the value in another, or nothing."""
    if len(items) > 8 or not any(key in items for key in _NAMED):
        return ""
    for key in _NAMING:
        name = items.get(key)
        if isinstance(name, str) and 0 < len(name) <= 64 and secret_type(name):
            return name
    return ""


def is_secret(value: object, forced: str | None, name: str) -> bool:
    """Whether a value is the secret that the name of its field promises."""
    if forced is None or isinstance(value, bool) or not isinstance(value, str | int):
        return False
    counted = isinstance(value, int) and name.endswith("s")  # tokens, keys: how many
    text = str(value)
    return not counted and holds_secret(text, forced) and fits_code(name, text)


def as_text(value: object) -> str | None:
    """Return the text of a value that may hold something: a text, or a number long enough."""
    if isinstance(value, str):
        return value[:MAX_READ]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**5:
        return str(value)
    return None


def _read_json(text: str) -> Any:
    """Return what a text holds that is a JSON object or list; None for any other text."""
    if not _JSON.fullmatch(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def cue(name: str) -> str:
    """Return the name of a field as it would stand before its value in prose."""
    return f"{name}: ".replace("_", " ") if 0 < len(name) <= 64 else ""


def is_plain_name(key: str) -> bool:
    """Whether a key can hold nothing but a name."""
    return _PLAIN_NAME.fullmatch(key) is not None


def _forced(name: object, outer: str | None) -> str | None:
    """The type of secret that a field holds, by its name or by that of what it is part of."""
    if not isinstance(name, str):
        return outer
    type_ = secret_type(name)
    if type_ == "api_key" and name.lower() in ("key", "keys"):
        return None
    inherits = outer == "cookie" or NEUTRAL_WORDS.issuperset(words_of(name))
    return type_ or (outer if inherits else None)
