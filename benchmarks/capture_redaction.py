"""Measure redaction: what it finds in `secrets` and `pii_texts`, what it touches, what it costs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from hindsight_core.capture.redaction import Redacted, redact

__all__ = ["personal", "secrets", "speed", "touched"]


def secrets(data: Path) -> dict[str, float]:
    """Share of the texts with a secret that are touched, and of those without."""
    rows = list(_rows(data / "secrets.jsonl"))
    if not rows:
        return {}
    hit = {
        label: [bool(_secret(redact(r["text"]))) for r in rows if r["label"] == label]
        for label in (0, 1)
    }
    return {
        "secrets.recall": _share(hit[1]),
        "secrets.false_rate": _share(hit[0]),
    }


def personal(data: Path) -> dict[str, float]:
    """Share of the personal spans of which nothing is left, whole and by type."""
    by_type: dict[str, list[bool]] = {}
    extra = texts = 0
    for row in _rows(data / "pii_texts.jsonl"):
        result = redact(row["text"])
        for span in row["spans"]:
            by_type.setdefault(span["type"].lower(), []).append(
                _covered(row["text"], result, span["text"])
            )
        if not row["spans"]:
            texts += 1
            extra += bool(result.found)
    if not by_type:
        return {}
    figures = {"pii.recall": _share([hit for hits in by_type.values() for hit in hits])}
    figures.update({f"pii.{name}.recall": _share(hits) for name, hits in sorted(by_type.items())})
    figures["pii.false_rate"] = extra / texts if texts else 0.0
    return figures


def touched(data: Path) -> dict[str, float]:
    """Share of ordinary agent texts that redaction changes at all."""
    figures: dict[str, float] = {}
    for name in ("own_preferences", "own_tool_results", "own_sessions"):
        texts = [text for row in _rows(data / f"{name}.jsonl") for text in _strings(row)]
        if texts:
            figures[f"redaction.touched.{name}"] = _share([bool(redact(t).found) for t in texts])
    return figures


def speed() -> dict[str, float]:
    """Milliseconds for a text of 1 kB and of 1 MB without anything to redact."""
    text = "The agent listed 42 files in src/app and ran the tests on 2024-05-20; all passed. " * 13
    kilo, mega = text[:1000], text * 1000
    redact(kilo)
    start = time.perf_counter()
    for _ in range(200):
        redact(kilo)
    middle = time.perf_counter()
    redact(mega[:1_000_000])
    return {
        "redaction.ms_1kb": (middle - start) * 5,
        "redaction.ms_1mb": (time.perf_counter() - middle) * 1000,
    }


_SECRET_TYPES = frozenset(
    ("api_key", "token", "password", "private_key", "secret", "cookie", "connection_string")
)


def _secret(result: Redacted) -> bool:
    return any(finding.type in _SECRET_TYPES for finding in result.found)


def _covered(text: str, result: Redacted, span: str) -> bool:
    at = text.find(span)
    return any(f.start <= at and at + len(span) <= f.end for f in result.found)


def _share(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)
