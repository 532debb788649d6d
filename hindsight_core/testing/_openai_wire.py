"""The OpenAI wire format as the scripted server speaks it: pure functions, no socket."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

__all__ = [
    "CREATED",
    "Reply",
    "ScriptedCall",
    "Step",
    "as_reply",
    "completion",
    "completion_chunks",
    "embedding_list",
    "embedding_texts",
    "error_object",
]

CREATED: Final = 1_700_000_000
_CHUNK: Final = 12
"""Characters of text or arguments that one streamed chunk carries."""
_USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedCall:
    """A tool call the "model" makes; `arguments` as a string is sent as it is, broken JSON too."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One answer of the server.

    A `status` other than 200 sends an OpenAI error object with `text` as its message. `delay` is in
    seconds, before the first byte. `cut_after` closes the connection after that many streamed
    chunks, as a dying server does. A `refusal` takes the place of the text; `cut_short` says that
    the answer ended at its limit.
    """

    text: str = ""
    refusal: str = ""
    cut_short: bool = False
    calls: tuple[ScriptedCall, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    cut_after: int | None = None


Step: TypeAlias = (
    Reply
    | str
    | int
    | Sequence[tuple[str, Mapping[str, Any] | str]]
    | Callable[[dict[str, Any]], "Step"]
)
"""A reply, a text, an error status, a list of (tool, arguments), or a function of the request."""


def as_reply(step: Step, request: dict[str, Any]) -> Reply:
    """Resolve a step of a script for one request."""
    while not isinstance(step, Reply):
        if callable(step):
            step = step(request)
        elif isinstance(step, str):
            step = Reply(text=step)
        elif isinstance(step, int):
            step = Reply(status=step, text="scripted failure")
        else:
            step = Reply(calls=tuple(ScriptedCall(name=n, arguments=a) for n, a in step))
    return step


def completion(request: Mapping[str, Any], number: int, reply: Reply) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.calls:
        message["tool_calls"] = _calls(number, reply)
    choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
    head = _head(request, number, "chat.completion")
    return {**head, "choices": [choice], "usage": _USAGE}


def completion_chunks(
    request: Mapping[str, Any], number: int, reply: Reply
) -> list[dict[str, Any]]:
    """The chunks of a streamed answer, in order; usage comes last, if it was asked for."""
    head = _head(request, number, "chat.completion.chunk")
    deltas = [(delta, None) for delta in _deltas(reply.text, _calls(number, reply))]
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in [*deltas, ({}, _reason(reply))]
    ]
    if dict(request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**head, "choices": [], "usage": _USAGE})
    return chunks


def embedding_texts(request: Mapping[str, Any]) -> list[str]:
    """What is to be embedded: a text, a list of texts, a list of token ids, or a list of those."""
    given: Any = request.get("input", "")
    one = isinstance(given, str) or (bool(given) and isinstance(given[0], int))
    return [v if isinstance(v, str) else json.dumps(v) for v in ([given] if one else given)]


def embedding_list(
    request: Mapping[str, Any], vectors: Sequence[Sequence[float]]
) -> dict[str, Any]:
    """The body of an answer with embeddings, in base64 where the request asks for it."""
    encode = _base64 if request.get("encoding_format") == "base64" else list[float]
    data = [
        {"object": "embedding", "index": place, "embedding": encode(vector)}
        for place, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
    return {"object": "list", "model": request.get("model"), "data": data, "usage": usage}


def error_object(message: str) -> dict[str, Any]:
    """The body of an answer that is an error."""
    return {"error": {"message": message, "type": "scripted", "param": None, "code": None}}


def _head(request: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    model = request.get("model", "")
    return {"id": f"chatcmpl-{number}", "object": kind, "created": CREATED, "model": model}


def _reason(reply: Reply) -> str:
    if reply.cut_short:
        return "length"
    return "tool_calls" if reply.calls else "stop"


def _calls(number: int, reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id or f"call_{number}_{place}",
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments(call)},
        }
        for place, call in enumerate(reply.calls)
    ]


def _arguments(call: ScriptedCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _deltas(text: str, calls: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for start in range(0, len(text), _CHUNK):
        yield {"content": text[start : start + _CHUNK]}
    for place, call in enumerate(calls):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        head = {"index": place, "id": call["id"], "type": "function"}
        yield {"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]}
        for start in range(0, len(arguments), _CHUNK):
            part = {"arguments": arguments[start : start + _CHUNK]}
            yield {"tool_calls": [{"index": place, "function": part}]}


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
