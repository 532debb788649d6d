"""Vectors of queries are made once, ahead where asked, and never make a run wait."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hindsight_core import Hindsight
from hindsight_core.engine.query_vectors import QueryVectors
from hindsight_core.ports import IndexInfo
from hindsight_core.schema import Scope


class Counting:
    """Counts what it is asked, and answers when the gate is open."""

    info = IndexInfo(model="counting", dimension=4, relevance=0.3, same_subject=0.8)

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), 4), np.float32) / 2

    def query(self, text: str) -> np.ndarray:
        self.gate.wait(10)
        self.asked.append(text)
        return np.ones(4, np.float32) / 2


def test_a_query_is_encoded_once_and_each_of_its_questions_apart() -> None:
    vectors, embedder = QueryVectors(), Counting()
    for _ in range(2):
        encoded = vectors.encoded(embedder, "Who is he? Also, where is she?", None)
        assert encoded is not None
        assert encoded.query("Who is he?").shape == (4,)
    assert embedder.asked == ["Who is he?", "where is she?"]


def test_what_was_prefetched_is_not_encoded_again() -> None:
    vectors, embedder = QueryVectors(), Counting()
    vectors.prefetch(embedder, "the port of the wiki")
    assert vectors.encoded(embedder, "the port of the wiki", None) is not None
    assert embedder.asked == ["the port of the wiki"]


def test_a_vector_that_comes_too_late_serves_the_next_recall() -> None:
    vectors, embedder = QueryVectors(), Counting()
    embedder.gate.clear()
    assert vectors.encoded(embedder, "slow", 0.01) is None
    embedder.gate.set()
    assert vectors.encoded(embedder, "slow", None) is not None
    assert embedder.asked == ["slow"]


def test_a_failing_embedder_fails_the_recall_and_not_the_prefetch() -> None:
    class Broken(Counting):
        def query(self, text: str) -> np.ndarray:
            raise RuntimeError(text)

    vectors, embedder = QueryVectors(), Broken()
    vectors.prefetch(embedder, "x")
    with pytest.raises(RuntimeError, match="x"):
        vectors.encoded(embedder, "x", None)


def test_the_door_prefetches(tmp_path: Path) -> None:
    embedder = Counting()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        memory.prefetch("the port")
        memory.recall(Scope(user="me"), "the port")
    assert embedder.asked == ["the port"]
