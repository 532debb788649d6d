"""Vectors of queries are made once, ahead where asked, and never make a run wait."""

from __future__ import annotations

import os
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
        self.gate.wait(300)
        self.asked.append(text)
        return np.ones(4, np.float32) / 2


def test_a_query_is_encoded_once_and_each_of_its_questions_apart() -> None:
    vectors, embedder = QueryVectors(), Counting()
    for _ in range(2):
        encoded = vectors.encoded(embedder, "Who is he? Also, where is she?", 30)
        assert encoded.query("Who is he?").shape == (4,)
    assert embedder.asked == ["Who is he?", "where is she?"]


def test_what_was_prefetched_is_not_encoded_again() -> None:
    vectors, embedder = QueryVectors(), Counting()
    vectors.prefetch(embedder, "the port of the wiki")
    vectors.encoded(embedder, "the port of the wiki", 30).query("the port of the wiki")
    assert embedder.asked == ["the port of the wiki"]


def test_a_vector_that_comes_too_late_serves_the_next_recall() -> None:
    vectors, embedder = QueryVectors(), Counting()
    embedder.gate.clear()
    late = vectors.encoded(embedder, "slow", 0.01)
    with pytest.raises(QueryLateError):
        late.query("slow")
    embedder.gate.set()
    vectors.encoded(embedder, "slow", 30).query("slow")
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
            assert searched.wait(60)  # or words were to wait for the vector
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
        vectors.encoded(embedder, "x", 30).query("x")
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
            slow.wait(300)
        else:
            time.sleep(0.05)  # what one takes, as far as is known
        next(steps)
        return np.ones(4, np.float32) / 2

    embedder.query = query  # type: ignore[method-assign]
    vectors.encoded(embedder, "the first", 30).query("the first")
    burst = [vectors.encoded(embedder, f"user {n}", 0.2) for n in range(60)]
    for n, one in enumerate(burst):
        with pytest.raises(QueryLateError):
            one.query(f"user {n}")
    slow.set()
    calm = vectors.encoded(embedder, "calm again", 30)
    assert calm.query("calm again").shape == (4,)
    assert next(steps) < 10


def test_one_slow_query_does_not_turn_the_next_ones_to_words() -> None:
    vectors, embedder = QueryVectors(), Counting()
    vectors.encoded(embedder, "while the model is loaded", 30).query("while the model is loaded")
    vectors._seconds = 1_000.0  # what loading took
    assert vectors.encoded(embedder, "the next", 30).query("the next").shape == (4,)


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
        assert hindsight.flush(60)
        found = hindsight.recall(me, "When is the staging database restored?")
        assert found.block
        assert hindsight.run(me, task="the staging database").context()
        assert set(hindsight.health().errors) == {"encode", "recall.query"}
        assert "SystemExit" in hindsight.health().last_error
        began = time.monotonic()
    assert time.monotonic() - began < 9  # closing waits ten for what is not encoded


def test_a_model_that_hangs_is_waited_for_once() -> None:
    vectors, embedder = QueryVectors(), Counting()
    embedder.gate.clear()
    with pytest.raises(QueryLateError):
        vectors.encoded(embedder, "the first", 0.2).query("the first")
    began = time.monotonic()
    for number in range(1_000):
        with pytest.raises(QueryLateError):
            vectors.encoded(embedder, f"number {number}", 0.1).query(f"number {number}")
    assert time.monotonic() - began < 60  # and not a hundred
    embedder.gate.set()
    vectors.encoded(embedder, "the last", 30).query("the last")
    assert embedder.asked == ["the first", "the last"]


def test_recall_by_hand_waits_for_no_model_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindsight_core.engine.queries.PATIENCE", 0.2)  # a minute
    embedder, me = Counting(), Scope(user="me")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        memory.remember(me, "The port of the wiki is 8080.")
        items = memory.items(me)
        items.put(("notes",), "wiki", {"text": "The port of the wiki is 8080."})
        assert memory.flush()
        embedder.gate.clear()
        embedder.gate.wait = lambda _: threading.Event().wait(60)  # type: ignore[method-assign]
        found = memory.recall(me, "the port of the wiki", patience=0.2)
        assert [one.content for one in found.memories] == ["The port of the wiki is 8080."]
        assert found.report.embedder == ""
        assert [item.score for item in items.search(("notes",), "the port")] == [None]
        assert memory.health().by_words == 2


@pytest.mark.swallows
def test_items_are_listed_where_the_embedder_fails(tmp_path: Path) -> None:
    class Broken(Counting):
        def query(self, text: str) -> np.ndarray:
            raise RuntimeError(text)

    with Hindsight.open(str(tmp_path / "m.db"), embedder=Broken()) as memory:
        items = memory.items(Scope(user="我"))
        items.put(("笔记",), "端口", {"text": "维基的端口是 8080。"})
        assert [item.key for item in items.search(("笔记",), "端口")] == ["端口"]
        assert memory.health().errors == {"recall.query": 1}
        assert memory.health().by_words == 1


def test_a_fork_while_a_query_is_encoded_leaves_the_child_nothing_to_wait_for() -> None:
    vectors, embedder = QueryVectors(), Counting()
    embedder.gate.clear()
    vectors.prefetch(embedder, "in the parent")
    while not vectors._waiting:
        time.sleep(0.01)
    vectors._lock.acquire()  # by a thread that the child does not have
    pid = os.fork()
    if pid == 0:  # pragma: no cover - another process
        embedder.gate.set()
        vectors.encoded(embedder, "in the child", 30).query("in the child")
        os._exit(0 if embedder.asked == ["in the child"] else 1)
    vectors._lock.release()
    embedder.gate.set()
    assert os.waitpid(pid, 0)[1] == 0
