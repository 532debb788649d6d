"""Which texts state a lasting preference: F1 on the project's own, recall and false captures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hindsight_core.capture import extract_preferences


def preferences(data: Path) -> dict[str, float]:
    """F1, precision and recall over `own_preferences`, each language apart."""
    figures: dict[str, float] = {}
    for language in ("en", "zh"):
        rows = [row for row in _rows(data / "own_preferences.jsonl") if row["lang"] == language]
        found = [bool(extract_preferences(row["text"])) for row in rows]
        wanted = [bool(row["label"]) for row in rows]
        hits = sum(f and w for f, w in zip(found, wanted, strict=True))
        precision = hits / sum(found) if any(found) else 0.0
        recall = hits / sum(wanted) if any(wanted) else 0.0
        both = precision + recall
        figures[f"preferences.{language}.precision"] = precision
        figures[f"preferences.{language}.recall"] = recall
        figures[f"preferences.{language}.f1"] = 2 * precision * recall / both if both else 0.0
    return figures


def utterances(data: Path) -> dict[str, float]:
    """Recall of explicit statements, and the share of chat turns and questions captured."""
    rows = list(_rows(data / "preference_utterances.jsonl"))
    explicit = [bool(extract_preferences(r["text"])) for r in rows if r["kind"] == "explicit"]
    others = [bool(extract_preferences(r["text"])) for r in rows if r["kind"] != "explicit"]
    return {
        "utterances.explicit_recall": sum(explicit) / len(explicit) if explicit else 0.0,
        "utterances.false_rate": sum(others) / len(others) if others else 0.0,
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)
