"""What is read while a query is being encoded: the same as without it, and nothing is put off."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight_core import Hindsight, Kind, Source
from hindsight_core.capture import read_ahead
from hindsight_core.capture.preferences.reading import judged_sentences
from hindsight_core.engine.query_vectors import EncodedQuery
from hindsight_core.engine.recorder import RunRecorder
from hindsight_core.gate import GateAction
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.recall import AskedOnce
from hindsight_core.recall.lexical import held_by
from hindsight_core.stores import SqliteStore

RULE = "Never send anything to the finance team."
KNOWN = ("A pear is a fruit.", "A plum is a fruit.", "The wiki listens on port 80.", RULE)
TASK = "Which fruit is sent to the finance team?"


class Letters:
    """Encodes a text as how often each letter is in it, after a while where one is set."""

    info = IndexInfo(model="letters", dimension=26, relevance=0.3, same_subject=0.9)

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._vector(text) for text in texts])

    def query(self, text: str) -> np.ndarray:
        time.sleep(self._seconds)
        return self._vector(text)

    def _vector(self, text: str) -> np.ndarray:
        counts = np.array([text.lower().count(chr(97 + n)) for n in range(26)], np.float32)
        return counts / max(float(np.linalg.norm(counts)), 1e-9)


class Counting(SqliteStore):
    """Counts how often the records of a user are listed."""

    listed = 0

    def select(self, *args: Any, **kwargs: Any) -> Any:
        self.listed += 1
        return super().select(*args, **kwargs)


def filled(path: Path, embedder: Letters, store: SqliteStore | None = None) -> Hindsight:
    url = None if store else str(path)
    memory = Hindsight.open(url, store=store, embedder=embedder)
    for text in KNOWN:
        kind = Kind.PREFERENCE if text == RULE else Kind.FACT
        memory.remember(memory.scope_of("ann"), text, kind=kind, source=Source.USER)
    memory.flush()
    return memory


def asked(memory: Hindsight, tool: str = "send") -> RunRecorder:
    run = memory.run(memory.scope_of("ann"), task=TASK)
    run.user(TASK)
    assert run.context(tools=[tool]) is not None
    return run


def test_what_is_found_does_not_depend_on_how_long_the_query_takes(tmp_path: Path) -> None:
    found: list[Any] = []
    for seconds in (0.0, 0.3):
        with filled(tmp_path / f"{seconds}.db", Letters(seconds)) as memory:
            asked(memory)
            (report,) = memory.recalls(memory.scope_of("ann"))
            found.append(
                [
                    (one.content, one.ranks, one.evidence, one.shown, one.reason)
                    for one in report.candidates
                ]
            )
    assert found[0] == found[1]


class Patient(Letters):
    """Encodes a query for as long as there is anything to do meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._done = threading.Event()
        meanwhile = EncodedQuery.meanwhile

        def watched(query: EncodedQuery, steps: Any) -> None:
            meanwhile(query, steps)
            self._done.set()

        monkeypatch.setattr(EncodedQuery, "meanwhile", watched)

    def query(self, text: str) -> np.ndarray:
        self._done.wait(20)
        return super().query(text)


def test_the_rules_are_read_before_the_first_call_and_hold_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Counting(tmp_path / "m.db")
    with filled(tmp_path, Patient(monkeypatch), store) as memory:
        run = asked(memory)
        store.listed = 0
        decision = run.before_tool("send", {"to": "finance team"}, call_id="1")
        assert store.listed == 0
        assert decision.action is GateAction.ADVISE
        run.before_tool("look_up", {"word": "pear"}, call_id="2")
        assert store.listed == 1  # of a tool that was not named, what is known is read now


def test_a_rule_that_another_process_learns_after_the_recall_holds_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, embedder = str(tmp_path / "m.db"), Patient(monkeypatch)
    with filled(Path(url), embedder) as memory, Hindsight.open(url, embedder=None) as other:
        run = asked(memory)
        other.remember(
            other.scope_of("ann"),
            "Never send anything to the press office.",
            kind=Kind.PREFERENCE,
            source=Source.USER,
        )
        decision = run.before_tool("send", {"to": "press office"}, call_id="1")
        assert decision.action is GateAction.ADVISE


def test_steps_are_taken_for_as_long_as_the_query_is_being_encoded() -> None:
    coming: Future[dict[str, Any]] = Future()
    taken: list[str] = []

    def last() -> None:
        taken.append("last")
        coming.set_result({"q": np.ones(26, np.float32)})

    query = EncodedQuery(Letters(), {}, coming, None)
    steps: list[Callable[[], object]] = [
        lambda: taken.append("first"),
        last,
        lambda: taken.append("late"),
    ]
    query.meanwhile(steps)
    assert taken == ["first", "last"]
    EncodedQuery(Letters(), {}, None, None).meanwhile([lambda: taken.append("known")])
    assert taken == ["first", "last"]


KILLED = """
import os, sys
from hindsight_core import Hindsight, Settings
memory = Hindsight.open(sys.argv[1], embedder=None, settings=Settings(deadline=60))
run = memory.run(memory.scope_of("ann"), task=sys.argv[2])
run.user(sys.argv[2])
assert run.context(tools=["send"]) is not None
os._exit(9)
"""


def test_a_recall_is_kept_and_counted_when_its_block_is_handed_over(tmp_path: Path) -> None:
    url = str(tmp_path / "m.db")
    filled(Path(url), Letters()).close()
    command = [sys.executable, "-c", KILLED, url, TASK]
    assert subprocess.run(command, check=False, timeout=600).returncode == 9
    with Hindsight.open(url, embedder=None) as memory:
        scope = memory.scope_of("ann")
        (report,) = memory.recalls(scope)
        shown = {one.memory_id for one in report.candidates if one.shown}
        assert shown
        assert {one.id for one in memory.memories(scope) if one.references == 1} == shown


def test_a_recall_asks_the_store_for_the_same_words_and_records_once(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        scope = memory.scope_of("ann")
        pear = memory.remember(scope, "A pear is a fruit.")
        plum = memory.remember(scope, "A plum is a fruit.")
        calls: list[str] = []

        class Telling:
            def __getattr__(self, name: str) -> Any:
                calls.append(name)
                return getattr(memory.store, name)

        telling: Any = Telling()
        store = AskedOnce.over(telling)
        for _ in range(2):
            assert store.match_text(scope, Where(), ["pear"], 5)[0].id == pear.id
            assert store.term_counts(scope, ["fruit"]).holding == {"fruit": 2}
            assert len(store.select(scope, Where(kinds=(Kind.FACT,)))) == 2
            assert store.select(scope, Where(kinds=(Kind.LESSON,))) == []
            assert [one.id for one in store.get(scope, [pear.id, "none"])] == [pear.id]
        wanted = [plum.id, "none", pear.id, plum.id]
        assert [one.id for one in store.get(scope, wanted)] == [plum.id, pear.id]
        assert sorted(calls) == ["get", "get", "match_text", "select", "select", "term_counts"]


def test_a_record_that_was_changed_is_counted_anew(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        pear = memory.remember(memory.scope_of("ann"), "A pear.")
        assert held_by(pear) == held_by(pear.model_copy(update={"references": 7}))
        value = pear.value.model_copy(update={"content": "A plum."})
        assert "plum" in held_by(pear.model_copy(update={"value": value}))
        assert "plum" not in held_by(pear)


def test_no_text_that_was_read_ahead_outlives_an_erasure(tmp_path: Path) -> None:
    with filled(tmp_path / "m.db", Letters()) as memory:
        read_ahead(RULE)
        asked(memory)
        memory.forget(memory.scope_of("ann"))
        assert judged_sentences.cache_info().currsize == 0


def test_threads_that_count_the_same_records_find_the_same(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        scope = memory.scope_of("ann")
        records = [memory.remember(scope, f"Note {n} on pears.") for n in range(20)]
        alone = [held_by(one) for one in records]
        found: list[bool] = []
        threads = [
            threading.Thread(
                target=lambda: found.append([held_by(one) for one in records] == alone)
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 8
