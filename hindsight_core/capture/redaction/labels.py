"""What the name of a field says that it holds: a password, a token, a key, or none of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hindsight_core.capture.redaction.words import (
    KEY_QUALIFIERS,
    LANGUAGES,
    NEUTRAL_WORDS,
    NOT_SECRET_WORDS,
    SECRET_HEADS,
)

__all__ = [
    "OTHER_HEADS",
    "SHORT_CODES",
    "fits",
    "fits_code",
    "is_bare_key",
    "secret_type",
    "words_of",
]

OTHER_HEADS: Final = {word: kind for words in LANGUAGES for word, kind in words.secrets.items()}
"""Words of languages that are not spelt in names, with their types."""
SHORT_CODES: Final = frozenset(("pin", "otp", "cvv", "cvc"))
"""Names of codes that are a few digits."""
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(name: str) -> list[str]:
    """Cut a name into its words, in lower case: `dbPassword_2` is db, password, 2."""
    return [word.lower() for word in _WORDS.findall(name)]


@lru_cache(maxsize=4096)
def secret_type(name: str) -> str | None:
    """Return the type of secret that a field such as `DB_PASSWORD` or `密码` holds, or None."""
    for word, kind in OTHER_HEADS.items():
        if word in name:
            return kind
    words = words_of(name)
    if not words or NOT_SECRET_WORDS.intersection(words[-2:-1]):
        return None
    while len(words) > 1 and (words[-1] in NEUTRAL_WORDS or words[-1].isdigit()):
        words.pop()
    head = words[-1]
    kind = SECRET_HEADS.get(head)
    if kind is None and len(words) > 1:
        kind = SECRET_HEADS.get(words[-2] + head)
    if kind is None and head.endswith(("password", "passwd", "passphrase")):
        kind = "password"  # PGPASSWORD, sqlpassword: an abbreviation before it, and no border
    if head in ("key", "keys") and NOT_SECRET_WORDS.intersection(words):
        return None
    return kind


def is_bare_key(name: str) -> bool:
    """Whether a name is a key of no stated use."""
    words = words_of(name)
    return "key" in words and not KEY_QUALIFIERS.intersection(words)


def fits_code(name: str, value: str) -> bool:
    """Whether a value is a code of few digits where its name says so: boards have pins too."""
    code = (words_of(name) or [""])[-1] in SHORT_CODES
    return not code or (value.isdecimal() and len(value) <= 8)


def fits(name: str, value: str) -> bool:
    """Whether a value suits a name that means more: a pin of a board, tests that pass."""
    if not fits_code(name, value):
        return False
    return words_of(name)[-1] != "pass" or (
        any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    )
