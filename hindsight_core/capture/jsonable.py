"""Values of any Python type as JSON that can be stored: bounded, and never an error."""

from __future__ import annotations

import dataclasses
import json
import math
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

from pydantic import BaseModel

from hindsight_core.text import clean

__all__ = [
    "MAX_TEXT",
    "MAX_TOTAL",
    "Json",
    "digest_of",
    "dump_json",
    "error_text",
    "result_text",
    "to_jsonable",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

MAX_DEPTH: Final = 40
MAX_NODES: Final = 5_000
MAX_TEXT: Final = 4_096
"""Characters of one text; a longer one keeps its first 512 and its digest."""
MAX_TOTAL: Final = 64 * 1024
"""Characters of all texts of one call together."""
_HEAD: Final = 512


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
        return f"{head}<{len(text)} characters, {digest_of(text)}>"

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
            return sorted(found, key=dump_json)
        if type(value).__module__.partition(".")[0] == "numpy":
            return self.array(value, depth)
        return self.text(_describe(value))

    def mapping(self, pairs: Iterable[tuple[object, object]], depth: int) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for count, (key, item) in enumerate(pairs):
            if self._nodes <= 0:
                found["<more>"] = f"<cut after {count} entries>"
                break
            name = key if isinstance(key, str) else dump_json(self.any(key, depth))
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


def digest_of(text: str) -> str:
    """Return a short digest of a text: 16 hex digits, blake2b."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def dump_json(value: Json) -> str:
    """Write JSON compactly, with sorted keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def result_text(result: object) -> str:
    """A tool's result as text: as it is, or as JSON."""
    return (
        result if isinstance(result, str) else json.dumps(to_jsonable(result), ensure_ascii=False)
    )


def error_text(error: BaseException) -> str:
    """An exception as text: its type and what it says, the type alone where its `str` raises."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return name
