"""Makes `hindsight_core/guard/conflicts_model.json`.

    python -m benchmarks.conflicts_train --data DIR

Learns from the project's own labelled pairs (`own_conflicts.jsonl` and `conflicts_pairs.tsv`, whose
rows are written by hand to be hard) and from pairs that our own templates make; no set under a
foreign licence goes in. Prints cross-validated figures first.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.conflicts_synthetic import make_pairs
from hindsight_core.guard.conflicts_evidence import gather
from hindsight_core.guard.conflicts_model import FEATURES, LABELS, features, grounds

SEED = 0
PER_FRAME = 12
LANDMARKS = 150
GAMMA = 0.01
STRENGTH = 3.0
FOLDS = 8
SYNTHETIC_WEIGHT = 0.5
"""Weight of all synthetic pairs together, relative to all own ones."""


class Kernel:
    """A logistic model over likenesses to landmarks, the centres of what it learns from."""

    def __init__(self, x: Any, y: Any, weights: Any) -> None:
        self.mean = x.mean(axis=0)
        self.scale = 1 / np.maximum(x.std(axis=0), 1e-6)
        scaled = (x - self.mean) * self.scale
        groups = KMeans(LANDMARKS, n_init=1, random_state=SEED).fit(scaled, sample_weight=weights)
        self.landmarks = groups.cluster_centers_
        # The kernel between landmarks whitens the likenesses (Nystroem), so that one penalty fits.
        values, vectors = np.linalg.eigh(_likeness(self.landmarks, self.landmarks))
        white = vectors / np.sqrt(np.maximum(values, 1e-4))
        layer = LogisticRegression(C=STRENGTH, max_iter=5_000)
        layer.fit(_likeness(scaled, self.landmarks) @ white, y, sample_weight=weights)
        self.weights = layer.coef_ @ white.T
        self.biases = layer.intercept_

    def probabilities(self, x: Any) -> Any:
        near = _likeness((x - self.mean) * self.scale, self.landmarks)
        scores = near @ self.weights.T + self.biases
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


def _likeness(x: Any, landmarks: Any) -> Any:
    gaps = ((x[:, None, :] - landmarks[None]) ** 2).sum(axis=2)
    return np.exp(-GAMMA * gaps)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def hand_written() -> list[list[str]]:
    """Rows of label, language, a, b."""
    path = Path(__file__).with_name("conflicts_pairs.tsv")
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def matrix(pairs: list[tuple[str, str]]) -> tuple[Any, Any]:
    """Features of the pairs, and whether each has grounds for a contradiction."""
    found = [gather(a, b) for a, b in pairs]
    return np.array([features(e) for e in found]), np.array([bool(grounds(e)) for e in found])


def decide(probabilities: Any, grounded: Any) -> Any:
    probabilities = probabilities.copy()
    probabilities[~grounded, LABELS.index("contradiction")] = 0
    return probabilities.argmax(axis=1)


def train(x: Any, y: Any, hand_x: Any, hand_y: Any, made_x: Any, made_y: Any) -> Kernel:
    share = SYNTHETIC_WEIGHT * len(x) / len(made_x)
    weights = np.r_[np.ones(len(x) + len(hand_x)), np.full(len(made_x), share)]
    return Kernel(np.r_[x, hand_x, made_x], np.r_[y, hand_y, made_y], weights / weights.mean())


def own_pairs() -> tuple[Any, Any, Any, Any]:
    """Pairs beside the labelled ones, hand-written and made, each with its labels."""
    made = make_pairs(SEED, PER_FRAME)
    made_x, _ = matrix([(pair.a, pair.b) for pair in made])
    made_y = np.array([LABELS.index(pair.label) for pair in made])
    hand = hand_written()
    hand_x, _ = matrix([(row[2], row[3]) for row in hand])
    hand_y = np.array([LABELS.index(row[0]) for row in hand])
    return hand_x, hand_y, made_x, made_y


def cross_validated(rows: list[dict[str, Any]], *, seeds: int = 3) -> dict[str, float]:
    """Macro F1 by language, each pair judged by a model that never saw it: a mean over shuffles."""
    y = np.array([LABELS.index(row["label"]) for row in rows])
    x, grounded = matrix([(row["a"], row["b"]) for row in rows])
    rest = own_pairs()
    languages = np.array([row["lang"] for row in rows])
    found: dict[str, list[float]] = {name: [] for name in sorted(set(languages.tolist()))}
    strata = np.char.add(languages, y.astype(str))
    folds = int(min(FOLDS, np.unique(strata, return_counts=True)[1].min()))
    if folds < 2:
        return {}
    for seed in range(seeds):
        guess = np.zeros(len(y), dtype=int)
        split = StratifiedKFold(folds, shuffle=True, random_state=seed)
        for learn, test in split.split(x, strata):
            kernel = train(x[learn], y[learn], *rest)
            guess[test] = decide(kernel.probabilities(x[test]), grounded[test])
        for name, scores in found.items():
            one = languages == name
            scores.append(float(f1_score(y[one], guess[one], average="macro")))
    return {name: sum(scores) / len(scores) for name, scores in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    rows = rows_of(parser.parse_args().data / "own_conflicts.jsonl")
    for name, score in cross_validated(rows).items():
        print(f"macro F1 {name} {score:.3f}")
    y = np.array([LABELS.index(row["label"]) for row in rows])
    x, _ = matrix([(row["a"], row["b"]) for row in rows])
    kernel = train(x, y, *own_pairs())
    out = Path(__file__).parents[1] / "hindsight_core" / "guard" / "conflicts_model.json"
    rounded = {
        "features": FEATURES,
        "means": kernel.mean.round(4).tolist(),
        "scales": kernel.scale.round(4).tolist(),
        "gamma": GAMMA,
        "landmarks": kernel.landmarks.round(3).tolist(),
        "weights": kernel.weights.round(4).tolist(),
        "biases": kernel.biases.round(4).tolist(),
    }
    out.write_text(json.dumps(rounded, separators=(",", ":")) + "\n", "utf-8")
    print(f"{out.name}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
