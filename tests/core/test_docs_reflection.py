"""The guide's snippets run as they stand, one after the other, against a scripted server."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from hindsight_core.testing.scripted_server import ScriptedServer

GUIDE = Path(__file__).parents[2] / "docs" / "reflection.md"
CARD = {
    "run": 1,
    "mistake": 1,
    "wrong": "The time was given in words.",
    "instead": "Give the time as HH:MM.",
    "notice": "The request names a time.",
    "runs": [1],
    "decidable": True,
    "confidence": 0.9,
}
SUMMARY = {
    "intent": "Book a table.",
    "resolution": "The booking failed.",
    "entities": ["team dinner"],
    "summary": "Ana wanted a table for the team dinner, and the booking failed.",
}
PRELUDE = """
from hindsight_core.engine import Reflection
from hindsight_core.settings import DEFAULT_SETTINGS
object.__setattr__(DEFAULT_SETTINGS, "deadline", 60.0)  # no busy machine misses it
Reflection.note = lambda self: None  # the guide reflects by itself
"""


def test_the_guide_does_what_it_says(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    with ScriptedServer([json.dumps({"cards": [CARD]}), json.dumps(SUMMARY)]) as server:
        program = "\n".join((PRELUDE, *blocks)).replace("http://127.0.0.1:8000/v1", server.url)
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "1 runs, 1 requests, 1 lessons {}" in done.stdout
    assert "0 wait" in done.stdout
    assert f"{SUMMARY['summary']} | {SUMMARY['intent']}" in done.stdout
