"""A float32 matrix that grows without being copied, and the product of some of its rows.

float32 and not int8: numpy multiplies float32 through BLAS, int8 it must widen first, which cost
more than the bytes that it saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "Rows", "VectorMatrix", "best"]

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

_BLOCK: Final = 8_192
_DENSE: Final = 0.25
"""From this share of a block on, multiplying the whole block costs less than gathering rows."""


class VectorMatrix:
    """Rows of one dimension, in blocks of 8,192: growth adds a block and moves nothing."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._blocks: list[Matrix] = []

    @property
    def capacity(self) -> int:
        """How many rows there is room for."""
        return len(self._blocks) * _BLOCK

    def grow(self) -> None:
        """Make room for one more block of rows."""
        self._blocks.append(np.zeros((_BLOCK, self.dimension), np.float32))

    def write(self, rows: Rows, vectors: Matrix) -> None:
        """Set these rows; `vectors` has one for each."""
        number = rows // _BLOCK
        for block in np.unique(number):
            inside = number == block
            self._blocks[block][rows[inside] - block * _BLOCK] = vectors[inside]

    def scores(self, rows: Rows, vector: Matrix) -> Matrix:
        """Return the product of these rows (ascending) with a vector, shape (len(rows),)."""
        scores = np.empty(len(rows), np.float32)
        edges = np.searchsorted(rows, np.arange(len(self._blocks) + 1) * _BLOCK)
        for number, block in enumerate(self._blocks):
            start, end = int(edges[number]), int(edges[number + 1])
            if end - start == _BLOCK:
                np.dot(block, vector, out=scores[start:end])
            elif end - start >= _DENSE * _BLOCK:
                scores[start:end] = (block @ vector)[rows[start:end] - number * _BLOCK]
            elif end > start:
                scores[start:end] = block[rows[start:end] - number * _BLOCK] @ vector
        return scores


def best(scores: Matrix, limit: int) -> Sequence[int]:
    """Return the places of the `limit` highest scores, highest first."""
    if len(scores) > limit:
        found = np.argpartition(scores, len(scores) - limit)[-limit:]
    else:
        found = np.arange(len(scores))
    return found[np.argsort(-scores[found], kind="stable")].tolist()
