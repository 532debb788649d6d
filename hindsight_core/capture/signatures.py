"""Tool calls as digests: exact (`signature`), and by the names and formats of arguments (`shape`).

Arguments of any Python type become JSON first (`to_jsonable`), in time and size that are bounded
whatever was passed; a long text is represented by its beginning and its digest, so two long texts
that differ still have different signatures.
"""

from __future__ import annotations

import dataclasses
import json
import math
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

from pydantic import BaseModel

from hindsight_core.capture._formats import format_of, is_name
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

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Redact: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

MAX_DEPTH: Final = 40
MAX_NODES: Final = 5_000
MAX_TEXT: Final = 4_096
"""Characters of one text; a longer one keeps its first 512 and its digest."""
MAX_TOTAL: Final = 64 * 1024
"""Characters of all texts of one call together."""
_HEAD: Final = 512
_MAX_SHAPE: Final = 400


def to_jsonable(value: object, *, max_text: int = MAX_TEXT, max_total: int = MAX_TOTAL) -> Json:
    """Represent any value as JSON that can be stored, without ever raising.

    Dates are ISO 8601, bytes base64 (or a digest), sets sorted lists, models and dataclasses
    objects, NaN and the infinities texts. What is cyclic, too deep or too much is named in angle
    brackets. `max_text` and `max_total` are in characters.
    """
    return _Represent(max_text, max_total).any(value, 0)


class _Represent:
    def __init__(self, max_text: int, max_total: int) -> None:
        self._max_text = max_text
        self._left = max_total
        self._nodes = MAX_NODES
        self._open: set[int] = set()

    def any(self, value: object, depth: int) -> Json:
        self._nodes -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.any(cast("object", value.value), depth)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int):
            return (
                int(value) if value.bit_length() <= 256 else f"<int of {value.bit_length()} bits>"
            )
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(float(value))
        if isinstance(value, (datetime, date, time)):
            return value.isoformat()
        if isinstance(value, (Decimal, UUID, PurePath, timedelta)):
            return self.text(str(value))
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self.binary(bytes(cast("bytes", value)))
        return self.compound(value, depth)

    def text(self, value: str) -> str:
        text = clean(value)
        if len(text) <= self._max_text and len(text) <= self._left:
            self._left -= len(text)
            return text
        head = text[: max(0, min(_HEAD, self._left))]
        self._left -= len(head)
        return f"{head}<{len(text)} characters, {_digest(text)}>"

    def binary(self, value: bytes) -> str:
        if len(value) <= 96:
            return f"<bytes {b64encode(value).decode()}>"
        return f"<{len(value)} bytes, {blake2b(value, digest_size=8).hexdigest()}>"

    def compound(self, value: object, depth: int) -> Json:
        if depth >= MAX_DEPTH:
            return "<too deep>"
        if id(value) in self._open:
            return "<cycle>"
        self._open.add(id(value))
        try:
            return self.parts(value, depth + 1)
        except Exception:  # noqa: BLE001 - foreign mappings and attributes may raise anything
            return f"<{type(value).__module__}.{type(value).__qualname__}>"
        finally:
            self._open.discard(id(value))

    def parts(self, value: object, depth: int) -> Json:
        if isinstance(value, Mapping):
            return self.mapping(cast("Mapping[object, object]", value).items(), depth)
        if isinstance(value, BaseModel):
            return self.mapping(list(_attributes(value, type(value).model_fields)), depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return self.mapping(list(_attributes(value, names)), depth)
        if isinstance(value, (list, tuple)):
            return self.items(cast("Sequence[object]", value), depth)
        if isinstance(value, Set):
            found = self.items(list(cast("Set[object]", value))[:MAX_NODES], depth)
            return sorted(found, key=_dump)
        if type(value).__module__.partition(".")[0] == "numpy":
            return self.array(value, depth)
        return self.text(_describe(value))

    def mapping(self, pairs: Iterable[tuple[object, object]], depth: int) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for count, (key, item) in enumerate(pairs):
            if self._nodes <= 0:
                found["<more>"] = f"<cut after {count} entries>"
                break
            name = key if isinstance(key, str) else _dump(self.any(key, depth))
            name = self.text(name)
            if name in found:
                name = f"{name} <{type(key).__name__}>"
            found[name] = self.any(item, depth)
        return found

    def items(self, values: Sequence[object], depth: int) -> list[Json]:
        found: list[Json] = []
        for count, item in enumerate(values):
            if self._nodes <= 0:
                found.append(f"<{len(values) - count} more>")
                break
            found.append(self.any(item, depth))
        return found

    def array(self, value: Any, depth: int) -> Json:
        size = getattr(value, "size", 1)
        if isinstance(size, int) and size > 256:
            data = getattr(value, "tobytes", bytes)()
            kind = f"{getattr(value, 'dtype', '')} {getattr(value, 'shape', '')}"
            return f"<array {kind}, {blake2b(data, digest_size=8).hexdigest()}>"
        to_list = getattr(value, "tolist", None)
        plain = to_list() if callable(to_list) else _describe(value)
        foreign = type(plain).__module__.partition(".")[0] == "numpy"
        return self.any(_describe(value) if foreign else plain, depth)


def _attributes(value: object, names: Iterable[str]) -> Iterable[tuple[str, object]]:
    return ((name, getattr(value, name, None)) for name in names)


def _describe(value: object) -> str:
    """Name a value of an unknown type; its `str` is used only where the type defines one."""
    kind = type(value)
    name = f"<{kind.__module__}.{kind.__qualname__}>"
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return name
    try:
        text = str(value)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything; the type names it then
        return name
    return name if " at 0x" in text else text


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _dump(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


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
    return _dump(_same(to_jsonable(value)))


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
    return text if len(text) <= _MAX_SHAPE else f"{text[:_MAX_SHAPE]}… {_digest(text)}"


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
