"""What the gate's look at a call costs, over one indexed SQLite look-up of the same call."""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from hindsight_core import Hindsight, Scope
from hindsight_core.capture import make_call
from hindsight_core.engine.gating import Gatekeeper
from hindsight_core.ports import CallRecord
from hindsight_core.schema import ToolCall

__all__ = ["over_sqlite"]

_ME = Scope(user="me")
_TOOLS = 50
_ASKED = 4_000


def over_sqlite(lessons: int = 100_000) -> float:
    """The ratio of medians, over calls half of which are known and half were never made.

    The store knows as many calls, half of them failed and half worked; those that are asked about
    pass the gate, as nearly all calls do, and every one looks its signature up on the disk.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gate.db")
        with Hindsight.open(str(path), embedder=None) as hindsight:
            known = [make_call(f"tool-{n % _TOOLS}", {"number": n}) for n in range(lessons)]
            hindsight.store.settle("run", through=0, memories=[], calls=_records(known))
            draw = random.Random(1)
            worked = [known[draw.randrange(0, lessons, 2)] for _ in range(_ASKED)]
            new = [make_call(call.tool, {"number": -n}) for n, call in enumerate(worked)]
            gate = Gatekeeper(hindsight._core)  # pyright: ignore[reportPrivateUsage]
            connection = sqlite3.connect(path, isolation_level=None)
            statement = "SELECT * FROM calls WHERE tenant = ? AND user = ? AND signature = ?"

            def bare(call: ToolCall) -> object:
                values = (_ME.tenant, _ME.user, call.signature)
                return connection.execute(statement, values).fetchall()

            def look(call: ToolCall) -> object:
                return gate.look(_ME, call, "task")

            ours = sum(_median(look, calls) for calls in (worked, new))
            theirs = sum(_median(bare, calls) for calls in (worked, new))
            connection.close()
    return ours / theirs


def _records(calls: Iterable[ToolCall]) -> list[CallRecord]:
    """The calls as they were judged: every other one worked, the others failed for good."""
    return [
        CallRecord(
            scope=_ME,
            signature=call.signature,
            shape=call.shape,
            situation="other task",
            tool=call.tool,
            ok=number % 2 == 0,
            at=datetime(2031, 5, 1, tzinfo=UTC),
            run_id="run",
            key=str(number),
            error_class="" if number % 2 == 0 else "not_found",
        )
        for number, call in enumerate(calls)
    ]


def _median(ask: Callable[[ToolCall], object], calls: Iterable[ToolCall]) -> float:
    times: list[float] = []
    for call in calls:
        began = time.perf_counter()
        ask(call)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
