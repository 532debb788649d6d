"""A lesson or path without what is personal in it, so that it may be shown to somebody else.

Taken out are secrets and personal numbers (as everywhere), values of fields that are about a
person, names with a title, and the ids of the scope; left out altogether are the task in the user's
own words, the evidence, and who said what before. Names that nothing marks as such cannot be found
without a language model: whoever grants looks at the result first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from hindsight_core.capture import Redactor
from hindsight_core.engine.personal_names import HONORIFIC, is_personal_field
from hindsight_core.schema import Context, Memory, MemoryKey, ToolCall

__all__ = ["impersonal"]

_GONE: Final = "[redacted:personal]"
_SHORTEST: Final = 2
_MAX_DEPTH: Final = 16


def impersonal(memory: Memory, *, situation: str = "", names: Iterable[str] = ()) -> Memory:
    """Return the memory as it may be shared: the same lesson without personal values.

    `situation` takes the place of the task in which it was learnt; `names` are further texts to
    take out, wherever they stand.
    """
    scope, secrets = memory.scope, Redactor()
    known = {scope.user, scope.agent or "", scope.session or "", memory.context.speaker, *names}
    for call in _calls(memory):
        known.update(_personal(call.args, named=False, depth=0))
    values = sorted((v for v in known if len(v) >= _SHORTEST), key=len, reverse=True)
    pattern = re.compile("|".join(map(_whole, values)), re.IGNORECASE) if values else None

    def clean(text: str) -> str:
        text = HONORIFIC.sub(_GONE, text)
        return secrets.text(pattern.sub(_GONE, text) if pattern else text)

    kept = memory.model_dump(mode="json", include={"value", "lesson", "path", "preference"})
    shown = cast("dict[str, Any]", _mapped(kept, clean))
    shown["value"]["intent"] = ""
    for call in _dumped_calls(shown):
        args = secrets.value(_without_personal(call["args"]))
        # The digest of a call would give its values away to who can guess them.
        if args != call["args"] or _GONE in json.dumps(args):
            call["signature"] = ""
        call |= {"args": args, "call_id": None}
    if shown["lesson"] is not None:
        shown["lesson"]["trigger"]["context_keywords"] = []
    subject = memory.key.subject
    made = Memory.model_validate(
        memory.model_dump(exclude={"value", "lesson", "path", "preference"}) | shown
    )
    return made.model_copy(
        update={
            "query": clean(situation),
            "context": Context(),
            "evidence": (),
            "reasons": (),
            "signature": "",
            "dedupe_key": "",
            "key": MemoryKey(
                subject=subject if subject in memory.key.tool_sequence else "",
                task_type=memory.key.task_type,
                tool_sequence=memory.key.tool_sequence,
            ),
        }
    )


def _calls(memory: Memory) -> Iterator[ToolCall]:
    yield from memory.path
    if memory.lesson is not None:
        yield from memory.lesson.mistake.calls
        if memory.lesson.correction is not None:
            yield from memory.lesson.correction.calls


def _dumped_calls(shown: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from shown["path"]
    if shown["lesson"] is not None:
        yield from shown["lesson"]["mistake"]["calls"]
        if shown["lesson"]["correction"] is not None:
            yield from shown["lesson"]["correction"]["calls"]


def _personal(value: Any, *, named: bool, depth: int) -> Iterator[str]:
    """The texts and numbers that stand in fields about a person, at any depth."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            yield from _personal(item, named=named or is_personal_field(key), depth=depth + 1)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _personal(item, named=named, depth=depth + 1)
    elif named and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _without_personal(value: Any, *, named: bool = False, depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        return _GONE
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {
            key: _without_personal(item, named=named or is_personal_field(key), depth=depth + 1)
            for key, item in items
        }
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        return [_without_personal(item, named=named, depth=depth + 1) for item in listed]
    return _GONE if named and value is not None and not isinstance(value, bool) else value


def _mapped(value: Any, clean: Any) -> Any:
    """The value with every text of it cleaned; names of fields stay."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _mapped(item, clean) for key, item in items}
    if isinstance(value, list):
        return [_mapped(item, clean) for item in cast("list[Any]", value)]
    return value


def _whole(value: str) -> str:
    """A value as it stands in a text: not in the middle of a longer word or number."""
    quoted = re.escape(value)
    before = r"(?<![A-Za-z0-9])" if value[0].isascii() and value[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if value[-1].isascii() and value[-1].isalnum() else ""
    escaped = json.dumps(value, ensure_ascii=True)[1:-1]
    if escaped != value:
        return f"{before}{quoted}{after}|{re.escape(escaped)}"
    return f"{before}{quoted}{after}"
