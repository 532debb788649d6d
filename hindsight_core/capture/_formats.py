"""The formats of argument values: what a text looks like, without saying what it says."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["format_of", "is_name"]

_LONGEST: Final = 300
"""Only the beginning of a text is looked at: no format below needs more."""

_FORMATS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.DOTALL))
    for name, pattern in (
        ("int-string", r"[-+]?[0-9]{1,40}"),
        ("number-string", r"[-+]?(?:[0-9]{1,40}[.,]){1,8}[0-9]{1,40}"),
        ("iso-date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
        ("iso-datetime", r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}[0-9:.,+Zz -]{0,20}"),
        ("iso-month", r"[0-9]{4}-(?:0[1-9]|1[0-2])"),
        ("slash-date", r"[0-9]{1,4}/[0-9]{1,2}/[0-9]{1,4}"),
        ("dash-date", r"[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,4}"),
        ("cjk-date", r"(?:[0-9]{2,4}年)?[0-9]{1,2}月(?:[0-9]{1,2}[日号號]?)?"),
        ("clock-time", r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?"),
        ("uuid", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
        ("url", r"[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+"),
        ("email", r"[^\s@/]{1,64}@[^\s@/]{1,190}\.[^\s@/.]{2,24}"),
        ("path", r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s]*|(?:[\w.@-]{1,80}[/\\]){1,20}[\w.@-]{0,80}"),
        ("json", r"[\[{].*"),
        ("phone", r"\+?[0-9]{2,4}(?:[ -][0-9]{2,5}){1,5}"),
        ("word", r"[^\W\d]{1,40}"),
        ("id", r"[\w.:#-]{1,80}"),
    )
)
_NAME: Final = re.compile(r"[^\W\d](?:[\w.-]|\[\]){0,39}")
_DATA: Final = re.compile(r"[0-9]{3}|@")


def format_of(value: str) -> str:
    """Name the format of a text: `iso-date`, `url`, `id` … or `text`; `empty` for blanks."""
    text = value.strip()
    if not text:
        return "empty"
    if len(text) <= _LONGEST:
        for name, pattern in _FORMATS:
            if pattern.fullmatch(text):
                return name
    return "text"


def is_name(key: str) -> bool:
    """Whether an argument's name is a name, and not data that was used as a key."""
    return bool(_NAME.fullmatch(key)) and not _DATA.search(key)
