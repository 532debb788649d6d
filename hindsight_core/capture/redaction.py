"""Take secrets and personal numbers out of a text before it is stored; the type stays.

`redact` judges one text by itself. A `Redactor` belongs to one run: what it once saw as a secret,
in an argument named `password` or in any text, it takes out of every later text of that run.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NoReturn, cast

from hindsight_core.capture.redaction_names import secret_type, words_of
from hindsight_core.capture.redaction_scan import (
    MAX_REMEMBERED,
    Known,
    Redacted,
    find_all,
    forms,
    redact_knowing,
    secrets_among,
)
from hindsight_core.capture.redaction_spans import Finding
from hindsight_core.capture.redaction_values import holds_secret, is_distinctive
from hindsight_core.capture.redaction_words import NEUTRAL_WORDS

__all__ = ["Finding", "Redacted", "Redactor", "redact"]

_MAX_DEPTH: Final = 64
_MAX_NODES: Final = 10_000
_BEYOND: Final = "[redacted:too_deep]"
_APART: Final = "\n" * 64
"""Between texts that are looked at together: more than any cue reaches over."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_-]{1,30}")


def redact(text: str) -> Redacted:
    """Replace secrets and personal numbers in a text by `[redacted:TYPE]`.

    Linear in the length of the text, and a fixed point: a redacted text is returned as it is.
    """
    return redact_knowing(text, ())


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
        result = redact_knowing(text, self._snapshot())
        self.counts.update(finding.type for finding in result.found)
        self._keep(secrets_among(text, result.found))
        return result.text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets: judged by the names of its fields, then as text.

        Secrets are collected from the whole value before any of its texts is redacted. What lies
        deeper than 64 levels, or past 10,000 nodes, is replaced. The value itself is not changed,
        and is returned where there is nothing to redact.
        """
        fields = _Fields(value)
        for secret, type_ in fields.secrets:
            self.remember(secret, type_)
        if fields.whole and not fields.secrets:
            # Most arguments hold nothing: one look at all their texts together tells.
            together = _APART.join(_cue(name) + text for name, text in fields.texts)
            if not find_all(together, self._snapshot()):
                return value
        return self._clean(value, None, "", 0, [_MAX_NODES])

    def remember(self, secret: str, type_: str = "secret") -> None:
        """Redact a secret in every later text of the run, unless it is a word as any other."""
        if is_distinctive(secret):
            self._keep((form, type_) for form in forms(secret))

    def __len__(self) -> int:
        """How many secrets are remembered, each form in which one may be written counted."""
        with self._lock:
            return len(self._known)

    def _snapshot(self) -> Known:
        with self._lock:
            return tuple(self._known.items())

    def _keep(self, secrets: Iterable[tuple[str, str]]) -> None:
        with self._lock:
            for secret, type_ in secrets:
                self._known[secret] = type_
                self._known.move_to_end(secret)
            while len(self._known) > MAX_REMEMBERED:
                self._known.popitem(last=False)

    def _clean(self, value: Any, forced: str | None, name: str, depth: int, left: list[int]) -> Any:
        left[0] -= 1
        if depth > _MAX_DEPTH or left[0] < 0:
            return _BEYOND
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {
                self._key(key): self._clean(item, _forced(key, forced), str(key), depth + 1, left)
                for key, item in items
            }
        if isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            return [self._clean(item, forced, name, depth + 1, left) for item in items]
        if _is_secret(value, forced, name):
            self.counts[str(forced)] += 1
            return f"[redacted:{forced}]"
        text = _as_text(value)
        if text is None:
            return value
        cleaned = self._named(name, text)
        return value if cleaned == text else cleaned

    def _key(self, key: Any) -> Any:
        if not isinstance(key, str) or _PLAIN_NAME.fullmatch(key):
            return key
        return self.text(key)

    def _named(self, name: str, value: str) -> str:
        """Redact a text with the name of its field as the cue before it."""
        cue = _cue(name)
        cleaned = self.text(cue + value)
        return cleaned[len(cue) :] if cleaned.startswith(cue) else self.text(value)


class _Fields:
    """What a value holds: secrets by name, texts with their names; `whole` if that is all."""

    def __init__(self, value: Any) -> None:
        self.secrets: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self.whole = True
        self._left = _MAX_NODES
        self._visit(value, None, "", 0)

    def _visit(self, value: Any, forced: str | None, name: str, depth: int) -> None:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            self.whole = False
        elif isinstance(value, Mapping):
            for key, item in cast("Mapping[Any, Any]", value).items():
                if isinstance(key, str) and not _PLAIN_NAME.fullmatch(key):
                    self.texts.append(("", key))
                self._visit(item, _forced(key, forced), str(key), depth + 1)
        elif isinstance(value, list | tuple):
            for item in cast("Sequence[Any]", value):
                self._visit(item, forced, name, depth + 1)
        elif _is_secret(value, forced, name):
            self.secrets.append((str(value), str(forced)))
        elif (text := _as_text(value)) is not None:
            self.texts.append((name, text))


def _as_text(value: object) -> str | None:
    """The text of a value that may hold something: of a text, or of a number long enough."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**5:
        return str(value)
    return None


def _is_secret(value: object, forced: str | None, name: str) -> bool:
    if forced is None or isinstance(value, bool) or not isinstance(value, str | int):
        return False
    counted = isinstance(value, int) and name.endswith("s")  # tokens, keys: how many
    return not counted and holds_secret(str(value), forced)


def _cue(name: str) -> str:
    return f"{name}: ".replace("_", " ") if 0 < len(name) <= 64 else ""


def _forced(name: object, outer: str | None) -> str | None:
    """The type of secret that a field holds, by its name or by that of what it is part of."""
    if not isinstance(name, str):
        return outer
    type_ = secret_type(name)
    if type_ == "api_key" and name.lower() in ("key", "keys"):
        return None
    inherits = outer == "cookie" or NEUTRAL_WORDS.issuperset(words_of(name))
    return type_ or (outer if inherits else None)
