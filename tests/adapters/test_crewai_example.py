"""The example does what it says, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from crewai_kit import ITS_OWN_WARNINGS

from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

EXAMPLE = Path(__file__).parents[2] / "examples" / "crewai_crew.py"
PATIENT = Path(__file__).parents[1] / "patient.py"
WRONG = [("book_seat", {"date": "5 March 2026", "seat": "window"})]
RIGHT = [("book_seat", {"date": "2026-03-05", "seat": "window"})]
ANSWER = "booked for 2026-03-05, seat: window"


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
    return [line for line in done.stdout.splitlines() if line.startswith((">", "  booked"))]


@pytest.mark.parametrize("server", ["its own", "another"])
def test_the_second_session_of_the_example_obeys_what_the_first_one_taught(
    server: str, tmp_path: Path
) -> None:
    if server == "its own":
        told = run(tmp_path / "memory.db")
    else:
        with ScriptedServer([WRONG, RIGHT, ANSWER, RIGHT, ANSWER]) as scripted:
            told = run(tmp_path / "memory.db", OPENAI_BASE_URL=scripted.url)
            assert "use the format YYYY-MM-DD" in str(scripted.chats[3]["messages"][0])
            assert "take a window seat" in str(scripted.chats[3]["messages"][0])
    first, learnt, second, obeyed = told
    assert first.startswith("> Book a seat for 5 March 2026. Whenever")
    assert learnt == f"  {ANSWER} (2 calls, 1 failed)"
    assert second == "> Book a seat for 5 March 2026."
    assert obeyed == f"  {ANSWER} (1 calls, 0 failed)"
