"""How many calls the gate costs after a tool that was broken works again.

A simulated tool refuses every call for an hour and then works. Agents call it at several paces, in
mode `block` (the others stop nothing), through a framework's adapter and by an injected clock. A
call that is stopped although it would have worked is lost.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta

from hindsight_core import GateMode, Hindsight, Scope, Settings
from hindsight_core.capture import RecordedRun, RecordedStep
from hindsight_core.events import CallFlagged
from hindsight_core.testing.replay import Driver

__all__ = ["calls_lost"]

_ME = Scope(user="me")
_START = datetime(2031, 5, 1, tzinfo=UTC)
_REPAIRED = timedelta(hours=1)
_PACES = tuple(timedelta(seconds=pace) for pace in (30, 60, 420, 1_800, 18_000))
_AFTER = 6
"""So many calls of each signature are made after the repair."""


class _Clock:
    def __init__(self) -> None:
        self.now = _START

    def __call__(self) -> datetime:
        return self.now


def calls_lost(drive: Driver) -> float:
    """The most calls that were lost of one signature, over all paces."""
    return float(max(_lost(drive, pace) for pace in _PACES))


def _lost(drive: Driver, pace: timedelta) -> int:
    clock = _Clock()
    settings = Settings(gate=GateMode.BLOCK, deadline=60)
    lost = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Hindsight.open(
            f"{folder}/repair.db", embedder=None, clock=clock, settings=settings
        ) as hindsight,
    ):
        # Only the last calls before the repair matter: they say when the breaker opened last.
        before = min(int(_REPAIRED / pace), 4) or 1
        clock.now = _START + _REPAIRED - before * pace
        for _ in range(before + _AFTER):
            works = clock.now >= _START + _REPAIRED
            run_id = drive(hindsight, _ME, _run(works=works))
            flags = [e for e in hindsight.explain(_ME, run_id).events if isinstance(e, CallFlagged)]
            lost += works and any(flag.action == "block" for flag in flags)
            clock.now += pace
    return lost


def _run(*, works: bool) -> RecordedRun:
    step = RecordedStep(
        kind="tool",
        tool="ship_order",
        args={"order": "A-17"},
        result="shipped" if works else "403 Forbidden: the warehouse account is locked",
        error=not works,
    )
    task = "Ship order A-17"
    said = RecordedStep(kind="user", text=task)
    return RecordedRun(task=task, steps=(said, step), session="repair")
