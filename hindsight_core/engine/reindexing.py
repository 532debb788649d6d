"""Embeds every record of a store anew, beside the index in use, and switches at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hindsight_core.ports import Embedder, Store

__all__ = ["reindex"]

_BATCH: Final = 64


def reindex(
    store: Store, embedder: Embedder, *, on_progress: Callable[[int, int], None] | None = None
) -> int:
    """Give every record a vector of this embedder; return how many were encoded.

    The store stays in use meanwhile: agents go on to search the old index and to write, and what
    they write is encoded too before the switch, which is one step. An interrupted call is gone on
    with by the next one of the same embedder. `on_progress` is called with the records that are
    done and with how many there are. Raises `StoreError` and `ModelError`.
    """
    tell = on_progress or _tell_nobody
    info = embedder.info
    known = store.index_info()
    if known is None or (known.model, known.dimension) == (info.model, info.dimension):
        return _fill(store, embedder, tell)
    left = store.begin_reindex(info)
    total = sum(store.count().values())
    encoded, done = 0, total - left
    tell(done, total)
    while True:
        rows = store.unindexed(info, _BATCH)
        if rows:
            vectors = embedder.passages([text for _, text in rows])
            ids = [one for one, _ in rows]
            store.add_reindexed(info, zip(ids, vectors, strict=True))
            encoded, done = encoded + len(rows), done + len(rows)
            total = max(total, done)
            tell(done, total)
        elif store.finish_reindex(info):
            return encoded


def _tell_nobody(*_: int) -> None:
    """Do nothing with the progress."""


def _fill(store: Store, embedder: Embedder, tell: Callable[[int, int], None]) -> int:
    """Encode what waits for a vector: the index is of this embedder already."""
    store.claim_index(embedder.info)
    total = sum(store.count().values())
    encoded = 0
    while rows := store.unencoded(_BATCH):
        vectors = embedder.passages([text for _, text in rows])
        store.add_vectors(zip([one for one, _ in rows], vectors, strict=True))
        encoded += len(rows)
        tell(encoded, max(total, encoded))
    tell(max(total, encoded), max(total, encoded))
    return encoded
