"""Measure which user texts are taken for lasting preferences, and what is kept of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hindsight_core.capture.preferences import PreferenceFinding, extract_preferences

__all__ = ["preferences", "session_keys", "speed", "utterances"]

HALVES = ("all", "even", "odd")


def preferences(data: Path, *, half: str = "all") -> dict[str, float]:
    """F1, precision and recall for each language over `own_preferences`; positive is label 1."""
    figures: dict[str, float] = {}
    rows = list(_rows(data / "own_preferences.jsonl"))
    for lang in sorted({row["lang"] for row in rows}):
        chosen = _half([row for row in rows if row["lang"] == lang], half)
        judged = [(bool(row["label"]), bool(extract_preferences(row["text"]))) for row in chosen]
        hits = sum(label and found for label, found in judged)
        precision = hits / max(1, sum(found for _, found in judged))
        recall = hits / max(1, sum(label for label, _ in judged))
        figures[f"preferences.{lang}.precision"] = precision
        figures[f"preferences.{lang}.recall"] = recall
        figures[f"preferences.{lang}.f1"] = 2 * precision * recall / max(1e-9, precision + recall)
    return figures


def utterances(data: Path, *, half: str = "all") -> dict[str, float]:
    """Recall over explicit statements, and share of chat turns and questions that are captured.

    Statements and questions alternate in the file, so its halves are taken by pairs of rows.
    """
    rows = list(_rows(data / "preference_utterances.jsonl"))
    if not rows:
        return {}
    pairs = [rows[at : at + 2] for at in range(0, len(rows), 2)]
    chosen = [row for pair in _half(pairs, half) for row in pair]
    found = {
        label: [bool(extract_preferences(row["text"])) for row in chosen if row["label"] == label]
        for label in (0, 1)
    }
    return {
        "utterances.explicit_recall": _share(found[1]),
        "utterances.false_rate": _share(found[0]),
    }


def session_keys(data: Path, *, half: str = "all") -> dict[str, float]:
    """What the findings of the user turns of `own_sessions` cover.

    `sessions.LANG.keys` is the share of key groups that one finding of the probe's user meets,
    among the groups that are about a preference: the recorded assistant and tool texts do not meet
    them. `sessions.LANG.turns_kept` is the share of all user turns of which something is kept.
    """
    figures: dict[str, float] = {}
    rows = list(_rows(data / "own_sessions.jsonl"))
    for lang in sorted({row["lang"] for row in rows}):
        met: list[bool] = []
        kept: list[bool] = []
        for row in _half([row for row in rows if row["lang"] == lang], half):
            contents: list[str] = []
            others: list[str] = []
            for session in row["sessions"]:
                for event in session["events"]:
                    if event["type"] != "user":
                        others.append(json.dumps(event, ensure_ascii=False))
                        continue
                    found = [finding.content for finding in extract_preferences(event["text"])]
                    kept.append(bool(found))
                    if session["user_id"] == row["probe"]["user_id"]:
                        contents += found
            met += [
                any(_meets(group, text) for text in contents)
                for group in row["probe"]["must_recall_keys"]
                if not any(_meets(group, text) for text in others)
            ]
        figures[f"sessions.{lang}.keys"] = _share(met)
        figures[f"sessions.{lang}.turns_kept"] = _share(kept)
    return figures


def speed(data: Path) -> dict[str, float]:
    """Milliseconds of processor time to judge one user text of `own_preferences`."""
    texts = [row["text"] for row in _rows(data / "own_preferences.jsonl")]
    if not texts:
        return {}
    for text in texts[:2] + texts[-2:]:
        extract_preferences(text)
    begin = time.process_time()
    findings: list[list[PreferenceFinding]] = [extract_preferences(text) for text in texts]
    return {"preferences.ms_per_text": (time.process_time() - begin) * 1e3 / len(findings)}


def _meets(group: Sequence[str], text: str) -> bool:
    folded = text.casefold()
    return all(any(word.casefold() in folded for word in key.split("|")) for key in group)


def _half(rows: Sequence[Any], half: str) -> Sequence[Any]:
    return {"all": rows, "even": rows[::2], "odd": rows[1::2]}[half]


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def main() -> None:
    """Print every figure for all rows and for each half."""
    import argparse

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    for half in HALVES:
        figures = preferences(data, half=half)
        figures |= utterances(data, half=half) | session_keys(data, half=half)
        print(half, json.dumps({name: round(value, 4) for name, value in figures.items()}))
    print(json.dumps(speed(data)))


if __name__ == "__main__":
    main()
