"""Embeddings on ONNX Runtime through the `fastembed` package, which fetches weights from a hub."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hindsight_core.errors import ModelError
from hindsight_core.models._local import SLICE, Turnstile, cap, require, unit_rows
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["FastEmbedEmbedder"]


class FastEmbedEmbedder:
    """Any text model of fastembed; the weights are fetched and loaded at the first use.

    `options` go to `fastembed.TextEmbedding` (`cache_dir`, `threads`, `specific_model_path` …).
    Reading `info` loads the model, which alone knows its dimension. Safe to call from several
    threads. Raises `MissingExtraError` at once, `ModelError` where the weights cannot be had.
    """

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        relevance: float = 0.5,
        same_subject: float = 0.75,
        max_bytes: int = 2_048,
        **options: Any,
    ) -> None:
        require("fastembed", "numpy", "fastembed")
        self._name = model
        self._thresholds = (relevance, same_subject)
        self._max_bytes = max_bytes
        self._options = options
        self._turnstile = Turnstile()
        self._loading = threading.Lock()
        self._model: Any = None

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and thresholds."""
        return IndexInfo(
            model=f"fastembed:{self._name}",
            dimension=int(self._loaded().embedding_size),
            relevance=self._thresholds[0],
            same_subject=self._thresholds[1],
        )

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), dimension), float32, unit rows."""
        import numpy as np

        model = self._loaded()
        rows = np.empty((len(texts), int(model.embedding_size)), dtype=np.float32)
        for start in range(0, len(texts), SLICE * 4):
            part = [cap(text, self._max_bytes) for text in texts[start : start + SLICE * 4]]
            with self._turnstile.passages():
                rows[start : start + len(part)] = list(model.passage_embed(part))
        return unit_rows(rows)

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (dimension,), float32, unit length."""
        import numpy as np

        model = self._loaded()
        with self._turnstile.question():
            found = next(iter(model.query_embed([cap(text, self._max_bytes)])))
        return unit_rows(np.asarray(found, dtype=np.float32)[None])[0]

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                library: Any = import_module("fastembed")
                try:
                    self._model = library.TextEmbedding(self._name, **self._options)
                except Exception as error:
                    raise ModelError(f"fastembed could not load {self._name!r}: {error}") from error
            return self._model
