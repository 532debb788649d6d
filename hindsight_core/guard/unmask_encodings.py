"""Reads texts that were written in an encoding: base64, hexadecimal digits, Morse code and others.

Each decoder returns the text, or None where a run of signs only looks like its encoding.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import unquote

__all__ = ["CUT_BASE64", "DECODERS", "MIN_HIDDEN", "WORD_DECODERS", "Decode", "decode_cut"]

Decode = Callable[[str], str | None]
MIN_HIDDEN: Final = 6
"""Fewer characters than this hide no order."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
CUT_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{12,}\s+)+[A-Za-z0-9+/]{2,}={0,2}")
"""Base64 in more than one piece; words of a language have its form too and do not decode."""
_BASE32: Final = re.compile(r"\b[A-Z2-7]{24,}={0,6}")
_BASE85: Final = re.compile(r"[!-~]{40,}")
_HEX: Final = re.compile(r"\b(?:0x)?(?:[0-9a-fA-F]{2}){8,}\b")
_SPACED_HEX: Final = re.compile(r"\b(?:(?:0x)?[0-9a-fA-F]{2}[ :,]+){7,}[0-9a-fA-F]{2}\b")
_BINARY: Final = re.compile(r"\b(?:[01]{8}[ ,]+){2,}[01]{8}\b")
_SOLID_BINARY: Final = re.compile(r"\b(?:[01]{8}){3,}\b")
_DECIMAL: Final = re.compile(r"(?:\b\d{2,3}[ ,]+){7,}\d{2,3}\b")
_ESCAPED: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){4,}")
_ENTITIES: Final = re.compile(r"(?:&#(?:x[0-9a-fA-F]{2,4}|\d{2,5});){4,}")
_PERCENT: Final = re.compile(r"[^\s%]*(?:%[0-9a-fA-F]{2}[^\s%]*){3,}")
_MORSE: Final = re.compile(r"(?:[.-]{1,6}(?: +/ *| *\| *| +)){8,}[.-]{1,6}")
_MORSE_SIGNS: Final = (
    "A.- B-... C-.-. D-.. E. F..-. G--. H.... I.. J.--- K-.- L.-.. M-- N-. O--- P.--. Q--.- R.-. "
    "S... T- U..- V...- W.-- X-..- Y-.-- Z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... "
    "7--... 8---.. 9----."
)
_MORSE_TABLE: Final = {sign[1:]: sign[0].lower() for sign in _MORSE_SIGNS.split()}


def _readable(raw: bytes) -> str | None:
    """The bytes as text, if they are one: UTF-8, printable, and mostly letters and spaces."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if len(text) < MIN_HIDDEN or not text.replace("\n", " ").replace("\t", " ").isprintable():
        return None
    letters = sum(c.isalpha() or c == " " for c in text)
    return text if letters * 10 >= len(text) * 7 else None


def _base64(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    # A cut text decodes up to its last whole group.
    body = body[: len(body) // 4 * 4] if len(body) % 4 == 1 else body
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return None
    found = _readable(raw)
    return found if found is not None else _readable(raw[: len(raw) // 3 * 3])


def decode_cut(run: str) -> str | None:
    """Decode base64 that was cut in pieces."""
    return _base64("".join(run.split()))


def _base32(run: str) -> str | None:
    body = run.rstrip("=")
    try:
        return _readable(base64.b32decode(body + "=" * (-len(body) % 8)))
    except (binascii.Error, ValueError):
        return None


def _base85(run: str) -> str | None:
    for decode in (base64.b85decode, base64.a85decode):
        try:
            found = _readable(decode(run.removeprefix("<~").removesuffix("~>")))
        except ValueError:
            continue
        if found is not None:
            return found
    return None


def _hex(run: str) -> str | None:
    digits = re.sub(r"0x|[^0-9a-fA-F]", "", run)
    return _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _numbers(run: str, base: int) -> str | None:
    codes = [int(part, base) for part in re.findall(r"[01]{8}" if base == 2 else r"\d+", run)]
    return _readable(bytes(codes)) if all(code < 256 for code in codes) else None


def _morse(run: str) -> str | None:
    words = (word.split() for word in re.split(r" */ *| *\| *|  +", run))
    text = " ".join("".join(_MORSE_TABLE.get(sign, "?") for sign in word) for word in words)
    return _readable(text.encode())


def _escaped(run: str) -> str | None:
    codes = (int(part, 16) for part in re.findall(r"\\[ux]([0-9a-fA-F]+)", run))
    return _readable("".join(map(chr, codes)).encode("utf-8", "replace"))


def _entities(run: str) -> str | None:
    codes = re.findall(r"&#(x?)([0-9a-fA-F]+);", run)
    return _readable(
        "".join(chr(int(code, 16 if hexadecimal else 10)) for hexadecimal, code in codes).encode(
            "utf-8", "replace"
        )
    )


def _percent(run: str) -> str | None:
    return _readable(unquote(run).encode("utf-8", "replace"))


WORD_DECODERS: Final[tuple[tuple[str, re.Pattern[str], Decode], ...]] = (
    ("base64", _BASE64, _base64),
    ("base32", _BASE32, _base32),
    ("base85", _BASE85, _base85),
    ("hex", _HEX, _hex),
    ("binary", _SOLID_BINARY, partial(_numbers, base=2)),
)
"""Encodings that make one long word; tried on long words only."""
DECODERS: Final[tuple[tuple[str, str, re.Pattern[str], Decode], ...]] = (
    ("hex", "digits", _SPACED_HEX, _hex),
    ("binary", "digits", _BINARY, partial(_numbers, base=2)),
    ("decimal", "digits", _DECIMAL, partial(_numbers, base=10)),
    ("morse", "dashes", _MORSE, _morse),
    ("escapes", "backslash", _ESCAPED, _escaped),
    ("entities", "entity", _ENTITIES, _entities),
    ("percent", "percent", _PERCENT, _percent),
)
"""Encodings that may have spaces in them, each with the sign of a text that may hold it."""
