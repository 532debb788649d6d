"""Tool calls as digests: exact (`signature`), and by the names and formats of arguments (`shape`).

Arguments of any Python type become JSON first (`to_jsonable`); a long text is represented by its
beginning and its digest, so two long texts that differ still have different signatures.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final, TypeAlias, cast

from hindsight_core.capture._formats import format_of, is_name
from hindsight_core.capture.jsonable import Json, digest_of, dump_json, to_jsonable
from hindsight_core.schema import ToolCall
from hindsight_core.text import clean

__all__ = [
    "Json",
    "Redact",
    "as_args",
    "canonical",
    "make_call",
    "shape",
    "signature",
    "to_jsonable",
]

Redact: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
_MAX_SHAPE: Final = 400


def as_args(args: object) -> dict[str, Any]:
    """Return arguments as a mapping of names, however a framework passed them.

    A text that is a JSON object is read as one; any other single value becomes `{"input": value}`,
    None an empty mapping.
    """
    if args is None:
        return {}
    if isinstance(args, str):
        parsed = _parse_object(args)
        return {"input": args} if parsed is None else parsed
    represented = to_jsonable(args, max_text=_UNBOUNDED, max_total=_UNBOUNDED)
    if isinstance(represented, dict):
        return cast("dict[str, Any]", represented)
    return {"input": represented}


_UNBOUNDED: Final = 1 << 60


def _parse_object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None


def canonical(value: object) -> str:
    """Return the canonical JSON of a value: equal for what a tool would take as the same.

    Keys are sorted, texts stripped and in NFC, whole floats are integers.
    """
    return dump_json(_same(to_jsonable(value)))


def _same(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _same(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_same(item) for item in value]
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.strip())
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def signature(tool: str, args: object) -> str:
    """Return the digest (32 hex digits, blake2b) of a tool and its canonical arguments."""
    text = f"{tool.strip()}\n{canonical(as_args(args))}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def shape(tool: str, args: object) -> str:
    """Return the tool with its arguments' names and the formats of their values, no value.

    For example `book(date: slash-date, seats: int)`. At most 400 characters: a longer one ends in
    its digest. A name that could be data (an address, a number) is shown by its format too.
    """
    named = cast("dict[str, Json]", to_jsonable(as_args(args)))
    text = f"{tool.strip()[:120]}({_object_shape(named)})"
    return text if len(text) <= _MAX_SHAPE else f"{text[:_MAX_SHAPE]}… {digest_of(text)}"


def _object_shape(value: dict[str, Json]) -> str:
    parts = {f"{key if is_name(key) else format_of(key)}: {_shape(v)}" for key, v in value.items()}
    return ", ".join(sorted(parts))


def _shape(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + _object_shape(value) + "}"
    if isinstance(value, list):
        return "[" + " | ".join(sorted({_shape(item) for item in value})) + "]"
    if value is None:
        return "null"
    return format_of(value) if isinstance(value, str) else type(value).__name__


def make_call(
    tool: str, args: object, call_id: str | None = None, *, redact: Redact | None = None
) -> ToolCall:
    """Build the record of a call: digests of the arguments as they ran, arguments as redacted.

    `redact` gets the whole arguments as JSON and returns what may be kept; texts are shortened
    after it, so that no secret is cut in half before it could be seen.
    """
    whole = as_args(args)
    kept = whole if redact is None else redact(whole)
    return ToolCall(
        tool=clean(tool.strip()),
        args=cast("dict[str, Any]", to_jsonable(kept)),
        signature=signature(tool, whole),
        shape=shape(tool, whole),
        call_id=call_id,
    )
