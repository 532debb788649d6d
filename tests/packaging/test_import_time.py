"""Importing the core costs about as much as importing pydantic."""

import statistics
import subprocess
import sys
import time


def seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    return time.perf_counter() - started


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
