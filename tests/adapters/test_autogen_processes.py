"""Programs that end, are killed and go on, or run out of disk, each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from autogen_kit import events

from hindsight_core import Hindsight, Kind
from hindsight_core.events import ToolCalled, UserSaid

PROGRAM = Path(__file__).with_name("autogen_process.py")
BOTH_WAYS = pytest.mark.parametrize("way", ["attached", "alone"])
STRICT = ["-X", "dev", "-W", "error", "-W", "ignore::DeprecationWarning"]


def run(what: str, store: Path, way: str, *options: str) -> subprocess.CompletedProcess[str]:
    known = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, *options, str(PROGRAM), what, str(store), way],
        env={**os.environ, "PYTHONPATH": known, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("what", ["ends", "left", "pending"])
def test_nothing_is_left_open_or_said_when_a_program_ends(what: str, tmp_path: Path) -> None:
    done = run(what, tmp_path / "m.db", "attached", *STRICT)
    assert (done.returncode, done.stderr) == (0, "")


@BOTH_WAYS
def test_what_a_killed_program_did_is_learnt_with_the_fix_of_the_one_that_goes_on(
    way: str, tmp_path: Path
) -> None:
    store = tmp_path / "m.db"
    assert run("killed", store, way).returncode == -signal.SIGKILL
    done = run("resumed", store, way)
    assert (done.returncode, done.stderr) == (0, "")
    with Hindsight.open(str(store), embedder=None) as memory:
        said = [e.text for e in events(memory, UserSaid)]
        paths = [e.call.args["path"] for e in events(memory, ToolCalled)]
        learnt = {m.kind: m.content for m in memory.memories(memory.scope_of("u"))}
    assert said == ["以后请一直用法语回答我。", "Fetch the 报告 of the service."]
    assert paths == ["/v1/报告", "/v2/报告"]
    assert "/v2/报告" in learnt[Kind.LESSON]
    assert learnt[Kind.PREFERENCE] == said[0]


@BOTH_WAYS
def test_an_agent_goes_on_when_the_disk_is_full_and_the_log_and_health_say_so(
    way: str, tmp_path: Path
) -> None:
    done = run("full", tmp_path / "m.db", way)
    assert done.stdout.split() == ["Voilà.", "Encore.", "True"]
    assert done.returncode == 0
    assert "memory is passed over" in done.stderr
