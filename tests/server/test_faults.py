"""Sixteen agents in four processes go on while the servers of their memory fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def figures_of(store, seconds):
    command = [sys.executable, "-m", "benchmarks", "faults", "--json", "--store", store]
    done = subprocess.run(
        [*command, "--seconds", str(seconds)],
        cwd=ROOT,
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    found = json.loads(done.stdout.splitlines()[-1])["figures"]
    return {name.partition(".")[2]: value for name, value in found.items()}, done.stderr


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("store", ["postgres", "sqlite"])
def test_nothing_acknowledged_is_lost_doubled_or_crossed_while_servers_fail(store):
    figures, told = figures_of(store, 20)
    assert figures["acknowledged"] > 100
    assert (figures["lost"], figures["twice"], figures["crossed"]) == (0, 0, 0), told[-3_000:]
    assert (figures["backlog_at_the_end"], figures["problems"]) == (0, 0)
    assert figures["processes_failed"] == 0, told[-3_000:]
    assert figures["faults_gone_on"] == figures["faults"]
