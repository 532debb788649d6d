"""Judge a value that stands where a secret might: its extent, and whether it is one."""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.capture.redaction.checks import HEAD, entropy, is_placeholder, is_word_like
from hindsight_core.capture.redaction.words import NOT_A_VALUE, SECRET_HEADS

__all__ = [
    "assigned_value",
    "end_of_value",
    "holds_secret",
    "is_code",
    "is_distinctive",
    "is_password",
    "is_random",
]

_QUOTED: Final = re.compile(r"(\\{0,3}[\"'`])((?:(?!\1)[^\n]){1,400})\1|“([^”\n]{1,400})”")
_BARE: Final = re.compile(
    r"\\{0,3}[\"'`(]?((?:[^\s\"'`,;<>，。；、！？“”‘’（）\\]|\\(?![nrt\"'\\])){1,400})"
)


def assigned_value(text: str, at: int, *, in_query: bool = False) -> tuple[bool, int, int] | None:
    """Return whether the value at a place is quoted, and where it starts and ends."""
    quoted = _QUOTED.match(text, at)
    if quoted:
        group = 2 if quoted.group(2) is not None else 3
        return True, quoted.start(group), quoted.end(group)
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    value = bare.group(1).partition("&")[0] if in_query else bare.group(1)
    for opening, closing in ("()", "[]", "{}"):
        while closing in value and value.count(closing) > value.count(opening):
            value = value[: value.rindex(closing)]
    value = value.rstrip(".,:!?*_")
    return (False, bare.start(1), bare.start(1) + len(value)) if value else None


_JUDGED: Final = 400
"""How many characters of a value are read before it is judged; the patterns above say the same."""
_REST: Final = re.compile(r"[^\s\"'`]*")


def end_of_value(text: str, first: int, last: int) -> int:
    """Return where a value that was judged a secret ends, if only its beginning was read."""
    rest = _REST.match(text, last) if last - first >= _JUDGED else None
    return rest.end() if rest else last


_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SPACE: Final = re.compile(r"\s")
_DIGIT_OR_SIGN: Final = re.compile(r"[^A-Za-z_.'/-]")
_CODE: Final = re.compile(
    r"[A-Za-z_$][\w.$]*[(\[].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z]+(?:_[a-z]+)+"
)
_LOCATION: Final = re.compile(
    r"\.{0,2}/[\w.@-]*(?:/[\w.@-]*)*|[A-Za-z]:\\.*|\w+://.*|~/.*|\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+"
)


def is_code(value: str) -> bool:
    """Whether a bare value is a call, an item or an attribute: code that gets the secret."""
    return _CODE.fullmatch(value) is not None


def is_password(value: str, *, sure: bool, quoted: bool, after: str) -> bool:
    """Whether a value is a password; a plain word is one where that is `sure` and it ends there."""
    if len(value) < 3 or value.lower() in NOT_A_VALUE or is_placeholder(value):
        return False
    if _LOCATION.fullmatch(value) or value.startswith(":") or value.lower() in SECRET_HEADS:
        return False
    if not _DIGIT_OR_SIGN.search(value):
        return len(value) >= 6 and sure and (quoted or after in ("", "\n", "\r", ";", "&"))
    return len(value) >= 4 or value.isdecimal()


def is_random(value: str, *, least: int, bits: float) -> bool:
    """Whether a value of `least` characters or more reads as random: letters, digits, no words."""
    if len(value) < least or not _DIGIT.search(value) or not _LETTER.search(value):
        return False
    head = value[:HEAD]
    if _SPACE.search(value) or entropy(head) < bits or is_word_like(head):
        return False
    unlike = is_placeholder(value) or _LOCATION.fullmatch(value)
    return not unlike and value.lower() not in NOT_A_VALUE


def holds_secret(value: str, kind: str) -> bool:
    """Whether the value of a field that is named for a secret of this type is one."""
    if not value.strip() or is_placeholder(value):
        return False
    return kind == "password" or not value.isdecimal() or len(value) >= 6


def is_distinctive(secret: str) -> bool:
    """Whether a secret may be looked for in other texts without hitting ordinary words."""
    if not 3 <= len(secret) <= 8192 or "[redacted:" in secret:
        return False
    if secret.lower() in NOT_A_VALUE or is_placeholder(secret):
        return False
    size = len(secret.encode("utf-8", "replace"))
    return size >= 6 or (size >= 4 and not (secret.isalpha() or secret.isdecimal()))
