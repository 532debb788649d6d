"""Pure checks on a value that might be a secret or a personal number: digits, sums, randomness."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from datetime import date
from itertools import pairwise
from typing import Final

__all__ = [
    "HEAD",
    "digits",
    "entropy",
    "has_run",
    "iban_length",
    "is_iban",
    "is_placeholder",
    "is_prc_id",
    "is_taiwan_id",
    "is_word_like",
    "luhn",
]


def digits(text: str) -> str:
    """Return the decimal digits of a text as ASCII, full-width ones and other scripts' too."""
    return "".join(str(unicodedata.decimal(sign)) for sign in text if sign.isdecimal())


def luhn(number: str) -> bool:
    """Whether ASCII digits satisfy the checksum of ISO/IEC 7812-1, annex B (Luhn)."""
    total = 0
    for place, sign in enumerate(reversed(number)):
        value = ord(sign) - 48
        if place % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


_PRC_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def is_prc_id(number: str) -> bool:
    """Whether 18 signs are a Chinese resident identity number (GB 11643: birth date, checksum)."""
    if len(number) != 18 or not number[:17].isdigit():
        return False
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(int(sign) * weight for sign, weight in zip(number, _PRC_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()


_TAIWAN_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
_TAIWAN_WEIGHTS: Final = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)


def is_taiwan_id(number: str) -> bool:
    """Whether a capital letter and nine digits are an identity number of Taiwan (checksum)."""
    signs = f"{_TAIWAN_LETTERS.index(number[0]) + 10}{digits(number[1:])}"
    pairs = zip(signs, _TAIWAN_WEIGHTS, strict=True)
    return sum(int(sign) * weight for sign, weight in pairs) % 10 == 0


_IBANS: Final = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 "
    "DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 "
    "IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 "
    "MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 "
    "SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
)
_IBAN_LENGTHS: Final = {entry[:2]: int(entry[2:]) for entry in _IBANS.split()}
"""Length of an IBAN by country (SWIFT IBAN registry)."""


def iban_length(country: str) -> int:
    """Number of signs in an IBAN of a country, 0 where the country has none."""
    return _IBAN_LENGTHS.get(country.upper(), 0)


def is_iban(number: str) -> bool:
    """Whether letters and digits without spaces are an IBAN (ISO 13616: length, modulo 97)."""
    if len(number) != iban_length(number[:2]) or not (number.isascii() and number.isalnum()):
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def entropy(text: str) -> float:
    """Shannon entropy of the signs of a text, in bits a sign."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


def has_run(text: str, length: int = 6) -> bool:
    """Whether signs follow each other as in the alphabet, as in samples typed by hand."""
    run = 1
    for before, sign in pairwise(text):
        run = run + 1 if ord(sign) - ord(before) == 1 and sign.isalnum() else 1
        if run >= length:
            return True
    return False


_WORD_LIKE: Final = re.compile(
    r"(?:(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|[A-Z]|v?\d+)(?:[-_./:]|(?<=[a-z])(?=[A-Z\d])|\Z))+"
)


def is_word_like(text: str) -> bool:
    """Whether a value reads as words, an identifier or a path rather than as a random string."""
    return _WORD_LIKE.fullmatch(text) is not None


HEAD: Final = 128
"""How many characters of a long value are looked at to judge it."""
_PLACEHOLDER: Final = re.compile(
    r"""
    \$(?:[A-Z_][A-Z0-9_]*|[a-z_]+|\d|\{.*|\(.*)|%\w+%|%[-+\#\d.]*[a-zA-Z]|@[A-Za-z_]+@  # variables
    |\{[A-Za-z_.$ ]*\d?(?:\[[^\]]*\])?(?:![rsa])?(?::[^{}]*)?\}?|\{\{.*                # templates
    |<[A-Za-z][\w .,:|/'-]*>|\[[A-Za-z][\w .,:|/'-]*\]|\([A-Za-z][\w .,:|/'-]*\)
    |(?i:your[-_ ].*|(?:my|the|some|an?)[-_ ][a-z _-]*)
    |(?i:(?:process\.env|os\.environ|os\.getenv|env|secrets|vars|config|settings)\b.*)
    |(?:self|this|args|request|params|options|kwargs)\b[.\[].*
    |(?i:null|none|nil|true|false|undefined|test|pass(?:word)?|pwd|token|secret|user(?:name)?)
    |[A-Z0-9]+EXAMPLE
    |(?P<one>.)(?P=one)*
    """,
    re.VERBOSE | re.DOTALL,
)
_MASKED: Final = re.compile(
    r"[xX]{4}|\*{3}|\.{3}|\#{4}|•{2}|…|_{4}|\}\}\Z"
    r"|(?i:change[-_]?(?:me|it)|placeholder|redacted|dummy)"
    r"|(?i:(?<![A-Za-z0-9])(?:example|sample|here)(?![A-Za-z0-9]))"
)


def is_placeholder(text: str) -> bool:
    """Whether a value stands for a secret without being one: a variable, a mask, a sample word."""
    head = text[:HEAD]
    return _PLACEHOLDER.fullmatch(head) is not None or _MASKED.search(head) is not None
