"""Embeddings and cross-encoders through the `sentence-transformers` package."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hindsight_core.errors import ModelError
from hindsight_core.models._hub import HubEmbedder
from hindsight_core.models._local import cap, require

__all__ = ["CrossEncoderReranker", "SentenceTransformerEmbedder"]


class SentenceTransformerEmbedder(HubEmbedder):
    """Any model of sentence-transformers, by name or by folder; loaded at the first use.

    Models that tell questions from passages are asked for both by their own prompts
    (`encode_query`, `encode_document`). `options` go to `SentenceTransformer` (`device`,
    `cache_folder`, `local_files_only` …). Reading `info` loads the model. Raises
    `MissingExtraError` at once, `ModelError` where the weights cannot be had.
    """

    extra = "sentence-transformers"
    module = "sentence_transformers"

    def __init__(
        self,
        model: str,
        *,
        relevance: float = 0.35,
        same_subject: float = 0.7,
        max_bytes: int = 2_048,
        **options: Any,
    ) -> None:
        super().__init__(model, (relevance, same_subject), max_bytes, options)

    def _load(self) -> Any:
        return _load("SentenceTransformer", self._name, self._options)

    def _dimension(self, model: Any) -> int:
        if hasattr(model, "get_embedding_dimension"):
            return int(model.get_embedding_dimension())
        return int(model.get_sentence_embedding_dimension())  # its name before release 5.4

    def _encode_passages(self, model: Any, texts: list[str]) -> Any:
        return model.encode_document(texts, show_progress_bar=False)

    def _encode_query(self, model: Any, text: str) -> Any:
        return model.encode_query(text, show_progress_bar=False)


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers behind the `Reranker` port.

    Scores are the model's logits through a sigmoid, so that they lie between 0 and 1. `options` go
    to `CrossEncoder`. Raises `MissingExtraError` at once, `ModelError` where the weights cannot be
    had.
    """

    def __init__(
        self, model: str, *, batch_size: int = 16, max_bytes: int = 2_048, **options: Any
    ) -> None:
        require("sentence-transformers", "numpy", "sentence_transformers")
        self._name = model
        self._batch_size = batch_size
        self._max_bytes = max_bytes
        self._options = options
        self._lock = threading.Lock()
        self._model: Any = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, larger is better, in the order of the texts."""
        if not texts:
            return []
        torch: Any = import_module("torch")
        question = cap(query, self._max_bytes)
        pairs = [(question, cap(text, self._max_bytes)) for text in texts]
        with self._lock:
            if self._model is None:
                self._model = _load("CrossEncoder", self._name, self._options)
            found = self._model.predict(
                pairs,
                batch_size=self._batch_size,
                show_progress_bar=False,
                activation_fn=torch.nn.Sigmoid(),
            )
        return [float(score) for score in found]


def _load(kind: str, name: str, options: dict[str, Any]) -> Any:
    library: Any = import_module("sentence_transformers")
    try:
        return getattr(library, kind)(name, **options)
    except Exception as error:
        raise ModelError(f"sentence-transformers could not load {name!r}: {error}") from error
