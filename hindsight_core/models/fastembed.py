"""Embeddings on ONNX Runtime through the `fastembed` package, which fetches weights from a hub."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hindsight_core.errors import ModelError
from hindsight_core.models._hub import HubEmbedder

__all__ = ["FastEmbedEmbedder"]


class FastEmbedEmbedder(HubEmbedder):
    """Any text model of fastembed; the weights are fetched and loaded at the first use.

    `options` go to `fastembed.TextEmbedding` (`cache_dir`, `threads`, `specific_model_path` …).
    Reading `info` loads the model, which alone knows its dimension. Safe to call from several
    threads. Raises `MissingExtraError` at once, `ModelError` where the weights cannot be had.
    """

    extra = "fastembed"
    module = "fastembed"

    def __init__(
        self,
        model: str = "BAAI/bge-small-en-v1.5",
        *,
        relevance: float = 0.5,
        same_subject: float = 0.75,
        max_bytes: int = 2_048,
        **options: Any,
    ) -> None:
        super().__init__(model, (relevance, same_subject), max_bytes, options)

    def _load(self) -> Any:
        library: Any = import_module("fastembed")
        try:
            return library.TextEmbedding(self._name, **self._options)
        except Exception as error:
            raise ModelError(f"fastembed could not load {self._name!r}: {error}") from error

    def _dimension(self, model: Any) -> int:
        return int(model.embedding_size)

    def _encode_passages(self, model: Any, texts: list[str]) -> Any:
        return list(model.passage_embed(texts))

    def _encode_query(self, model: Any, text: str) -> Any:
        return next(iter(model.query_embed([text])))
