"""The file of an export: JSON lines, a head, a record a line, and an end that proves the rest.

`{"hindsight-core": "export", "version": 1, "schema": 1, "tenant": …, "user": …, "store": …}`
`{"n": 17, "memory": {…}, "stamp": "v1:…"}` …
`{"end": {"records": 2, "hash": "…"}}`
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from hindsight_core.capture import BadLineError
from hindsight_core.capture.histories.files import read_values
from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import SCHEMA_VERSION, Memory

__all__ = ["Line", "Tally", "head_of", "head_text", "is_export", "line_text", "read_lines"]

_FORMAT: Final = "hindsight-core"
_VERSION: Final = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A record of an export; `text` is what its stamp is about."""

    number: int
    memory: Memory
    text: str
    stamp: str
    progress: float


class Tally:
    """Counts records, and joins their hashes so that their order does not matter.

    What another key signs anew and what every store numbers by itself is left out of the hash.
    """

    def __init__(self) -> None:
        self.records = 0
        self._total = 0

    def add(self, memory: Memory) -> None:
        """Count a record."""
        plain = memory.model_dump(mode="json", exclude={"signature"})
        self._total += int.from_bytes(sha256(_compact(plain).encode()).digest())
        self.records += 1

    @property
    def hash(self) -> str:
        """The hash over all records so far."""
        return f"{self._total % 2**256:064x}"

    @property
    def end(self) -> str:
        """The last line of the file."""
        return _compact({"end": {"records": self.records, "hash": self.hash}})


def head_text(store: str, tenant: str | None, user: str | None) -> str:
    """The first line of an export of a store, or of one user of it."""
    return _compact(
        {
            _FORMAT: "export",
            "version": _VERSION,
            "schema": SCHEMA_VERSION,
            "store": sha256(store.encode()).hexdigest()[:16],
            "tenant": tenant,
            "user": user,
        }
    )


def line_text(number: int, memory: Memory) -> str:
    """A record as its stamp is about it."""
    return _compact({"n": number, "memory": memory.model_dump(mode="json")})


def is_export(path: Path) -> bool:
    """Whether a file begins as an export does, be it of this version or of another."""
    first = next(read_values(path, lambda _line, _problem: None), None)
    return first is not None and _FORMAT in _object(first.value)


def head_of(path: Path) -> dict[str, Any]:
    """The head of an export; raises `ConfigurationError` for one of a newer version."""
    first = next(read_values(path, lambda _line, _problem: None))
    head = cast("dict[str, Any]", first.value)
    for name, known in (("version", _VERSION), ("schema", SCHEMA_VERSION)):
        if not isinstance(head.get(name), int) or not 1 <= head[name] <= known:
            raise ConfigurationError(
                f"{path}: {name} {head.get(name)!r} of the export is not known here. Use the "
                "version of hindsight-core that wrote it: pip install --upgrade hindsight-core"
            )
    return head


def read_lines(path: Path, on_bad: Callable[[BadLineError], None] | None = None) -> Iterator[Line]:
    """Yield the records of an export, and check its end when it is reached.

    Without `on_bad` the first line that is damaged raises `BadLineError`; so does an end that is
    missing or does not fit. With it they are handed over.
    """
    tally = Tally()
    ended = False

    def bad(line: int, problem: str) -> None:
        error = BadLineError(path, line, problem)
        if on_bad is None:
            raise error
        on_bad(error)

    line = 0
    for value in read_values(path, bad):
        line = value.line
        if value.line == 1:
            continue
        record = _object(value.value)
        if "end" in record:
            ended = True
            if _compact(record) != tally.end:
                bad(line, "the records are not those that were exported: count or hash differ")
            continue
        try:
            read = _line(record, value.progress)
        except (ValidationError, TypeError, ValueError):
            bad(line, "is no record of an export")
            continue
        tally.add(read.memory)
        yield read
    if not ended:
        bad(line, "the export was not finished. Run 'hindsight-core export' again to go on")


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _line(record: dict[str, Any], progress: float) -> Line:
    memory = Memory.model_validate_json(json.dumps(record.get("memory")))
    number = record.get("n")
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError
    stamp = record.get("stamp")
    return Line(
        number=number,
        memory=memory,
        text=line_text(number, memory),
        stamp=stamp if isinstance(stamp, str) else "",
        progress=progress,
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
