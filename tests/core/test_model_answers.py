"""Embedders and rerankers that raise, hang or answer nonsense cost their own part of a recall."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.engine.answers import passage_vectors, query_vector, scores_of
from hindsight_core.errors import ModelError
from hindsight_core.ports import IndexInfo

ME = Scope(user="me")
TEXTS = ["The staging database is restored every Monday.", "预发布数据库每周一恢复。"]
ASKED = ["When is the staging database restored?", "预发布数据库什么时候恢复？"]


class Plain:
    """Answers as an embedder should, whatever is asked: all texts are alike."""

    info = IndexInfo(model="plain", dimension=4, relevance=0.3, same_subject=0.99)

    def passages(self, texts: Sequence[str]) -> Any:
        return np.eye(4, dtype=np.float32)[[len(text) % 4 for text in texts]]

    def query(self, text: str) -> Any:
        return np.array([1, 0, 0, 0], np.float32)


def raising(*_: object) -> Any:
    raise RuntimeError("out of memory")


BAD_QUERIES: dict[str, Callable[[object], Any]] = {
    "raises": raising,
    "NaN": lambda _: np.full(4, np.nan, np.float32),
    "too short": lambda _: np.array([1, 0, 0], np.float32),
    "a matrix": lambda _: np.eye(4, dtype=np.float32),
    "not of unit length": lambda _: np.full(4, 7, np.float32),
    "no numbers": lambda _: "a vector",
    "nothing": lambda _: None,
}


@pytest.mark.swallows
@pytest.mark.parametrize("query", BAD_QUERIES.values(), ids=BAD_QUERIES.keys())
def test_a_query_that_gets_no_vector_goes_by_words_and_health_says_so(
    tmp_path: Path, query: Callable[[object], Any]
) -> None:
    embedder = Plain()
    embedder.query = query  # type: ignore[method-assign]
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        for text in TEXTS:
            memory.remember(ME, text)
        for text, asked in zip(TEXTS, ASKED, strict=True):
            found = memory.recall(ME, asked)
            assert [one.content for one in found.memories] == [text]
            assert found.report.embedder == ""
        run = memory.run(ME, task=ASKED[0])
        run.user(ASKED[0])
        block = run.context()
        assert TEXTS[0] in (block.text if block else "")
        health = memory.health()
        run.finish(ok=True)
    assert health.by_words == 3
    assert health.errors["recall.query"] == 3
    assert not health.ok


def test_a_query_that_is_late_goes_by_words_and_is_counted_but_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindsight_core.engine.recorder._PATIENCE", 0.002)  # of a long deadline
    gate = threading.Event()

    class Slow(Plain):
        def query(self, text: str) -> Any:
            gate.wait(60)
            return super().query(text)

    with Hindsight.open(str(tmp_path / "m.db"), embedder=Slow()) as memory:
        memory.remember(ME, TEXTS[0])
        memory.flush()
        run = memory.run(ME, task=ASKED[0])
        run.user(ASKED[0])
        block = run.context()
        health = memory.health()
        gate.set()
        run.finish(ok=True)
    assert TEXTS[0] in (block.text if block else "")
    assert (health.by_words, health.errors, health.ok) == (1, {}, True)


def test_a_recall_with_its_vector_is_not_counted(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=Plain()) as memory:
        memory.remember(ME, TEXTS[0])
        assert memory.recall(ME, ASKED[0]).report.embedder == "plain"
        assert memory.health().by_words == 0


def test_lists_are_vectors_too(tmp_path: Path) -> None:
    class Lists(Plain):
        def passages(self, texts: Sequence[str]) -> Any:
            return super().passages(texts).astype(np.float64).tolist()

        def query(self, text: str) -> Any:
            return [1.0, 0.0, 0.0, 0.0]

    with Hindsight.open(str(tmp_path / "m.db"), embedder=Lists()) as memory:
        memory.remember(ME, TEXTS[0])
        assert memory.flush()
        assert memory.recall(ME, ASKED[0]).report.embedder == "plain"
        assert memory.health().unencoded == 0
        assert memory.health().ok


@pytest.mark.swallows
def test_one_text_that_cannot_be_encoded_keeps_no_other_waiting(tmp_path: Path) -> None:
    class Picky(Plain):
        refused = "unreadable"

        def passages(self, texts: Sequence[str]) -> Any:
            if any(self.refused and self.refused in text for text in texts):
                raise ValueError(texts)
            return super().passages(texts)

    embedder = Picky()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        memory.remember(ME, "An unreadable text.")
        for number in range(70):  # more than a batch
            memory.remember(ME, f"Shelf {number} holds {number * 7} boxes.")
        assert memory.flush()
        health = memory.health()
        assert health.unencoded == 1
        assert health.errors["encode"] >= 1
        Picky.refused = ""  # it is read after all, at the next time that something is encoded
        assert memory.flush()
        assert memory.health().unencoded == 0


@pytest.mark.swallows
def test_an_embedder_out_of_order_is_not_asked_for_every_text(tmp_path: Path) -> None:
    calls: list[int] = []
    down = True

    class Down(Plain):
        def passages(self, texts: Sequence[str]) -> Any:
            calls.append(len(texts))
            return raising() if down else super().passages(texts)

    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        for number in range(50):
            memory.remember(ME, f"Shelf {number} holds {number * 7} boxes.")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=Down()) as memory:
        assert memory.flush()
        assert len(calls) <= 4
        down = False
        assert memory.flush()
        assert memory.health().unencoded == 0


DAMAGE = {
    "empty": b"",
    "cut off": b"abc",
    "too long": bytes(400),
    "NaN": b"\xff" * 16,
    "huge": np.full(4, 1e30, "<f4").tobytes(),
}


@pytest.mark.parametrize("blob", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_vector_costs_no_recall_and_is_made_anew(tmp_path: Path, blob: bytes) -> None:
    path = tmp_path / "m.db"
    with Hindsight.open(str(path), embedder=Plain()) as memory:
        ids = [memory.remember(ME, text).id for text in TEXTS]
        memory.flush()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "UPDATE vectors SET vector = ? WHERE rid = (SELECT rid FROM memories WHERE id = ?)",
            (blob, ids[0]),
        )
    connection.close()
    with Hindsight.open(str(path), embedder=Plain()) as memory:
        found = memory.recall(ME, ASKED[0])
        assert [one.id for one in found.memories][:1] == ids[:1]
        for one in found.report.candidates:
            assert one.cosine is None or math.isfinite(one.cosine)
        memory.flush()
        again = memory.recall(ME, ASKED[0])
        assert all(one.cosine is not None for one in again.report.candidates)
        assert memory.health().unencoded == 0


BAD_SCORES: dict[str, Callable[[int], Any]] = {
    "raises": raising,
    "of half of the texts": lambda count: [0.5] * (count - 1),
    "NaN": lambda count: [math.nan] * count,
    "out of range": lambda count: [40.0] * count,
    "no numbers": lambda count: ["good"] * count,
    "nothing": lambda count: None,
}


@pytest.mark.swallows
@pytest.mark.parametrize("answer", BAD_SCORES.values(), ids=BAD_SCORES.keys())
def test_a_reranker_that_answers_nonsense_changes_nothing(
    tmp_path: Path, answer: Callable[[int], Any]
) -> None:
    class Odd:
        def scores(self, query: str, texts: Sequence[str]) -> Any:
            return answer(len(texts))

    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, reranker=Odd()) as memory:
        for text in TEXTS:
            memory.remember(ME, text)
        found = memory.recall(ME, ASKED[0])
        assert found.memories[0].content == TEXTS[0]
        assert "rerank" not in found.report.candidates[0].evidence
        assert memory.health().errors == {"rerank": 1}


def test_what_is_an_answer_is_taken() -> None:
    info = Plain.info
    assert query_vector([0, 1, 0, 0], info).dtype == np.float32
    assert query_vector(np.zeros(4), info).tolist() == [0, 0, 0, 0]
    assert passage_vectors(np.eye(4), 4, info).shape == (4, 4)
    assert scores_of((0, 1, np.float32(0.5)), 3) == [0.0, 1.0, 0.5]


@pytest.mark.parametrize("answer", [[], np.eye(3), np.eye(4)[:2], [[1, 0, 0, 0], [1, 0]]])
def test_vectors_that_do_not_fit_their_texts_are_none(answer: Any) -> None:
    with pytest.raises(ModelError, match="plain"):
        passage_vectors(answer, 4, Plain.info)
