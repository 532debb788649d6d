"""How much work something is, told alike by a fast machine, a slow one and a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable

_UNIT = 0.03
"""Seconds of processor that `_yardstick` takes on the machine whose seconds are told."""


def seconds_of(work: Callable[[], object]) -> float:
    """The processor's seconds that `work` takes, as many as an ordinary machine would need.

    What other programs do meanwhile is not counted, and a machine that takes longer for a known
    piece of work, just before or just after, may take as much longer for this one.
    """
    before = _taken(_yardstick)
    taken = _taken(work)
    return taken / max(1.0, max(before, _taken(_yardstick)) / _UNIT)


def _taken(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _yardstick() -> None:
    words: dict[str, int] = {}
    for number in range(100_000):
        word = f"word{number % 1_000}"
        words[word] = words.get(word, 0) + len(word)
