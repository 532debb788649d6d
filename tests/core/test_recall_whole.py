"""A whole recall through the door: filters, what was just written, and the explanation of it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.recall import RecallReport, candidate_table
from hindsight_core.schema import Kind, Memory, MemoryKey, MemoryValue, Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ME = Scope(user="me")


def memory(name: str, key: MemoryKey) -> Memory:
    return Memory(
        id=name,
        scope=ME,
        kind=Kind.FACT,
        source=Source.USER,
        trust=0.9,
        key=key,
        value=MemoryValue(content=f"The export of the report failed, case {name}."),
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.mark.parametrize(
    ("key", "where"),
    [
        (MemoryKey(entities=("退款",)), Where(entities=("退货",))),
        (MemoryKey(entities=("refund",)), Where(entities=("Refund",))),
        (MemoryKey(task_type="export"), Where(task_type="export")),
        (MemoryKey(tool_sequence=("open", "save")), Where(tool_sequence=("save",))),
        (MemoryKey(subject="report"), Where(subject="Report")),
        (
            MemoryKey(time=NOW - timedelta(days=9)),
            Where(since=NOW - timedelta(days=10), until=NOW - timedelta(days=8)),
        ),
    ],
)
def test_each_part_of_the_key_filters_hard(tmp_path: Path, key: MemoryKey, where: Where) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        hindsight.store.put([memory("right", key), memory("wrong", MemoryKey())])
        found = hindsight.recall(ME, "the export of the report", where=where)
        every = hindsight.recall(ME, "the export of the report")
    assert [one.id for one in found.memories] == ["right"]
    assert {one.memory_id for one in found.report.candidates} == {"right"}
    assert not found.report.widened
    assert len(every.memories) == 2


def test_a_filter_that_leaves_nothing_is_widened_and_the_newer_comes_first(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=lambda: NOW) as hindsight:
        old = memory("old", MemoryKey()).model_copy(update={"created_at": NOW - timedelta(days=90)})
        hindsight.store.put([old, memory("new", MemoryKey())])
        found = hindsight.recall(ME, "export of the report", where=Where(task_type="none such"))
    assert [one.id for one in found.memories] == ["new", "old"]
    assert found.report.widened
    assert "widened" in found.report.summary()


def test_the_explanation_names_every_candidate_with_parts_ranks_and_thresholds(
    tmp_path: Path,
) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=Bag()) as hindsight:
        for text in ("The wiki listens on port 8080.", "She drinks green tea.", "维基的端口"):
            hindsight.remember(ME, text)
        assert hindsight.flush()
        found = hindsight.recall(ME, "the wiki port 维基", where=Where(kinds=(Kind.FACT,)))
        report = hindsight.explain(ME, found.report.recall_id).recalls[0]
    assert len(report.candidates) == 3
    first = report.candidates[0]
    assert set(first.ranks) == {"words", "vector"}
    assert {one.ranks["vector"] for one in report.candidates} == {1, 2, 3}
    assert first.similarity == pytest.approx(min(1.0, sum(first.evidence.values())))
    assert first.total == pytest.approx(sum(first.parts.values()))
    assert set(report.thresholds) == {"cosine", "coverage", "follows"}
    assert report.filters["kinds"] == "fact"
    assert all(one.shown or one.reason for one in report.candidates)
    text = report.as_text()
    columns, rows = candidate_table(report)
    assert len(rows) == 3
    for cell in (*columns, *(one.content for one in report.candidates), "kinds=fact", "8080"):
        assert cell in text


def test_a_report_of_an_earlier_version_is_still_read() -> None:
    old = {
        "recall_id": "r",
        "scope": {"user": "me"},
        "at": "2026-03-01T00:00:00Z",
        "query": "q",
        "filters": {},
        "embedder": "",
        "threshold": 0.3,
        "milliseconds": 1.0,
        "candidates": [],
    }
    assert "cosine 0.30" in RecallReport.model_validate(old).as_text()


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    texts=st.lists(
        st.text(alphabet="uvw 维基端口", min_size=4).filter(str.strip),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    encoded=st.booleans(),
)
def test_a_recall_right_after_a_write_sees_it_encoded_or_not(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], encoded: bool
) -> None:
    path = tmp_path_factory.mktemp("fresh") / "m.db"
    with Hindsight.open(str(path), embedder=Bag() if encoded else None) as hindsight:
        for number, text in enumerate(texts):
            mark = f"ticket{number}x"
            hindsight.remember(ME, f"{mark} {text}")
            found = hindsight.recall(ME, mark)
            assert any(mark in one.content for one in found.memories)


def test_another_process_sees_a_write_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    script = (
        "import sys; from hindsight_core import Hindsight, Scope\n"
        "with Hindsight.open(sys.argv[1], embedder=None) as memory:\n"
        "    memory.remember(Scope(user='me'), 'The number of the plumber is 555 0199.')\n"
    )
    with Hindsight.open(path, embedder=None) as hindsight:
        assert hindsight.recall(ME, "the number of the plumber").memories == ()
        subprocess.run([sys.executable, "-c", script, path], check=True)
        assert "0199" in hindsight.recall(ME, "the number of the plumber").memories[0].content


class Bag:
    """Texts that share signs are alike."""

    info = IndexInfo(model="bag", dimension=64, relevance=0.4, same_subject=0.8)

    def passages(self, texts: list[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts], np.float32).reshape(-1, 64)

    def query(self, text: str) -> np.ndarray:
        vector = np.full(64, 1e-3, np.float32)
        for sign in text.casefold():
            vector[ord(sign) % 64] += sign.isalnum()
        return vector / np.linalg.norm(vector)


def test_who_inspects_changes_neither_the_ranking_nor_the_numbers_of_the_newest_block(
    tmp_path: Path,
) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        for name in ("first", "second"):
            hindsight.remember(ME, f"The export of the {name} report failed.", source=Source.USER)
        used = hindsight.recall(ME, "export of the second report", top_k=1).memories[0]
        seen = hindsight.recall(ME, "export of the first report", top_k=1, inspect=True)
        told = hindsight.details(ME, "1")
        references = {
            one.id: hindsight.get(ME, one.id).references for one in (used, *seen.memories)
        }
        explained = hindsight.explain(ME, seen.report.recall_id)
    assert references == {used.id: 1, seen.memories[0].id: 0}
    assert "second" in told
    assert explained.recalls[0].inspection
