"""The example does what it says, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "langchain_agent.py"
PATIENT = Path(__file__).parents[1] / "patient.py"


def test_the_second_session_of_the_example_obeys_what_the_first_one_taught(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(PATIENT), str(EXAMPLE), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    first, learnt, second, obeyed = done.stdout.splitlines()
    assert first.startswith("> Book a seat for 5 March 2026. Whenever")
    assert learnt == "  booked for 2026-03-05, seat: window (2 calls, 1 failed)"
    assert second == "> Book a seat for 5 March 2026."
    assert obeyed == "  booked for 2026-03-05, seat: window (1 calls, 0 failed)"
