"""Vectors of queries are made once, ahead where asked, and never make a run wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight_core import Hindsight
from hindsight_core.engine.query_vectors import QueryFailedError, QueryLateError, QueryVectors
from hindsight_core.ports import IndexInfo, TextHit
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore


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
        assert encoded.query("Who is he?").shape == (4,)
    assert embedder.asked == ["Who is he?", "where is she?"]


def test_what_was_prefetched_is_not_encoded_again() -> None:
    vectors, embedder = QueryVectors(), Counting()
    vectors.prefetch(embedder, "the port of the wiki")
    vectors.encoded(embedder, "the port of the wiki", None).query("the port of the wiki")
    assert embedder.asked == ["the port of the wiki"]


def test_a_vector_that_comes_too_late_serves_the_next_recall() -> None:
    vectors, embedder = QueryVectors(), Counting()
    embedder.gate.clear()
    late = vectors.encoded(embedder, "slow", time.perf_counter() + 0.01)
    with pytest.raises(QueryLateError):
        late.query("slow")
    embedder.gate.set()
    vectors.encoded(embedder, "slow", None).query("slow")
    assert embedder.asked == ["slow"]


def test_the_store_is_searched_for_words_while_the_query_is_being_encoded(tmp_path: Path) -> None:
    embedder = Counting()
    searched = threading.Event()

    class Watched(SqliteStore):
        def match_text(self, *args: Any, **kwargs: Any) -> list[TextHit]:
            searched.set()
            return super().match_text(*args, **kwargs)

    class Waiting(Counting):
        def query(self, text: str) -> np.ndarray:
            assert searched.wait(10)  # or words were to wait for the vector
            return super().query(text)

    with Hindsight.open(store=Watched(str(tmp_path / "m.db")), embedder=Waiting()) as memory:
        memory.remember(Scope(user="me"), "The port of the wiki is 8080.")
        memory.flush()
        searched.clear()
        found = memory.recall(Scope(user="me"), "the port of the wiki")
    assert [one.content for one in found.memories] == ["The port of the wiki is 8080."]
    assert found.report.embedder == embedder.info.model


def test_a_failing_embedder_fails_the_query_and_not_the_prefetch() -> None:
    class Broken(Counting):
        def query(self, text: str) -> np.ndarray:
            raise RuntimeError(text)

    vectors, embedder = QueryVectors(), Broken()
    vectors.prefetch(embedder, "x")
    with pytest.raises(QueryFailedError) as failed:
        vectors.encoded(embedder, "x", None).query("x")
    assert isinstance(failed.value.__cause__, RuntimeError)


def test_the_door_prefetches(tmp_path: Path) -> None:
    embedder = Counting()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        memory.prefetch("the port")
        memory.recall(Scope(user="me"), "the port")
    assert embedder.asked == ["the port"]


def test_a_burst_goes_by_words_and_leaves_nothing_that_the_next_one_waits_for() -> None:
    vectors, embedder = QueryVectors(), Counting()
    steps = iter(range(1_000))
    slow = threading.Event()

    def query(text: str) -> np.ndarray:
        if text != "the first":
            slow.wait(10)
        else:
            time.sleep(0.05)  # what one takes, as far as is known
        next(steps)
        return np.ones(4, np.float32) / 2

    embedder.query = query  # type: ignore[method-assign]
    vectors.encoded(embedder, "the first", None).query("the first")
    in_a_moment = time.perf_counter() + 0.2
    burst = [vectors.encoded(embedder, f"user {n}", in_a_moment) for n in range(60)]
    for n, one in enumerate(burst):
        with pytest.raises(QueryLateError):
            one.query(f"user {n}")
    slow.set()
    calm = vectors.encoded(embedder, "calm again", None)
    assert calm.query("calm again").shape == (4,)
    assert next(steps) < 10


def test_one_slow_query_does_not_turn_the_next_ones_to_words() -> None:
    vectors, embedder = QueryVectors(), Counting()
    vectors.encoded(embedder, "while the model is loaded", None).query("while the model is loaded")
    vectors._seconds = 1_000.0  # what loading took
    soon = time.perf_counter() + 30
    assert vectors.encoded(embedder, "the next", soon).query("the next").shape == (4,)


class Ending(Counting):
    """Wants to end the program, as a command line program used as a library does."""

    def passages(self, texts):
        raise SystemExit(3)

    def query(self, text):
        raise SystemExit(3)


@pytest.mark.swallows
def test_an_embedder_that_wants_to_end_the_program_ends_neither_it_nor_a_thread(tmp_path):
    me = Scope(user="ada")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=Ending()) as hindsight:
        hindsight.remember(me, "The staging database is restored every Monday.")
        assert hindsight.flush(20)
        found = hindsight.recall(me, "When is the staging database restored?")
        assert found.block
        assert hindsight.run(me, task="the staging database").context()
        assert set(hindsight.health().errors) == {"encode", "recall.query"}
        assert "SystemExit" in hindsight.health().last_error
        began = time.monotonic()
    assert time.monotonic() - began < 5
