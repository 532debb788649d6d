"""How well the guard tells duplicates, contradictions and refinements apart.

`figures(folder)` returns `own.LANG.macro_f1`, `sick.precision`, `sick.recall` and `dup_zh.auc`; a
file that the folder lacks leaves its figures out. The shipped model learnt from the project's own
pairs, so `own.LANG.macro_f1` is cross-validated: each pair is judged by a model trained without it.
`own.LANG.macro_f1_shipped` is the shipped model on the same rows, in sample where it knows them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.conflicts_train import cross_validated
from hindsight_core.guard.conflicts import Label, relate
from hindsight_core.models import open_embedder
from hindsight_core.ports import Embedder

__all__ = ["area_under_curve", "figures", "macro_f1", "measure"]

Row = dict[str, Any]


def measure(data: Path, *, peers: bool = True) -> dict[str, dict[str, Any]]:  # noqa: ARG001
    """The figures with the default embedder; there is no peer that names these relations."""
    return {"figures": figures(data, open_embedder("auto")), "peers": {}}


def figures(folder: Path, embedder: Embedder | None = None) -> dict[str, float]:
    """Judge every pair of the folder; an embedder's cosines help to rank duplicates."""
    found: dict[str, float] = {}
    for name, judge in _SETS.items():
        path = folder / name
        if path.exists():
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
            found |= judge(rows, embedder)
    return found


def _own(rows: list[Row], _: Embedder | None) -> dict[str, float]:
    found = {f"own.{name}.macro_f1": score for name, score in cross_validated(rows).items()}
    for language in sorted({row["lang"] for row in rows}):
        part = [row for row in rows if row["lang"] == language]
        guesses = [str(relate(row["a"], row["b"]).label) for row in part]
        found[f"own.{language}.macro_f1_shipped"] = macro_f1(
            [row["label"] for row in part], guesses
        )
    return found


def _sick(rows: list[Row], _: Embedder | None) -> dict[str, float]:
    said = [relate(row["a"], row["b"]).label is Label.CONTRADICTION for row in rows]
    true = [row["label"] == "contradiction" for row in rows]
    hits = sum(s and t for s, t in zip(said, true, strict=True))
    return {
        "sick.precision": hits / max(sum(said), 1),
        "sick.recall": hits / max(sum(true), 1),
    }


def _dup_zh(rows: list[Row], embedder: Embedder | None) -> dict[str, float]:
    cosines = _cosines(rows, embedder)
    scores = [
        relate(row["a"], row["b"], similarity=cosine).sameness
        for row, cosine in zip(rows, cosines, strict=True)
    ]
    return {"dup_zh.auc": area_under_curve([bool(row["label"]) for row in rows], scores)}


def _cosines(rows: list[Row], embedder: Embedder | None) -> Sequence[float | None]:
    if embedder is None:
        return [None] * len(rows)
    texts = sorted({row[side] for row in rows for side in "ab"})
    at = {text: i for i, text in enumerate(texts)}
    vectors = embedder.passages(texts)
    return [float(vectors[at[row["a"]]] @ vectors[at[row["b"]]]) for row in rows]


_SETS: dict[str, Callable[[list[Row], Embedder | None], dict[str, float]]] = {
    "own_conflicts.jsonl": _own,
    "pairs_sick_en.jsonl": _sick,
    "pairs_dup_zh.jsonl": _dup_zh,
}


def macro_f1(true: Sequence[str], said: Sequence[str]) -> float:
    """Unweighted mean of the F1 of each label that occurs in `true`."""
    scores: list[float] = []
    for label in sorted(set(true)):
        hits = sum(t == s == label for t, s in zip(true, said, strict=True))
        scores.append(2 * hits / max(sum(t == label for t in true) + said.count(label), 1))
    return sum(scores) / len(scores)


def area_under_curve(true: Sequence[bool], scores: Sequence[float]) -> float:
    """Chance that a positive scores above a negative, ties counting half (Mann-Whitney)."""
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = [0.0] * len(scores)
    start = 0
    while start < len(order):
        stop = start
        while stop < len(order) and scores[order[stop]] == scores[order[start]]:
            stop += 1
        for at in order[start:stop]:
            ranks[at] = (start + stop + 1) / 2
        start = stop
    positives = sum(true)
    negatives = len(true) - positives
    total = sum(rank for rank, flag in zip(ranks, true, strict=True) if flag)
    return (total - positives * (positives + 1) / 2) / max(positives * negatives, 1)
