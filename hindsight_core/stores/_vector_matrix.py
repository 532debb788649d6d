"""A float32 matrix that grows without being copied, and the product of some of its rows.

float32 and not int8: numpy multiplies float32 through BLAS, int8 it must widen first, which cost
more than the bytes that it saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "Rows", "VectorMatrix", "best", "longer"]

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

_BLOCK: Final = 131_072
"""Rows of one block. Few large ones: each product wakes BLAS's threads once, and the system gives
memory to the rows that are written only."""
_GATHERED: Final = 8_192
"""Rows that are copied together at most, where single rows are asked for."""
_DENSE: Final = 0.25
"""From this share of a range on, multiplying all of it costs less than copying rows out of it."""


class VectorMatrix:
    """Rows of one dimension, in blocks: growth adds a block and moves nothing."""

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
            if end > start:
                _multiply(block, rows[start:end] - number * _BLOCK, vector, scores[start:end])
        return scores


def _multiply(block: Matrix, rows: Rows, vector: Matrix, out: Matrix) -> None:
    first, last = int(rows[0]), int(rows[-1]) + 1
    if len(rows) == last - first:
        np.dot(block[first:last], vector, out=out)
    elif len(rows) >= _DENSE * (last - first):
        np.take(block[first:last] @ vector, rows - first, out=out)
    else:
        for start in range(0, len(rows), _GATHERED):
            some = slice(start, start + _GATHERED)
            # Not BLAS: for so few rows, waking its threads costs more than they save.
            np.einsum("ij,j->i", block[rows[some]], vector, out=out[some])


def best(scores: Matrix, limit: int) -> Sequence[int]:
    """Return the places of the `limit` highest scores, highest first."""
    if len(scores) > limit:
        found = np.argpartition(scores, len(scores) - limit)[-limit:]
    else:
        found = np.arange(len(scores))
    return found[np.argsort(-scores[found], kind="stable")].tolist()


def longer(column: NDArray[Any], size: int) -> NDArray[Any]:
    """Return a column with room for `size` rows, the new ones zero."""
    grown = np.zeros(size, column.dtype)
    grown[: len(column)] = column
    return grown
