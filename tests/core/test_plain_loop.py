"""The loop by hand, with the `openai` client and no framework, learns and obeys."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hindsight_core.testing.scripted_server import ScriptedServer

EXAMPLE = Path(__file__).parents[2] / "examples" / "plain_loop.py"
PATIENT = Path(__file__).parents[1] / "patient.py"
WRONG = [("book_seat", {"date": "5 March 2026", "seat": "window"})]
RIGHT = [("book_seat", {"date": "2026-03-05", "seat": "window"})]
ANSWER = "booked for 2026-03-05, seat: window"
TOLD = [
    "> Book a seat for 5 March 2026. Whenever you book a seat for me, take a window seat.",
    f"  {ANSWER} (2 calls, 1 failed)",
    "> Book a seat for 5 March 2026.",
    f"  {ANSWER} (1 calls, 0 failed)",
]


def run(store: Path, **env: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(PATIENT), str(EXAMPLE), str(store)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_second_session_obeys_what_the_first_one_taught(tmp_path):
    assert run(tmp_path / "memory.db") == TOLD


def test_what_is_recalled_goes_over_the_wire_in_the_system_message_alone(tmp_path):
    with ScriptedServer([WRONG, RIGHT, ANSWER, RIGHT, ANSWER]) as server:
        assert run(tmp_path / "memory.db", OPENAI_BASE_URL=server.url) == TOLD
    system, *rest = server.chats[3]["messages"]
    assert "use the format YYYY-MM-DD" in system["content"]
    assert "take a window seat" in system["content"]
    assert "<memory-" not in str(rest)
