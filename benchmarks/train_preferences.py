"""Learn the weights of `hindsight_core/capture/languages/CODE.json` from the project's own texts.

`python -m benchmarks.train_preferences` cross-validates and prints; with `--write` it also learns
from all texts and writes the weights. The model is the one that `preferences.score` applies:
logistic regression over classes and tf-idf grams with a ridge penalty, where a class that the table
says can only speak for (or against) a lasting statement keeps that sign. A text that lasts is
represented by its likeliest sentence, a text that does not by all of its sentences, and the choice
is repeated with the weights learnt so far (multiple-instance learning). Everything is
deterministic; no row of a measured data set is read.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from benchmarks.preference_corpus import Example, examples
from hindsight_core.capture import languages
from hindsight_core.capture.preferences.features import compiled
from hindsight_core.capture.preferences.score import FEW_SENTENCES, parts_of, with_context
from hindsight_core.capture.preferences.text import mask, sentences, window

PENALTY_CLASSES = 2.0
PENALTY_GRAMS = 2.0
SCALE = 4.0
"""Length of the gram vector; with the two penalties it says how far grams count beside classes."""
RARE_GRAM = 3
RARE_CLASS = 2
MADE_WEIGHT = 0.3
"""A text of the grammar counts so much of one that was written by hand."""
ROUNDS = 3
FOLDS = 5


@dataclass(slots=True, kw_only=True)
class Matrix:
    """All sentences as rows; `spans` are the rows of each text."""

    code: str
    rows: sparse.csr_matrix
    spans: list[tuple[int, int]]
    class_names: list[str]
    gram_names: list[str]
    idf: np.ndarray


def sentences_of(code: str, text: str) -> list[tuple[set[str], set[str]]]:
    """Return the classes, context included, and the grams of each sentence of a text."""
    considered = window(text)
    parts = [
        part for part in parts_of(sentences(considered, mask(considered))) if part.code == code
    ]
    rows = with_context(parts)
    return [(row, part.grams) for row, part in zip(rows, parts, strict=True)]


def matrix_of(code: str, texts: list[Example]) -> Matrix:
    """Return the sentences of all texts as one matrix."""
    found = [sentences_of(code, example.text) for example in texts]
    class_count: Counter[str] = Counter()
    gram_count: Counter[str] = Counter()
    for example, rows in zip(texts, found, strict=True):
        class_count.update({name for row, _ in rows for name in row})
        if not example.made:
            gram_count.update({gram for _, row in rows for gram in row})
    written = sum(not example.made for example in texts)
    class_names = sorted(name for name, count in class_count.items() if count >= RARE_CLASS)
    gram_names = sorted(gram for gram, count in gram_count.items() if count >= RARE_GRAM)
    idf = np.array([math.log(written / gram_count[gram]) + 1.0 for gram in gram_names])
    class_at = {name: at for at, name in enumerate(class_names)}
    gram_at = {gram: at for at, gram in enumerate(gram_names)}
    data: list[float] = []
    indices: list[int] = []
    pointers = [0]
    spans: list[tuple[int, int]] = []
    for rows in found:
        begin = len(pointers) - 1
        for names, grams in rows:
            held = sorted(class_at[name] for name in names if name in class_at)
            runs = sorted(gram_at[gram] for gram in grams if gram in gram_at)
            length = math.sqrt(float(np.sum(idf[runs] ** 2))) or 1.0
            data += [1.0] * len(held) + [SCALE * idf[run] / length for run in runs]
            indices += held + [len(class_names) + run for run in runs]
            pointers.append(len(indices))
        spans.append((begin, len(pointers) - 1))
    shape = (len(pointers) - 1, len(class_names) + len(gram_names))
    return Matrix(
        code=code,
        rows=sparse.csr_matrix((data, indices, pointers), shape=shape),
        spans=spans,
        class_names=class_names,
        gram_names=gram_names,
        idf=idf,
    )


def bounds_of(matrix: Matrix) -> list[tuple[float | None, float | None]]:
    """Return the sign that each weight must keep: that of its class in the table, if it has one."""
    language = compiled(matrix.code).language
    signs: list[tuple[float | None, float | None]] = []
    for name in matrix.class_names:
        low = 0.0 if name in language.speaks_for else None
        signs.append((low, 0.0 if name in language.speaks_against else None))
    return signs + [(None, None)] * (len(matrix.gram_names) + 1)


def learn(matrix: Matrix, texts: list[Example], chosen: list[int]) -> np.ndarray:
    """Return the weights learnt from the chosen texts, the bias last."""
    classes, columns = len(matrix.class_names), matrix.rows.shape[1]
    penalty = np.full(columns + 1, PENALTY_GRAMS)
    penalty[:classes] = PENALTY_CLASSES
    penalty[-1] = 1e-4
    bounds = bounds_of(matrix)
    weights = np.zeros(columns + 1)
    for turn in range(ROUNDS):
        rows: list[int] = []
        sign: list[float] = []
        count: list[float] = []
        for at in chosen:
            begin, end = matrix.spans[at]
            weight = MADE_WEIGHT if texts[at].made else 1.0
            if begin == end:
                continue
            if not texts[at].lasts:
                rows += range(begin, end)
                sign += [-1.0] * (end - begin)
                count += [weight * min(1.0, 2.0 / (end - begin))] * (end - begin)
            elif turn or end - begin == 1:
                rows.append(begin + int(np.argmax(matrix.rows[begin:end] @ weights[:-1])))
                sign.append(1.0)
                count.append(weight)
        table = matrix.rows[rows]
        weights = _fit(table, np.array(sign), np.array(count), penalty, bounds, weights)
    return weights


def _fit(
    table: sparse.csr_matrix,
    sign: np.ndarray,
    count: np.ndarray,
    penalty: np.ndarray,
    bounds: list[tuple[float | None, float | None]],
    start: np.ndarray,
) -> np.ndarray:
    across = table.T.tocsr()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (table @ weights[:-1] + weights[-1])
        value = float(count @ np.logaddexp(0.0, -margin) + 0.5 * penalty @ weights**2)
        pull = -(count * sign) / (1.0 + np.exp(margin))
        slope = np.concatenate([across @ pull, [pull.sum()]]) + penalty * weights
        return value, slope

    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200}
    )
    return found.x


def probabilities(matrix: Matrix, weights: np.ndarray, chosen: list[int]) -> np.ndarray:
    """Return the probability of each chosen text, that of its likeliest sentence."""
    scores = matrix.rows @ weights[:-1] + weights[-1]
    result: list[float] = []
    for at in chosen:
        begin, end = matrix.spans[at]
        if begin == end:
            result.append(0.0)
            continue
        best = scores[begin:end].max() - max(0.0, math.log((end - begin) / FEW_SENTENCES))
        result.append(1.0 / (1.0 + math.exp(-best)))
    return np.array(result)


def cross_validate(matrix: Matrix, texts: list[Example]) -> dict[str, float]:
    """Return F1, precision and recall over the texts written by hand, each judged by a model that
    did not see it."""
    written = [at for at, example in enumerate(texts) if not example.made]
    made = [at for at, example in enumerate(texts) if example.made]
    hits: Counter[tuple[bool, bool]] = Counter()
    for fold in range(FOLDS):
        held = written[fold::FOLDS]
        rest = [at for place, at in enumerate(written) if place % FOLDS != fold]
        judged = probabilities(matrix, learn(matrix, texts, rest + made), held) >= 0.5
        hits.update((texts[at].lasts, bool(yes)) for at, yes in zip(held, judged, strict=True))
    precision = hits[True, True] / max(1, hits[True, True] + hits[False, True])
    recall = hits[True, True] / max(1, hits[True, True] + hits[True, False])
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return {"f1": f1, "precision": precision, "recall": recall}


def write(matrix: Matrix, weights: np.ndarray) -> Path:
    """Write the weights where the package reads them."""
    classes = len(matrix.class_names)
    kept = {
        name: round(float(weight), 3)
        for name, weight in zip(matrix.class_names, weights[:classes], strict=True)
        if abs(weight) >= 0.005
    }
    grams = {
        gram: [round(float(SCALE * weight * idf), 3), round(float(idf * idf), 2)]
        for gram, weight, idf in zip(
            matrix.gram_names, weights[classes:-1], matrix.idf, strict=True
        )
    }
    lines = ",\n".join(
        f"{json.dumps(gram, ensure_ascii=False)}: {json.dumps(value)}"
        for gram, value in grams.items()
    )
    head = json.dumps({"bias": round(float(weights[-1]), 3), "classes": kept}, ensure_ascii=False)
    path = Path(languages.__file__).parent / f"{matrix.code}.json"
    path.write_text(f'{head[:-1]},\n"grams": {{\n{lines}\n}}}}\n', encoding="utf-8")
    return path


def main() -> None:
    """Cross-validate, and write the weights when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="learn from all texts and write")
    parser.add_argument("--skip-validation", action="store_true", help="do not cross-validate")
    options = parser.parse_args()
    for code in languages.CODES:
        texts = examples(code)
        matrix = matrix_of(code, texts)
        if not options.skip_validation:
            figures = cross_validate(matrix, texts)
            print(code, len(texts), "texts", {k: round(v, 3) for k, v in figures.items()})
        if options.write:
            print(write(matrix, learn(matrix, texts, list(range(len(texts))))).name)


if __name__ == "__main__":
    main()
