"""Which words of a candidate are somebody else's, and what a correction would change.

A lesson or a path is our own record of calls that our own hooks saw: its sentences are templates of
ours. What may be poisoned in it are the tool's words, which it quotes, and the values with which a
call worked, for a tool may have named them ("pay to this account instead").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from hindsight_core.guard.sensitive_names import SENSITIVE
from hindsight_core.schema import Candidate, Lesson, Source, ToolCall

__all__ = ["changed_rights", "quoted_text", "shown_text", "used_text"]

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u3400-\u9fff]+")
_URL: Final = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MAX_VALUES: Final = 400
_ADDED: Final = frozenset({"permission", "check"})


def shown_text(candidate: Candidate) -> str:
    """All text of a candidate that a model may come to read, one part a line."""
    value = candidate.value
    parts = [value.content, value.intent, value.resolution, value.correction, candidate.query]
    if candidate.lesson is not None:
        mistake, correction = candidate.lesson.mistake, candidate.lesson.correction
        parts += [mistake.action, mistake.consequence]
        parts += [correction.action, correction.precondition] if correction else []
    return "\n".join(dict.fromkeys(part for part in parts if part.strip()))


def quoted_text(candidate: Candidate) -> str | None:
    """The words of a tool that a lesson quotes; empty for a path; None where all words count."""
    if candidate.source is Source.AGENT:  # a model wrote it: a lesson card
        return None
    if candidate.lesson is not None and candidate.lesson.mistake.calls:
        correction = candidate.lesson.correction
        said = [candidate.lesson.mistake.consequence]
        said += [correction.precondition] if correction else []
        return "\n".join(text for text in said if text.strip())
    return "" if candidate.path else None


def used_text(candidate: Candidate) -> str:
    """Names of tools and texts among the arguments of the calls that a candidate records."""
    calls = [*candidate.path]
    if candidate.lesson is not None:
        correction = candidate.lesson.correction
        calls += [*candidate.lesson.mistake.calls, *(correction.calls if correction else ())]
    used = [text for call in calls for text in (call.tool, *(v for _, v in _texts(call.args)))]
    return "\n".join(dict.fromkeys(used[:_MAX_VALUES]))


def changed_rights(lesson: Lesson) -> tuple[str, ...]:
    """What a correction would set that only the user or an operator may set, as reasons.

    A credential, payee or host other than the failing calls had; a permission or a skipped check
    also where those had none.
    """
    if lesson.correction is None:
        return ()
    before = _sensitive(lesson.mistake.calls)
    after = _sensitive(lesson.correction.calls)
    return tuple(
        f"sets another {what}"
        for what in sorted(after)
        # A call that named no account at all, and then worked with one, changed no account.
        if (what in before or what in _ADDED) and not after[what] <= before.get(what, set())
    )


def _sensitive(calls: Sequence[ToolCall]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for call in calls:
        for name, value in _texts(call.args):
            if _URL.match(value):
                found.setdefault("endpoint", set()).add(urlsplit(value).netloc.lower())
                continue
            words = {word.casefold() for word in _WORD.findall(name)}
            for what, names in SENSITIVE.items():
                if words & names:
                    found.setdefault(what, set()).add(value)
    return found


def _texts(args: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str]]:
    for name, value in args.items():
        yield from _of(name or within, value)


def _of(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str | bool):
        yield name, str(value)
    elif isinstance(value, Mapping):
        yield from _texts(cast("Mapping[str, Any]", value), name)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _of(name, item)
