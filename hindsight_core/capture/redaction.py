"""Take secrets and personal numbers out of a text before it is stored; the type stays.

`redact` judges one text by itself. A `Redactor` belongs to one run: what it once saw as a secret,
in an argument named `password` or in any text, it takes out of every later text of that run.
"""

from __future__ import annotations

import json
import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NoReturn, cast
from urllib.parse import quote

from hindsight_core.capture.redaction_names import secret_type
from hindsight_core.capture.redaction_personal import find_personal
from hindsight_core.capture.redaction_secrets import find_secrets
from hindsight_core.capture.redaction_spans import Finding, Masked, merge, outside
from hindsight_core.capture.redaction_values import holds_secret, is_distinctive

__all__ = ["Finding", "Redacted", "Redactor", "redact"]

_MAX_ROUNDS: Final = 6
_MAX_REMEMBERED: Final = 256
_MAX_DEPTH: Final = 64
_MAX_NODES: Final = 10_000
_MARK: Final = re.compile(r"\[redacted:[a-z_]+\]")
_BEYOND: Final = "[redacted:too_deep]"
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


def redact(text: str) -> Redacted:
    """Replace secrets and personal numbers in a text by `[redacted:TYPE]`.

    Linear in the length of the text, and a fixed point: a redacted text is returned as it is.
    """
    return _redact(text, ())


def _redact(text: str, known: Sequence[tuple[str, str]]) -> Redacted:
    """Redact until nothing more is found: what a mask leaves beside it is looked at again."""
    found: tuple[Finding, ...] = ()
    masked = Masked(text, found)
    for _ in range(_MAX_ROUNDS):
        more = _find(masked.text, known)
        if not more:
            break
        known = (*known, *_secrets(masked.text, more))
        found = merge([*found, *map(masked.back, more)])
        masked = Masked(text, found)
    return Redacted(text=masked.text, found=found)


def _secrets(text: str, found: Iterable[Finding]) -> list[tuple[str, str]]:
    """Return the secrets among findings, in all forms in which they may be written again."""
    secrets: dict[str, str] = {}
    for finding in found:
        if finding.type in _SECRETS and len(secrets) < _MAX_REMEMBERED:
            whole = text[finding.start : finding.end]
            part = whole.partition(":")[2] if finding.type in _PAIRS else ""
            for secret, type_ in ((whole, finding.type), (part, "password")):
                # A word that was taken for a secret in prose is not hunted everywhere.
                if is_distinctive(secret) and not (secret.isascii() and secret.isalpha()):
                    secrets.update(dict.fromkeys(_forms(secret), type_))
    return list(secrets.items())


def _forms(secret: str) -> Iterable[str]:
    """The ways in which a secret may be written again: as it is, in a URL, in JSON."""
    return {
        secret: None,
        quote(secret, safe="", errors="replace"): None,
        json.dumps(secret)[1:-1]: None,
    }


def _find(text: str, known: Sequence[tuple[str, str]]) -> tuple[Finding, ...]:
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


def _find_known(text: str, known: Iterable[tuple[str, str]]) -> list[Finding]:
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


class Redactor:
    """Redacts the texts and arguments of one run, and remembers its secrets until the run ends.

    The secrets are held in the memory of this process only: a Redactor cannot be pickled, and shows
    none of them. Tools of one run may use it from several threads.
    """

    __slots__ = ("_known", "_lock", "counts")

    def __init__(self) -> None:
        self._known: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()
        self.counts: Counter[str] = Counter()

    def __repr__(self) -> str:
        return f"Redactor(secrets={len(self._known)})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Redactor holds secrets and is never written anywhere")

    def text(self, text: str) -> str:
        """Return a text without secrets, those seen earlier in the run included."""
        with self._lock:
            known = tuple(self._known.items())
        result = _redact(text, known)
        self.counts.update(finding.type for finding in result.found)
        self._keep(_secrets(text, result.found))
        return result.text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets: judged by the names of its fields, then as text.

        Secrets are collected from the whole value before any of its texts is redacted. What lies
        deeper than 64 levels, or past 10,000 nodes, is replaced. The value itself is not changed.
        """
        self._collect(value, None, 0, [_MAX_NODES])
        return self._clean(value, None, "", 0, [_MAX_NODES])

    def remember(self, secret: str, type_: str = "secret") -> None:
        """Redact a secret in every later text of the run, unless it is a word as any other."""
        if is_distinctive(secret):
            self._keep((form, type_) for form in _forms(secret))

    def _keep(self, secrets: Iterable[tuple[str, str]]) -> None:
        with self._lock:
            for secret, type_ in secrets:
                self._known[secret] = type_
                self._known.move_to_end(secret)
            while len(self._known) > _MAX_REMEMBERED:
                self._known.popitem(last=False)

    def _collect(self, value: Any, forced: str | None, depth: int, left: list[int]) -> None:
        left[0] -= 1
        if depth > _MAX_DEPTH or left[0] < 0:
            return
        if isinstance(value, Mapping):
            for name, item in cast("Mapping[Any, Any]", value).items():
                self._collect(item, _forced(name, item, forced), depth + 1, left)
        elif isinstance(value, list | tuple):
            for item in cast("Sequence[Any]", value):
                self._collect(item, forced, depth + 1, left)
        elif forced and isinstance(value, str) and holds_secret(value, forced):
            self.remember(value, forced)

    def _clean(self, value: Any, forced: str | None, name: str, depth: int, left: list[int]) -> Any:
        left[0] -= 1
        if depth > _MAX_DEPTH or left[0] < 0:
            return _BEYOND
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {
                self.text(key) if isinstance(key, str) else key: self._clean(
                    item, _forced(key, item, forced), str(key), depth + 1, left
                )
                for key, item in items
            }
        if isinstance(value, list | tuple):
            return [
                self._clean(item, forced, name, depth + 1, left)
                for item in cast("Sequence[Any]", value)
            ]
        if isinstance(value, bool) or value is None:
            return value
        counted = isinstance(value, int) and name.endswith("s")  # tokens, keys: how many
        if (
            forced
            and isinstance(value, str | int)
            and not counted
            and holds_secret(str(value), forced)
        ):
            self.counts[forced] += 1
            return f"[redacted:{forced}]"
        if isinstance(value, str):
            return self._named(name, value)
        if isinstance(value, int) and abs(value) >= 10**5:
            cleaned = self._named(name, str(value))
            return value if cleaned == str(value) else cleaned
        return value

    def _named(self, name: str, value: str) -> str:
        """Redact a text with the name of its field as the cue before it."""
        if not name or len(name) > 64:
            return self.text(value)
        cue = f"{name}: ".replace("_", " ")
        cleaned = self.text(cue + value)
        return cleaned[len(cue) :] if cleaned.startswith(cue) else self.text(value)


def _forced(name: object, item: object, outer: str | None) -> str | None:
    if not isinstance(name, str):
        return outer
    type_ = secret_type(name)
    if type_ == "api_key" and name.lower() in ("key", "keys"):
        return outer
    return type_ or (outer if isinstance(item, str) else None)
