"""Other memories on the same turns and with the same embedder; one that is absent is left out."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._retrieval_data import Conversation
from hindsight_core.ports import Embedder

Ranker = Callable[[str], list[str]]
"""From a question to the ids of turns, best first."""
DEPTH = 10


class CachedEmbedder:
    """Encodes each text once, however many peers and rows ask for it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.info = embedder.info
        self._passages: dict[str, np.ndarray] = {}
        self._queries: dict[str, np.ndarray] = {}

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self._passages]
        self._passages.update(zip(new, self._embedder.passages(new), strict=True))
        rows = [self._passages[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.info.dimension), np.float32)

    def query(self, text: str) -> np.ndarray:
        if text not in self._queries:
            self._queries[text] = self._embedder.query(text)
        return self._queries[text]


def texts(conversation: Conversation) -> list[str]:
    """What a peer is given: the words, after the name of who said them."""
    return [f"{t.speaker}: {t.text}" if t.speaker else t.text for t in conversation.turns]


def available(embedder: CachedEmbedder) -> dict[str, Callable[[Conversation], Any]]:
    """A context manager for each peer, which fills it with a conversation and gives a ranker."""
    peers = {"vectors": lambda conversation: _vectors(conversation, embedder)}
    if find_spec("bm25s"):
        peers["bm25s"] = _bm25s
    if find_spec("langgraph"):
        peers["langgraph"] = lambda conversation: _langgraph(conversation, embedder)
    if find_spec("mem0"):
        peers["mem0"] = lambda conversation: _mem0(conversation, embedder)
    return peers


@contextmanager
def _vectors(conversation: Conversation, embedder: CachedEmbedder) -> Iterator[Ranker]:
    matrix = embedder.passages(texts(conversation))
    ids = [turn.id for turn in conversation.turns]

    def rank(question: str) -> list[str]:
        scores = matrix @ embedder.query(question)
        return [ids[i] for i in np.argsort(-scores, kind="stable")[:DEPTH]]

    yield rank


@contextmanager
def _bm25s(conversation: Conversation) -> Iterator[Ranker]:
    import bm25s

    from hindsight_core.text import terms

    logging.getLogger("bm25s").setLevel(logging.ERROR)
    ids = [turn.id for turn in conversation.turns]
    index = bm25s.BM25()
    # The same terms as ours (stems, and bigrams of Chinese): its own tokenizer knows no Chinese.
    index.index([terms(text) for text in texts(conversation)], show_progress=False)

    def rank(question: str) -> list[str]:
        known = [term for term in terms(question) if term in index.vocab_dict]
        if not known:
            return []
        found, scores = index.retrieve([known], k=min(DEPTH, len(ids)), show_progress=False)
        return [ids[int(i)] for i, score in zip(found[0], scores[0], strict=True) if score > 0]

    yield rank


@contextmanager
def _langgraph(conversation: Conversation, embedder: CachedEmbedder) -> Iterator[Ranker]:
    from langchain_core.embeddings import Embeddings
    from langgraph.store.memory import InMemoryStore

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embedder.passages(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return embedder.query(text).tolist()

    store = InMemoryStore(
        index={"dims": embedder.info.dimension, "embed": Ours(), "fields": ["text"]}
    )
    for turn, text in zip(conversation.turns, texts(conversation), strict=True):
        store.put(("turns",), turn.id, {"text": text})

    def rank(question: str) -> list[str]:
        return [one.key for one in store.search(("turns",), query=question, limit=DEPTH)]

    yield rank


@contextmanager
def _mem0(conversation: Conversation, embedder: CachedEmbedder) -> Iterator[Ranker]:
    with tempfile.TemporaryDirectory() as folder, open_mem0(Path(folder), embedder) as memory:
        for turn, text in zip(conversation.turns, texts(conversation), strict=True):
            memory.add(text, user_id=conversation.id, metadata={"turn": turn.id}, infer=False)

        def rank(question: str) -> list[str]:
            found = memory.search(question, filters={"user_id": conversation.id}, top_k=DEPTH)
            return [one["metadata"]["turn"] for one in found["results"]]

        yield rank


@contextmanager
def open_mem0(folder: Path, embedder: Embedder) -> Iterator[Any]:
    """mem0 with its default local store and with our embedder in the place of its own."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(folder / "mem0")
    logging.getLogger("mem0").setLevel(logging.CRITICAL)
    from mem0 import Memory

    class Ours:
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            if memory_action == "search":
                return embedder.query(text).tolist()
            return embedder.passages([text])[0].tolist()

        def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
            return [self.embed(text, memory_action) for text in texts]

    unused = {"api_key": "unused"}
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "embedding_model_dims": embedder.info.dimension,
                },
            },
            "history_db_path": str(folder / "history.db"),
            "llm": {"provider": "openai", "config": unused},
            "embedder": {"provider": "openai", "config": unused},
        }
    )
    memory.embedding_model = Ours()
    try:
        yield memory
    finally:
        memory.vector_store.client.close()
        memory.close()
