"""Importing the core costs about as much as importing pydantic."""

import resource
import statistics
import subprocess
import sys


def seconds(code: str) -> float:
    """The processor's seconds: what else runs on the machine meanwhile does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_importing_the_core_takes_no_longer_than_twice_importing_pydantic():
    # Turn by turn in one run, so that a noisy machine troubles both alike; the interpreter's own
    # start is part of both sides, which a bare run measures and takes off.
    rounds = [
        (
            seconds("pass"),
            seconds("import pydantic; pydantic.BaseModel"),
            seconds("import hindsight_core"),
        )
        for _ in range(9)
    ]
    bare, pydantic, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
    assert ours - bare <= 2 * (pydantic - bare)
