"""How much of what answers a question is among the first memories: LoCoMo and MemDaily.

Every turn is one memory; a question's recall at k is the share of its relevant turns among the
first k that retrieval lets through. Ours goes through the embedded store and `retrieve`, threshold
and all; each peer gets the same turns and the same embedder.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks._peers import DEPTH, CachedEmbedder, Ranker, available
from benchmarks._retrieval_data import NOW, Conversation, memories, read, scope
from hindsight_core.models import default_embedder
from hindsight_core.ports import Where
from hindsight_core.recall import retrieve
from hindsight_core.schema import Memory
from hindsight_core.stores import SqliteStore

LOCOMO = "retrieval_locomo_en.jsonl"
MEMDAILY = "retrieval_memdaily_zh.jsonl"
_BATCH = 256


def measure(data: Path, *, peers: bool = True) -> dict[str, dict[str, Any]]:
    """Return `figures` and `peers` for the files that the folder has."""
    found = default_embedder()
    if found is None:
        raise SystemExit("retrieval needs an embedder: pip install 'hindsight-core[embed]'")
    embedder = CachedEmbedder(found)
    rankers: dict[str, Callable[[Conversation], Any]] = {
        "ours": lambda conversation: _ours(conversation, embedder)
    }
    if peers:
        rankers |= available(embedder)
    results: dict[str, dict[str, float]] = {name: {} for name in rankers}
    for file, summarise in ((LOCOMO, _locomo), (MEMDAILY, _memdaily)):
        if (data / file).exists():
            conversations = read(data / file)
            for name, make in rankers.items():
                results[name] |= summarise(_answers(conversations, make))
    return {"figures": results.pop("ours"), "peers": results}


Answer = tuple[str, dict[int, float]]
"""The category of a question, and its recall at 5 and at 10."""


def _answers(
    conversations: Sequence[Conversation], make: Callable[[Conversation], Any]
) -> list[Answer]:
    answers: list[Answer] = []
    for conversation in conversations:
        with make(conversation) as rank:
            for query in conversation.queries:
                ids = rank(query.text)
                recall = {
                    k: len(query.relevant.intersection(ids[:k])) / len(query.relevant)
                    for k in (5, DEPTH)
                }
                answers.append((query.category, recall))
    return answers


def _locomo(answers: list[Answer]) -> dict[str, float]:
    return {
        "locomo.r5": fmean(recall[5] for _, recall in answers),
        "locomo.r10": fmean(recall[10] for _, recall in answers),
    }


def _memdaily(answers: list[Answer]) -> dict[str, float]:
    """The type of a question is the number with which its category begins."""
    types: dict[str, list[float]] = defaultdict(list)
    for category, recall in answers:
        types[category.partition("_")[0]].append(recall[5])
    return {
        "memdaily.r5": fmean(recall[5] for _, recall in answers),
        "memdaily.r5_worst_type": min(fmean(of_type) for of_type in types.values()),
    }


@contextmanager
def _ours(conversation: Conversation, embedder: CachedEmbedder) -> Iterator[Ranker]:
    prefix = len(conversation.id) + 1
    with searching(conversation, embedder, DEPTH) as search:
        yield lambda question: [memory.id[prefix:] for memory in search(question)]


@contextmanager
def searching(
    conversation: Conversation, embedder: CachedEmbedder, top_k: int
) -> Iterator[Callable[[str], list[Memory]]]:
    """Fill an embedded store with a conversation; give what finds memories of it, best first."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "memories.db")
        store.claim_index(embedder.info)
        store.put(memories(conversation))
        while waiting := store.unencoded(_BATCH):
            vectors = embedder.passages([text for _, text in waiting])
            store.add_vectors(
                (one, vector) for (one, _), vector in zip(waiting, vectors, strict=True)
            )

        def search(question: str) -> list[Memory]:
            found = retrieve(
                store, embedder, scope(conversation), question, Where(), top_k=top_k, now=NOW
            )
            return [one.memory for one in found.kept]

        yield search
        store.close()
