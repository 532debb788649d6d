"""Embeddings from any OpenAI-compatible endpoint, through the `openai` package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.errors import ConfigurationError, ModelError
from hindsight_core.models._local import cap, require, unit_rows
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from openai import OpenAI

    from hindsight_core.ports import Matrix

__all__ = ["OpenAIEmbedder", "open_client"]

_NATIVE: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


class OpenAIEmbedder:
    """Encodes through `POST {base_url}/embeddings`: OpenAI, Azure, vLLM, Ollama and others.

    `dimension` is the length of the vectors; known for OpenAI's own models, otherwise it must be
    given. With `reduce` (or another length than the native one) the endpoint is asked to shorten
    its vectors to it. Requests hold `batch_size` texts, are retried `max_retries` times with
    growing pauses on 408, 409, 429 and 5xx, and travel as base64 unless `encoding_format` is
    `float`, for servers that know no other. `query_prefix` and `passage_prefix` are for models
    that want them. `relevance` and `same_subject` are cosines that belong to the model: calibrate
    them. Pass `client` to bring your own, e.g. `AzureOpenAI`. Raises `MissingExtraError`,
    `ConfigurationError`, and `ModelError` for an answer that cannot be used.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimension: int | None = None,
        reduce: bool = False,
        batch_size: int = 128,
        max_retries: int = 3,
        timeout: float = 20.0,
        encoding_format: str = "base64",
        query_prefix: str = "",
        passage_prefix: str = "",
        max_bytes: int = 8_000,
        relevance: float = 0.3,
        same_subject: float = 0.6,
        client: OpenAI | None = None,
    ) -> None:
        require("openai", "numpy", "openai")
        native = _NATIVE.get(model)
        length = dimension or native
        if length is None or length < 1:
            raise ConfigurationError(
                f"dimension: the length of the vectors of {model!r} is not known. "
                "Pass OpenAIEmbedder(model, dimension=...)"
            )
        if encoding_format not in ("base64", "float"):
            raise ConfigurationError("encoding_format: must be 'base64' or 'float'")
        if batch_size < 1:
            raise ConfigurationError("batch_size: must be at least 1")
        self._info = IndexInfo(
            model=f"openai:{model}",
            dimension=length,
            relevance=relevance,
            same_subject=same_subject,
        )
        self._model = model
        self._batch_size = batch_size
        self._prefixes = (passage_prefix, query_prefix)
        self._max_bytes = max_bytes
        self._options: dict[str, Any] = {}
        if reduce or (native is not None and length != native):
            self._options["dimensions"] = length
        if encoding_format == "float":
            # The client asks for base64, and decodes it, when it is told nothing.
            self._options["encoding_format"] = "float"
        self._client = client or open_client(base_url, api_key, max_retries, timeout)

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and thresholds."""
        return self._info

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), dimension), float32, unit rows."""
        import numpy as np

        rows = np.empty((len(texts), self._info.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            part = [self._prefixes[0] + text for text in texts[start : start + self._batch_size]]
            rows[start : start + len(part)] = self._encode(part)
        return rows

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (dimension,), float32, unit length."""
        return self._encode([self._prefixes[1] + text])[0]

    def _encode(self, texts: list[str]) -> Matrix:
        import numpy as np
        from openai import OpenAIError

        capped = [cap(text, self._max_bytes) for text in texts]
        try:
            answer = self._client.embeddings.create(
                model=self._model, input=capped, **self._options
            )
        except OpenAIError as error:
            raise ModelError(f"the endpoint for {self._model!r} failed: {error}") from error
        data = sorted(answer.data, key=lambda item: item.index)
        if [item.index for item in data] != list(range(len(texts))):
            raise ModelError(
                f"the endpoint for {self._model!r} answered {len(data)} vectors "
                f"to {len(texts)} texts"
            )
        lengths = {len(item.embedding) for item in data}
        if lengths != {self._info.dimension}:
            raise ModelError(
                f"{self._model!r} answers vectors of length {sorted(lengths)}, "
                f"not {self._info.dimension}. Pass dimension={max(lengths)}"
            )
        rows = np.array([item.embedding for item in data], dtype=np.float32)
        if not np.isfinite(rows).all():
            raise ModelError(f"{self._model!r} answered a vector that is not finite")
        return unit_rows(rows)


def open_client(
    base_url: str | None, api_key: str | None, max_retries: int, timeout: float
) -> OpenAI:
    """Open a client; raises `MissingExtraError` and `ConfigurationError`."""
    require("openai", "openai", "openai")
    from openai import OpenAI, OpenAIError

    if base_url is not None and api_key is None:
        # Servers on one's own machine take any key, the client refuses none at all.
        api_key = "not-needed"
    try:
        return OpenAI(base_url=base_url, api_key=api_key, max_retries=max_retries, timeout=timeout)
    except OpenAIError as error:
        raise ConfigurationError(f"openai: {error}") from error
