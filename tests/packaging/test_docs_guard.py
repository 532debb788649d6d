"""What the guide on the guard says runs as it stands, and its numbers are the defaults."""

import os
import re
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from hindsight_core import AnomalyLimits
from hindsight_core.cli.app import app

PATIENT = Path(__file__).parents[1] / "patient.py"
GUIDE = (Path(__file__).parents[2] / "docs" / "guard.md").read_text(encoding="utf-8")


def test_the_snippet_of_the_guide_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    program = tmp_path / "guide.py"
    program.write_text(f"{code}\nprint(hs.health())", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(PATIENT), str(program)],
        env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Health(ok=True" in done.stdout


def test_the_numbers_of_the_guide_are_the_defaults():
    limits = AnomalyLimits()
    for said in (
        f"{limits.burst:,} writes of one channel",
        f"{limits.per_run} memories from one run",
        f"{limits.near_duplicates} texts that say almost the same",
        f"{limits.off_topic} that have no word in common",
    ):
        assert said in " ".join(GUIDE.split())
    assert (limits.window_minutes, limits.dominance) == (10, 0.9)


def test_every_command_of_the_guide_is_there():
    commands = set(re.findall(r"hindsight-core ((?:review|share) \w+|audit|doctor)", GUIDE))
    assert len(commands) >= 8
    for command in commands:
        done = CliRunner().invoke(app, [*command.split(), "--help"])
        assert done.exit_code == 0, command
