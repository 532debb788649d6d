"""What people leave out or run together when they write a word, undone for the text index.

Accents ("José" is looked for as "Jose"), and the joints of names in code ("getUserName").
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["WRITTEN_OTHERWISE", "part_names", "plain_letters"]

_LATIN: Final = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
_MARKS: Final = range(0x300, 0x370)
_WITHOUT_DECOMPOSITION: Final = {
    **dict.fromkeys("øǿ", "o"),
    **dict.fromkeys("æǽ", "ae"),
    **dict.fromkeys("đð", "d"),
    "œ": "oe",
    "ł": "l",
    "ħ": "h",
    "ı": "i",
    "ŋ": "n",
    "ŧ": "t",
    "þ": "th",
}
_ACCENTED: Final = re.compile("[\u00e0-\u024f\u0300-\u036f\u1e00-\u1eff]")
_JOINED: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]{0,63}[a-z0-9][A-Z])[A-Za-z][A-Za-z0-9]{3,63}(?![A-Za-z0-9])"
)
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+")
_LEAST_HUMP: Final = 3
"""Letters of a part on average: random letters (a key, base64) are no words run together."""
_NAMES_A_CLASS: Final = 3
"""Parts of a name that begins large: JavaScript, GitHub and McDonald are one word each."""
WRITTEN_OTHERWISE: Final = re.compile(
    "[A-Za-z][0-9]*[A-Z]|[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff\uff21-\uff5a]"
)
"""Finds every text, as it is or as JSON, of which this module may make something else."""


def plain_letters(text: str) -> str:
    """Return a folded text with its Latin letters as a keyboard without accents has them."""
    if text.isascii() or _ACCENTED.search(text) is None:
        return text
    return text.translate(_table())


def part_names(text: str) -> str:
    """Return the text with the parts of each name in camel case behind it: getUser get User.

    A name that begins large needs three parts, for of two it may be a word (JavaScript is no Java).
    """
    return _JOINED.sub(_with_parts, text)


def _with_parts(found: re.Match[str]) -> str:
    name = found[0]
    humps: list[str] = _HUMP.findall(name)
    if len(name) < _LEAST_HUMP * len(humps):
        return name
    if name[0].isupper() and len(humps) < _NAMES_A_CLASS:
        return name
    if len(humps[0]) == 1:  # IPv6Address, iPhone
        humps[:2] = [humps[0] + humps[1]]
    return f"{name} {' '.join(humps)}" if len(humps) > 1 else name


@lru_cache(maxsize=1)
def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(_MARKS)
    for code in _LATIN:
        base = unicodedata.normalize("NFD", chr(code))[0]
        base = _WITHOUT_DECOMPOSITION.get(base, base)
        if base.isascii():
            table[code] = base
    return table
