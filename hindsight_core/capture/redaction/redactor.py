"""Take secrets and personal numbers out of a text before it is stored; the type stays.

`redact` judges one text by itself. A `Redactor` belongs to one run: what it once saw as a secret,
in an argument named `password` or in any text, it takes out of every later text of that run.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any, Final, NoReturn, cast

from hindsight_core.capture.redaction.fields import (
    MAX_DEPTH,
    MAX_NODES,
    Fields,
    as_text,
    children,
    cue,
    is_plain_name,
    is_secret,
)
from hindsight_core.capture.redaction.names import without_scheme
from hindsight_core.capture.redaction.scan import (
    MAX_REMEMBERED,
    Known,
    Redacted,
    find_all,
    forms,
    redact_knowing,
    secrets_among,
)
from hindsight_core.capture.redaction.spans import Finding
from hindsight_core.capture.redaction.values import is_distinctive

__all__ = ["Finding", "Redacted", "Redactor", "redact"]

_BEYOND: Final = "[redacted:too_deep]"
_APART: Final = "\n" * 64
"""Between texts that are looked at together: more than any cue reaches over."""


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
        """Return a text without secrets, those seen earlier in the run included.

        In a text that is JSON, as results of tools are, a field tells a secret as well.
        """
        self.learn(text)
        result = redact_knowing(text, self._snapshot())
        self.counts.update(finding.type for finding in result.found)
        self._keep(secrets_among(text, result.found))
        return result.text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets: judged by the names of its fields, then as text.

        Secrets are collected from the whole value before any of its texts is redacted. What lies
        deeper than 64 levels, or past 10,000 nodes, is replaced, and what a text has past 128 KiB
        left out. The value itself is not changed, and is returned where there is nothing to redact.
        """
        fields = self.learn(value)
        if fields.whole and not fields.secrets:
            # Most arguments hold nothing: one look at all their texts together tells.
            together = _APART.join(cue(name) + text for name, text in fields.texts)
            if not find_all(together, self._snapshot()):
                return value
        return self._clean(value, None, "", 0, [MAX_NODES])

    def remember(self, secret: str, type_: str = "secret") -> None:
        """Redact a secret in every later text of the run, unless it is a word as any other."""
        for part in dict.fromkeys((secret, without_scheme(secret))):
            if is_distinctive(part):
                self._keep((form, type_) for form in forms(part))

    def learn(self, value: Any) -> Fields:
        """Remember the secrets that the fields of a value name, or those of JSON in a text."""
        fields = Fields(value)
        for secret, type_ in fields.secrets:
            self.remember(secret, type_)
        return fields

    def mask(self, value: Any) -> Any:
        """Return a JSON value with the secrets seen so far masked in its texts; judges nothing."""
        if isinstance(value, str):
            for secret, type_ in self._snapshot():
                value = value.replace(secret, f"[redacted:{type_}]")
            return value
        if isinstance(value, Mapping):
            return {key: self.mask(item) for key, item in cast("Mapping[Any, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [self.mask(item) for item in cast("list[Any]", value)]
        return value

    def secrets(self) -> tuple[str, ...]:
        """The secrets seen so far, each form in which one may be written counted."""
        return tuple(secret for secret, _ in self._snapshot())

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
        if depth > MAX_DEPTH or left[0] < 0:
            return _BEYOND
        inner = [
            (key, self._clean(item, type_, field, depth + 1, left))
            for key, item, type_, field in children(value, forced, name)
        ]
        if isinstance(value, Mapping):
            return {self._key(key): item for key, item in inner}
        if isinstance(value, list | tuple):
            return [item for _, item in inner]
        if is_secret(value, forced, name):
            self.counts[str(forced)] += 1
            return f"[redacted:{forced}]"
        text = as_text(value)
        if text is None:
            return value
        cleaned = self._named(name, text)
        whole = not isinstance(value, str) or len(value) == len(text)
        return value if whole and cleaned == text else cleaned

    def _key(self, key: Any) -> Any:
        if not isinstance(key, str) or is_plain_name(key):
            return key
        return self.text(key)

    def _named(self, name: str, value: str) -> str:
        """Redact a text with the name of its field as the cue before it."""
        before = cue(name)
        cleaned = self.text(before + value)
        return cleaned[len(before) :] if cleaned.startswith(before) else self.text(value)
