"""Trains the model of `hindsight_core.guard.suspicion`: `python -m benchmarks.train_suspicion`.

Texts are the project's own notes (`guard_candidates_*.txt`) and, with `--data DIR`, those rows of
`own_poison` that a tool or an agent wrote, the failures of `own_tool_results`, so that a plain
error message is known for one, and what people say in ordinary talk and tasks (`ordinary`), which
is most of what a memory is given. The same texts give the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import base64
import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from hindsight_core.guard.reading import read
from hindsight_core.guard.suspicion import BUCKETS, Note, Suspicion, note
from hindsight_core.text import shorten

__all__ = ["Example", "examples", "fit", "messages", "ordinary", "own_notes", "rows_of"]

HARMFUL: Final = -0.4
DOUBTFUL: Final = -0.8
ORDINARY: Final = 0.5
"""What an ordinary text counts beside a note: there are many, and they are easily told."""
_FREEDOM: Final = 3.0
_NAME_SHARE: Final = 0.8
"""How strongly a concept counts beside words: the lexicons are ours, words are the texts' own."""
_MESSAGE: Final = 240
"""Characters that a lesson keeps of a message."""
_ORDINARY_CHARS: Final = 600
_PAGES: Final = 60
_SHORT: Final = 80
_MEASURED_ONLY: Final = ("wildguard", "notinject")
_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """A note and whether it is poison; `family` is left out together when families are judged."""

    note: Note
    harmful: bool
    family: str = ""
    weight: float = 1.0


def own_notes() -> list[Example]:
    """The notes that belong to the project."""
    return [
        Example(note=note(read(text)), harmful=harmful)
        for language in ("en", "zh")
        for text, harmful in _sections(_FOLDER / f"guard_candidates_{language}.txt")
    ]


def examples(rows: Sequence[dict[str, Any]]) -> list[Example]:
    """The notes of `own_poison` that a tool or an agent wrote."""
    return [
        Example(
            note=note(read(row["text"])),
            harmful=row["expect"] in ("quarantine", "refuse"),
            family=row["family"],
        )
        for row in rows
        if row["channel"] != "user"
    ]


def messages(rows: Sequence[dict[str, Any]]) -> list[Example]:
    """Failures of `own_tool_results`, as notes that are no poison."""
    texts = [" ".join(row["result"].split()) for row in rows if row["outcome"] != "ok"]
    return [
        Example(note=note(read(shorten(text, _MESSAGE))), harmful=False)
        for text in dict.fromkeys(texts)
        if text
    ]


def ordinary(data: Path) -> list[Example]:
    """Texts of talk, tasks and pages in which nobody plants anything, where `data` has them."""
    texts: list[str] = []
    for row in rows_of(data / "own_conflicts.jsonl"):
        texts += [row["a"], row["b"]]
    for name in ("own_preferences", "pii_texts"):
        texts += [row["text"] for row in rows_of(data / f"{name}.jsonl")]
    texts += [
        row["text"]
        for row in rows_of(data / "guard_texts.jsonl")
        if row["label"] == "benign" and not row["family"].startswith(_MEASURED_ONLY)
    ]
    for row in rows_of(data / "runs_tau_airline.jsonl"):
        texts += [step["user"] for step in row["steps"] if "user" in step]
    for row in rows_of(data / "own_sessions.jsonl"):
        events = (event for session in row["sessions"] for event in session["events"])
        texts += [event["text"] for event in events if "text" in event]
    for row in rows_of(data / "runs_hotpotqa_base.jsonl")[:_PAGES]:
        results = (step.get("result") or "" for step in row["steps"])
        texts += [result for result in results if len(result) > _SHORT]
    short = dict.fromkeys(shorten(" ".join(text.split()), _ORDINARY_CHARS) for text in texts)
    return [
        Example(note=note(read(text)), harmful=False, weight=ORDINARY) for text in short if text
    ]


def fit(notes: Sequence[Example]) -> Suspicion:
    """Fit the model to examples."""
    names = sorted({name for example in notes for name in example.note.names})
    model = LogisticRegression(C=_FREEDOM, solver="liblinear", max_iter=1000, random_state=0)
    harmful = np.array([example.harmful for example in notes])
    weight = np.array([example.weight for example in notes])
    model.fit(_matrix(notes, names), harmful, sample_weight=weight)
    weights = cast("np.ndarray[Any, np.dtype[np.float64]]", model.coef_[0])
    worded = weights[len(names) :]
    unit = float(np.abs(worded).max()) / 127
    return Suspicion(
        bias=round(float(model.intercept_[0]), 4),
        names={
            name: round(float(weight) * _NAME_SHARE, 4)
            for name, weight in zip(names, weights, strict=False)
        },
        buckets=array("b", [round(float(weight) / unit) for weight in worded]),
        unit=round(unit, 6),
        harmful=HARMFUL,
        doubtful=DOUBTFUL,
    )


def _matrix(notes: Sequence[Example], names: Sequence[str]) -> Any:
    index = {name: column for column, name in enumerate(names)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, example in enumerate(notes):
        known = sorted(index[name] for name in example.note.names)
        worded = sorted(len(names) + bucket for bucket in example.note.buckets)
        rows += [row] * (len(known) + len(worded))
        columns += known + worded
        values += [_NAME_SHARE] * len(known) + [example.note.share] * len(worded)
    return csr_matrix((values, (rows, columns)), shape=(len(notes), len(names) + BUCKETS))


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines; none where there is no such file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _sections(path: Path) -> Iterator[tuple[str, bool]]:
    harmful = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            harmful = line == "[harmful]"
        elif line and not line.startswith("#"):
            yield line, harmful


def main() -> None:
    """Write the weights that are shipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with own_poison.jsonl")
    parser.add_argument("--out", type=Path, default=Path("hindsight_core/guard/suspicion.json"))
    arguments = parser.parse_args()
    notes = own_notes()
    if arguments.data is not None:
        notes += examples(rows_of(arguments.data / "own_poison.jsonl"))
        notes += messages(rows_of(arguments.data / "own_tool_results.jsonl"))
        notes += ordinary(arguments.data)
    model = fit(notes)
    shipped = {
        "bias": model.bias,
        "buckets": base64.b64encode(bytes(weight % 256 for weight in model.buckets)).decode(),
        "doubtful": model.doubtful,
        "harmful": model.harmful,
        "names": {name: weight for name, weight in model.names.items() if weight},
        "unit": model.unit,
    }
    text = json.dumps(shipped, indent=1, sort_keys=True, ensure_ascii=False)
    arguments.out.write_text(text + "\n", encoding="utf-8")
    print(f"{len(notes)} notes, {len(shipped['names'])} names, {len(text) // 1024} kB")


if __name__ == "__main__":
    main()
