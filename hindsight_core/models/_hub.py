"""What the embedders share whose library fetches the weights from a hub."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from hindsight_core.models._local import SLICE, Turnstile, cap, in_slices, require, unit_rows
from hindsight_core.ports import IndexInfo

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["HubEmbedder"]


class HubEmbedder(ABC):
    """A model that is loaded at its first use, and asked by one thread at a time.

    A subclass names its `extra` and `module` and tells how a model is loaded and asked.
    """

    extra: ClassVar[str]
    module: ClassVar[str]

    def __init__(
        self, model: str, thresholds: tuple[float, float], max_bytes: int, options: dict[str, Any]
    ) -> None:
        require(self.extra, "numpy", self.module)
        self._name = model
        self._thresholds = thresholds
        self._max_bytes = max_bytes
        self._options = options
        self._turnstile = Turnstile()
        self._loading = threading.Lock()
        self._model: Any = None

    @property
    def info(self) -> IndexInfo:
        """Model id, dimension and thresholds."""
        return IndexInfo(
            model=f"{self.extra}:{self._name}",
            dimension=self._dimension(self._loaded()),
            relevance=self._thresholds[0],
            same_subject=self._thresholds[1],
        )

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Encode texts to be found: shape (len(texts), dimension), float32, unit rows."""
        model = self._loaded()
        rows = in_slices(
            texts,
            lambda part: self._encode_passages(model, part),
            self._turnstile,
            dimension=self._dimension(model),
            size=SLICE * 4,
            limit=self._max_bytes,
        )
        return unit_rows(rows)

    def query(self, text: str) -> Matrix:
        """Encode one question: shape (dimension,), float32, unit length."""
        import numpy as np

        model = self._loaded()
        with self._turnstile.question():
            found = self._encode_query(model, cap(text, self._max_bytes))
        return unit_rows(np.asarray(found, dtype=np.float32)[None])[0]

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model

    @abstractmethod
    def _load(self) -> Any: ...

    @abstractmethod
    def _dimension(self, model: Any) -> int: ...

    @abstractmethod
    def _encode_passages(self, model: Any, texts: list[str]) -> Any: ...

    @abstractmethod
    def _encode_query(self, model: Any, text: str) -> Any: ...
