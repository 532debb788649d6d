"""Turn lists of messages, as chat models take and give them, into steps of a run.

Knows chat completions (`tool_calls`, role `tool`, and the older `function_call`), responses
(`function_call`, `function_call_output`) and content blocks (`tool_use`, `tool_result`). System and
developer messages are left out: they are no one's word and nobody's deed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from hindsight_core.text import clean

__all__ = ["RecordedStep", "is_message", "steps_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedStep:
    """One thing that happened: a person or the agent said `text`, or a tool was called.

    `result` is None for a call whose answer the record does not have; `error` is the record's own
    word, None where it has none.
    """

    kind: Literal["user", "assistant", "tool"]
    text: str = ""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: str | None = None
    error: bool | None = None
    call_id: str | None = None


@dataclass(kw_only=True, slots=True)
class _Call:
    tool: str
    args: Mapping[str, Any]
    call_id: str | None
    result: str | None = None
    error: bool | None = None

    def step(self) -> RecordedStep:
        return RecordedStep(
            kind="tool",
            tool=self.tool,
            args=self.args,
            result=self.result,
            error=self.error,
            call_id=self.call_id,
        )


_SILENT: Final = frozenset(("system", "developer"))
_ANSWERS: Final = frozenset(("tool", "function"))
_ITEMS: Final = frozenset(("function_call", "function_call_output", "message", "reasoning"))


def is_message(value: object) -> bool:
    """Whether a JSON value is a message or an item of a response."""
    if not isinstance(value, Mapping):
        return False
    message = cast("Mapping[str, Any]", value)
    type_ = message.get("type")
    return isinstance(message.get("role"), str) or (isinstance(type_, str) and type_ in _ITEMS)


def steps_of(messages: Sequence[Any]) -> list[RecordedStep]:
    """Return the steps of a conversation, calls in the order in which they were made.

    An answer to a call that the record does not have becomes a step only where it names its tool.
    Raises `ValueError` that names the place of a message which is none.
    """
    said: list[RecordedStep | _Call] = []
    open_calls: dict[str, _Call] = {}
    for place, message in enumerate(messages):
        if not is_message(message):
            raise ValueError(f"messages[{place}] has neither a role nor a known type")
        _take(cast("Mapping[str, Any]", message), said, open_calls)
    return [step.step() if isinstance(step, _Call) else step for step in said]


def _take(
    message: Mapping[str, Any], said: list[RecordedStep | _Call], open_calls: dict[str, _Call]
) -> None:
    role, type_ = message.get("role"), message.get("type")
    if type_ == "function_call":
        _call(
            message.get("name"), message.get("arguments"), message.get("call_id"), said, open_calls
        )
    elif type_ == "function_call_output":
        _answer(message, message.get("call_id"), message.get("output"), said, open_calls)
    elif role in _ANSWERS:
        _answer(message, message.get("tool_call_id"), message.get("content"), said, open_calls)
    elif role is not None and role not in _SILENT:
        _say(role, message.get("content"), said, open_calls)
        for call in _list(message.get("tool_calls")):
            function = _object(call.get("function")) or call
            arguments = function.get("arguments", function.get("args"))
            _call(function.get("name"), arguments, call.get("id"), said, open_calls)
        older = _object(message.get("function_call"))
        if older:
            _call(older.get("name"), older.get("arguments"), None, said, open_calls)


def _say(
    role: str, content: object, said: list[RecordedStep | _Call], open_calls: dict[str, _Call]
) -> None:
    text = _text(content)
    if text.strip():
        kind = "user" if role in ("user", "human") else "assistant"
        said.append(RecordedStep(kind=kind, text=text))
    for block in _list(content):
        if block.get("type") == "tool_use":
            _call(block.get("name"), block.get("input"), block.get("id"), said, open_calls)
        elif block.get("type") == "tool_result":
            _answer(block, block.get("tool_use_id"), block.get("content"), said, open_calls)


def _call(
    name: object,
    arguments: object,
    call_id: object,
    said: list[RecordedStep | _Call],
    open_calls: dict[str, _Call],
) -> None:
    if not isinstance(name, str) or not name.strip():
        return
    known = call_id if isinstance(call_id, str) and call_id else None
    call = _Call(tool=clean(name), args=_arguments(arguments), call_id=known)
    open_calls[known or name] = call
    said.append(call)


def _answer(
    message: Mapping[str, Any],
    call_id: object,
    output: object,
    said: list[RecordedStep | _Call],
    open_calls: dict[str, _Call],
) -> None:
    name = message.get("name")
    call = open_calls.pop(str(call_id or name), None)
    if call is None and isinstance(name, str) and name:
        known = call_id if isinstance(call_id, str) else None
        call = _Call(tool=clean(name), args={}, call_id=known)
        said.append(call)
    if call is not None:
        call.result = _text(output)
        flag = message.get("is_error")
        if isinstance(flag, bool):
            call.error = flag
        elif message.get("status") == "error":
            call.error = True


def _arguments(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        text = value
        try:
            value = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            return {"input": clean(text)}
    if value is None:
        return {}
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {"input": value}


def _text(content: object) -> str:
    """The text of a content: as it is, of its text blocks, or as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return clean(content)
    if isinstance(content, list):
        items = cast("list[Any]", content)
        texts = [item if isinstance(item, str) else _object(item).get("text") for item in items]
        return "\n".join(clean(text) for text in texts if isinstance(text, str) and text)
    return clean(json.dumps(content, ensure_ascii=False))


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> Iterable[Mapping[str, Any]]:
    return map(_object, cast("list[Any]", value)) if isinstance(value, list) else ()
