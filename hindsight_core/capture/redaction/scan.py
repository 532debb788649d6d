"""Redact one text: find, mask, and look again until nothing is left to find."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import quote

from hindsight_core.capture.redaction.personal import find_personal
from hindsight_core.capture.redaction.secrets import find_secrets
from hindsight_core.capture.redaction.spans import Finding, Masked, merge, outside
from hindsight_core.capture.redaction.values import is_distinctive

__all__ = [
    "MAX_REMEMBERED",
    "Known",
    "Redacted",
    "find_all",
    "forms",
    "redact_knowing",
    "secrets_among",
]

Known: TypeAlias = "Sequence[tuple[str, str]]"
"""Secrets that are redacted wherever they stand, each with its type."""

MAX_REMEMBERED: Final = 256
_MAX_ROUNDS: Final = 6
_MARK: Final = re.compile(r"\[redacted:[a-z_]+\]")
_SECRETS: Final = frozenset(
    ("api_key", "token", "password", "private_key", "secret", "cookie", "connection_string")
)
_PAIRS: Final = frozenset(("password", "connection_string"))
"""Types of which a finding may be `user:password`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    """A text without secrets, and what was found, with positions in the original text."""

    text: str
    found: tuple[Finding, ...] = ()


def redact_knowing(text: str, known: Known) -> Redacted:
    """Redact until nothing more is found: what a mask leaves beside it is looked at again."""
    found: tuple[Finding, ...] = ()
    masked = Masked(text, found)
    for _ in range(_MAX_ROUNDS):
        more = find_all(masked.text, known)
        if not more:
            break
        known = (*known, *secrets_among(masked.text, more))
        found = merge([*found, *map(masked.back, more)])
        masked = Masked(text, found)
    return Redacted(text=masked.text, found=found)


def secrets_among(text: str, found: Iterable[Finding]) -> list[tuple[str, str]]:
    """Return the secrets among findings, in all forms in which they may be written again."""
    secrets: dict[str, str] = {}
    for finding in found:
        if finding.type in _SECRETS and len(secrets) < MAX_REMEMBERED:
            whole = text[finding.start : finding.end]
            part = whole.partition(":")[2] if finding.type in _PAIRS else ""
            for secret, type_ in ((whole, finding.type), (part, "password")):
                # A word that was taken for a secret in prose is not hunted everywhere.
                if is_distinctive(secret) and not (secret.isascii() and secret.isalpha()):
                    secrets.update(dict.fromkeys(forms(secret), type_))
    return list(secrets.items())


def forms(secret: str) -> Iterable[str]:
    """The ways in which a secret may be written again: as it is, in a URL, in JSON."""
    return {
        secret: None,
        quote(secret, safe="", errors="replace"): None,
        json.dumps(secret)[1:-1]: None,
    }


_HALF_WIDTH: Final = {
    wide: wide - 0xFEE0
    for first, last in ((0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A))
    for wide in range(first, last + 1)
}
"""Full-width letters and digits are read as those they stand for; none changes its place."""


def find_all(text: str, known: Known) -> tuple[Finding, ...]:
    """Return what is to be redacted in a text, in order and without overlaps."""
    text = text if text.isascii() else text.translate(_HALF_WIDTH)
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := sign.lower()) == 1 else sign for sign in text)
    marks = [Finding("", *match.span()) for match in _MARK.finditer(text)]
    if marks:  # a placeholder names a type, and must not be the cue for what follows it
        lower = _MARK.sub(lambda mark: "~" * len(mark.group()), lower)
    secret = merge(outside([*find_secrets(text, lower), *_find_known(text, known)], marks))
    # What is personal inside a secret belongs to it; what reaches out of one is looked at again.
    personal = outside(find_personal(text, lower), merge([*marks, *secret]), touching=True)
    return merge([*secret, *personal]) if personal else secret


def _find_known(text: str, known: Known) -> list[Finding]:
    found: list[Finding] = []
    for value, type_ in known:
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not _joined(text, at - 1, at) and not _joined(text, end - 1, end):
                found.append(Finding(type_, at, end))
            at = text.find(value, end)
    return found


def _joined(text: str, left: int, right: int) -> bool:
    """Whether two neighbours are letters or digits of one word, so that no border is between."""
    if left < 0 or right >= len(text):
        return False
    before, after = text[left], text[right]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()
