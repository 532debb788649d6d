"""The example does what it says, and leaves nothing outside of its store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "autogen_agent.py"
PATIENT = Path(__file__).parents[1] / "patient.py"

GUARDED = """
import os, runpy, socket, sys

def refuse(self, address, *more):
    raise AssertionError(f"a connection to {address}")

socket.socket.connect = socket.socket.connect_ex = refuse
before = dict(os.environ)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
assert dict(os.environ) == before
"""


def test_the_second_session_obeys_the_first_and_nothing_else_is_touched(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    home.mkdir()
    store.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GUARDED, PATIENT, EXAMPLE, store / "memory.db"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=home,
        env={
            "PATH": "",
            "HOME": str(home),
            "TMPDIR": str(home),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": ":".join(path for path in sys.path if path),
        },
    )
    assert done.returncode == 0, done.stderr
    first, learnt, second, obeyed = done.stdout.splitlines()
    assert first.startswith("> Book a seat for 5 March 2026. Whenever")
    assert learnt == "  booked for 2026-03-05, seat: window (2 calls, 1 failed)"
    assert second == "> Book a seat for 5 March 2026."
    assert obeyed == "  booked for 2026-03-05, seat: window (1 calls, 0 failed)"
    assert list(home.iterdir()) == []
    assert {path.name.partition(".db")[0] for path in store.iterdir()} == {"memory"}
