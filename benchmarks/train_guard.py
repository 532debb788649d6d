"""Trains the guard's content scorer: `python -m benchmarks.train_guard --data DIR`.

The weights are a maximum a posteriori fit of logistic regression. The prior mean of each weight is
a person's judgement of the cue (`PRIOR`), the data move it as far as they insist. Texts are those
of `guard_texts` (without the rows of family `wildguard`, which only measure) and of the tables in
`guard_templates.toml`. The fit has no chance in it, and weights are rounded, so that the same data
give the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.guard_synthetic import Text, synthetic
from hindsight_core.guard.cues import BLUNT, SHARP, cues
from hindsight_core.guard.reading import read

__all__ = ["MEASURED_ONLY", "PER_FAMILY", "PRIOR", "fit", "read_texts", "scores", "threshold"]

MEASURED_ONLY: Final = "wildguard"
FALSE_RATE: Final = 0.02
"""The share of honest texts that may be taken for attacks where a threshold is measured."""

_SHARP: Final = 2.0
_MARGIN: Final = 0.05

PRIOR: Final[Mapping[str, float]] = {
    **{rule.reason: _SHARP for rule in SHARP},
    **{rule.reason: 0.7 for rule in BLUNT},
    "lifts the instructions": 3.0,
    "may not refuse": 2.5,
    "asks for a secret": 2.5,
    "asks for a person's data": 1.5,
    "knows no law": 1.0,
    "gives another self": 1.0,
    "hides an order": 3.0,
    "role markers": 2.5,
    "marked as an announcement": 1.5,
    "comment": 2.0,
    "repeats itself": 2.0,
    "sharp sentences 2": 1.0,
    "sharp sentences 4": 1.0,
    "blunt sentences 2": 0.5,
    "blunt sentences 4": 1.0,
    "directive sentences 2": 1.8,
    "directive sentences 4": 1.0,
    "directive sentences 8": 1.0,
    # A tool has nothing to ask and nobody to order about, so its texts are looked at more closely.
    "tool": 1.0,
    "tool: changes the reply": 3.0,
    "tool: changes the letters": 2.0,
    "tool: begins impersonally with make": 1.5,
    "tool: begins impersonally with ask": 1.5,
    "tool: begins impersonally with act": 0.5,
    "tool: acts on an address": 0.4,
}
_FREEDOM: Final = 0.001
"""Variance of a cue's weight around its prior. Measured on families held out: the more freedom the
data get, the better the families trained on and the worse the others (mean detection .85 at .001,
.80 at .01, .77 at .1)."""
_MANNER_FREEDOM: Final = 0.00003
_STEPS: Final = 60
PER_FAMILY: Final = 100

Vector = NDArray[np.float64]


def read_texts(path: Path) -> list[Text]:
    """Read a file of the form of `guard_texts.jsonl`."""
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line
    ]
    return [
        Text(
            text=row["text"],
            attack=row["label"] == "attack",
            channel=row["channel"],
            family=row["family"],
        )
        for row in rows
    ]


def fit(
    seen: Sequence[frozenset[str]], attack: Sequence[bool], family: Sequence[str]
) -> dict[str, float]:
    """Fit the weights of the cues that were seen; families count by the root of their size."""
    names = sorted({*PRIOR, *(name for found in seen for name in found)})
    prior = np.array([PRIOR.get(name, 0.0) for name in names])
    variance = np.array([_MANNER_FREEDOM if ":" in n else _FREEDOM for n in names])
    x, y = _matrix(seen, names), np.array(attack, dtype=np.float64)
    size = Counter(family)
    share = np.array([size[name] ** -0.5 for name in family])
    for side in (0.0, 1.0):
        share[y == side] *= len(y) / 2 / max(share[y == side].sum(), 1e-9)
    weights = prior.copy()
    for _ in range(_STEPS):  # Newton's method; the problem is convex and small
        chance = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (share * (chance - y)) + (weights - prior) / variance
        bend = (x.T * (share * chance * (1 - chance))) @ x + np.diag(1 / variance)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= 0.0005
    }


def scores(weights: Mapping[str, float], seen: Sequence[frozenset[str]]) -> list[float]:
    """The score of each text, in log-odds: the sum of the weights of its cues."""
    return [sum(weights.get(cue, 0.0) for cue in sorted(found)) for found in seen]


def threshold(benign: Sequence[float], rate: float = FALSE_RATE) -> float:
    """The least score that at most `rate` of the honest texts exceed."""
    return sorted(benign, reverse=True)[int(rate * len(benign))]


def _matrix(seen: Sequence[frozenset[str]], names: Sequence[str]) -> Vector:
    index = {name: column for column, name in enumerate(names)}
    x = np.zeros((len(seen), len(names)))
    for row, found in enumerate(seen):
        for name in found:
            x[row, index[name]] = 1.0
    return x


def train(texts: Sequence[Text]) -> dict[str, Any]:
    """Train on all texts but those that only measure.

    The threshold is what one sharp cue weighs in a user's message: one is enough to look twice.
    """
    used = [text for text in texts if text.family != MEASURED_ONLY] + synthetic(0, PER_FAMILY)
    seen = [frozenset(cues(read(text.text), text.channel)) for text in used]
    weights = fit(seen, [t.attack for t in used], [t.family for t in used])
    return {"threshold": round(weights.get("user", 0.0) + _SHARP - _MARGIN, 3), "weights": weights}


def main() -> None:
    """Write the weights that are shipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with guard_texts.jsonl")
    parser.add_argument("--out", type=Path, default=Path("hindsight_core/guard/weights.json"))
    arguments = parser.parse_args()
    trained = train(read_texts(arguments.data / "guard_texts.jsonl"))
    text = json.dumps(trained, indent=1, sort_keys=True, ensure_ascii=False)
    arguments.out.write_text(text + "\n", encoding="utf-8")
    print(f"{len(trained['weights'])} weights, threshold {trained['threshold']}")


if __name__ == "__main__":
    main()
