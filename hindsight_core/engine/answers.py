"""Checks what embedders and rerankers answer, before anything is built on it.

They are other people's code or other people's servers. A vector of the wrong length or of NaN, or
scores of half of the texts, is no answer; a list in place of an array is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.errors import ModelError
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["passage_vectors", "query_vector", "scores_of"]

_UNIT: Final = 0.98, 1.02
"""Squared lengths between which a vector counts as one of unit length."""


def query_vector(answer: Any, info: IndexInfo) -> Matrix:
    """Return the vector of a query; raises `ModelError` for what is none of this embedder's."""
    return _fit(answer, (info.dimension,), info)


def passage_vectors(answer: Any, count: int, info: IndexInfo) -> Matrix:
    """Return the vectors of `count` texts, one a row; raises `ModelError` for anything else."""
    return _fit(answer, (count, info.dimension), info)


def scores_of(answer: Any, count: int) -> list[float]:
    """Return a reranker's scores, one a text, each from 0 to 1; raises `ModelError` else."""
    try:
        scores = [float(score) for score in answer]
    except (TypeError, ValueError) as error:
        raise ModelError(f"the reranker did not answer with numbers: {error}") from error
    if len(scores) != count:
        raise ModelError(f"the reranker gave {len(scores)} scores for {count} texts")
    wrong = next((score for score in scores if not 0.0 <= score <= 1.0), None)
    if wrong is not None:  # NaN is in no range either
        raise ModelError(f"the reranker gave a score of {wrong:g}; scores are from 0 to 1")
    return scores


def _fit(answer: Any, shape: Sequence[int], info: IndexInfo) -> Matrix:
    import numpy as np  # the core does without it where no vectors are

    try:
        vectors = np.asarray(answer, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{info.model} did not answer with vectors: {error}") from error
    if vectors.shape != tuple(shape):
        raise ModelError(
            f"{info.model} answered with shape {vectors.shape} where {tuple(shape)} was due"
        )
    # A text without any known word has the zero vector, which is like nothing.
    lengths = np.sum(vectors * vectors, axis=-1)
    least, most = _UNIT
    if not bool(np.all((lengths == 0) | ((lengths > least) & (lengths < most)))):
        raise ModelError(f"{info.model} answered with a vector that is not of unit length, or NaN")
    return vectors
