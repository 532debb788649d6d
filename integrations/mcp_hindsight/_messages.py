"""What the proxy reads in the messages that pass it, and the few that it writes itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

__all__ = [
    "Message",
    "Outcome",
    "call_of",
    "completed",
    "key_of",
    "messages_of",
    "object_of",
    "outcome_of",
    "question",
    "refusal",
]

Message: TypeAlias = dict[str, Any]
_NO_TEXT: Final = ("image", "audio", "resource", "resource_link")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a tool answered, as text, and whether the server calls it an error."""

    text: str
    failed: bool


def messages_of(line: bytes) -> Iterator[Message]:
    """The JSON-RPC messages of a line, one or a batch; none where it is something else."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return
    found = cast("list[object]", read if isinstance(read, list) else [read])
    for one in found:
        if isinstance(one, dict):
            yield cast("Message", one)


def object_of(value: object) -> Message:
    """The value where it is a JSON object, else an empty one."""
    return cast("Message", value) if isinstance(value, dict) else {}


def key_of(message_id: object) -> str:
    """What tells one request from another: 1 and "1" are two."""
    return json.dumps(message_id)


def call_of(message: Message) -> tuple[str, object] | None:
    """The tool and the arguments of a `tools/call` request."""
    if message.get("method") != "tools/call" or message.get("id") is None:
        return None
    params = object_of(message.get("params"))
    name = params.get("name")
    return (name, params.get("arguments")) if isinstance(name, str) and name else None


def outcome_of(message: Message) -> Outcome | None:
    """What a response says of its call; None where the call goes on (asks for input, is a task)."""
    if isinstance(message.get("error"), dict):
        return Outcome(text=str(object_of(message["error"]).get("message", "")), failed=True)
    if not isinstance(message.get("result"), dict):
        return None
    result = object_of(message["result"])
    if "task" in result:
        return None
    if result.get("resultType", "complete") != "complete":
        return None
    texts = [_text(block) for block in _blocks(result)]
    if not any(texts) and result.get("structuredContent") is not None:
        texts = [json.dumps(result["structuredContent"], ensure_ascii=False)]
    return Outcome(text="\n".join(texts), failed=result.get("isError") is True)


def completed(message: Message, advice: str) -> bytes:
    """A response with our advice after what it says."""
    changed = dict(message)
    if isinstance(message.get("error"), dict):
        error: Message = message["error"]
        changed["error"] = {**error, "message": f"{error.get('message', '')}\n{advice}"}
    else:
        result: Message = message["result"]
        said = {"type": "text", "text": advice}
        changed["result"] = {**result, "content": [*_blocks(result), said]}
    return _line(changed)


def refusal(message_id: object, text: str) -> bytes:
    """The answer to a call that is not handed on."""
    # The protocol of 2026 asks for the type of each result; that of earlier versions ignores it.
    said = [{"type": "text", "text": text}]
    result = {"content": said, "isError": True, "resultType": "complete"}
    return _line({"jsonrpc": "2.0", "id": message_id, "result": result})


def question(message_id: str, tool: str, text: str) -> bytes:
    """The request by which a client asks its user about a call (MCP's elicitation)."""
    params: Message = {
        "message": f"{text}\n\nRun {tool} all the same?",
        "requestedSchema": {"type": "object", "properties": {}},
    }
    return _line(
        {"jsonrpc": "2.0", "id": message_id, "method": "elicitation/create", "params": params}
    )


def _blocks(result: Message) -> list[object]:
    said: object = result.get("content")
    return cast("list[object]", said) if isinstance(said, list) else []


def _text(block: object) -> str:
    one = object_of(block)
    kind = one.get("type")
    return f"[{kind}]" if kind in _NO_TEXT else str(one.get("text", ""))


def _line(message: Mapping[str, object]) -> bytes:
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
