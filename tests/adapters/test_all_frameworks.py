"""What one framework learns the others obey: all three in one process, over one store."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from crewai_kit import ITS_OWN_WARNINGS

from hindsight_core import Hindsight, Kind
from hindsight_core.events import RunStarted, ToolCalled
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

EXAMPLE = Path(__file__).parents[2] / "examples" / "cross_framework.py"
PATIENT = Path(__file__).parents[1] / "patient.py"
WRONG = [("book_seat", {"date": "5 March 2026", "seat": "any"})]
RIGHT = [("book_seat", {"date": "2026-03-05", "seat": "any"})]
ANSWER = "booked for 2026-03-05, seat: any"
LESSON = "use the format YYYY-MM-DD"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def run(store: Path, **env: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(PATIENT), str(EXAMPLE), str(store)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    ours = ("LangChain:", "CrewAI:", "AutoGen:", "lesson:", "  shown")
    return [line for line in done.stdout.splitlines() if line.startswith(ours)]


def test_one_fails_and_recovers_the_next_avoids_it_and_the_last_verifies_it(store: Path) -> None:
    langchain, crewai, autogen, lesson, account = run(store)
    assert langchain == f"LangChain: tried 5 March 2026, 2026-03-05; {ANSWER}"
    assert crewai == f"CrewAI: tried 2026-03-05; {ANSWER}"
    assert autogen == f"AutoGen: tried 2026-03-05; {ANSWER}"
    assert LESSON in lesson
    assert "date='2026-03-05' instead of '5 March 2026'" in lesson
    assert account == "  shown to 2 later runs, 2 went well by it"
    with Hindsight.open(str(store), embedder=None) as hs:
        runs = [hs.store.events(r.run_id) for r in hs.store.runs(pending_only=False, limit=10)]
        events = [event for run in runs for event in run]
        frameworks = [e.framework for e in events if isinstance(e, RunStarted)]
        assert frameworks == ["langchain", "crewai", "autogen"]
        failed = [bool(e.flagged_error) for e in events if isinstance(e, ToolCalled)]
        assert failed == [True, False, False, False]
        lessons = [m for m in hs.memories(hs.scope_of("ann")) if m.kind is Kind.LESSON]
        assert [m.hits for m in lessons] == [2]


def test_each_framework_shows_its_model_what_another_learnt(store: Path) -> None:
    turns = [WRONG, RIGHT, ANSWER, RIGHT, ANSWER, RIGHT, ANSWER, ANSWER]
    with ScriptedServer(turns) as server:
        run(store, OPENAI_BASE_URL=server.url)
    shown = [LESSON in str(chat["messages"][0]) for chat in server.chats]
    # The checker of the team has no memory.
    assert shown == [False, False, False, True, True, True, True, False]
