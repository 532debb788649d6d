"""What judging a run costs, over embedding what its user said, in one process and one run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from hindsight_core.capture import judge_run, make_call
from hindsight_core.events import Event, RunEnded, RunStarted, ToolCalled, UserSaid
from hindsight_core.models import open_embedder
from hindsight_core.schema import Scope

__all__ = ["judging"]

_EVENTS = 50
_RUNS = 5
_ROUNDS = 3
_SCOPE = Scope(user="somebody")
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def judging(data: Path) -> dict[str, float]:
    """Median time to judge runs of 50 events, over embedding the texts of their users."""
    embedder = open_embedder("auto")
    lines = (data / "runs_tau_airline.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [step for line in lines for step in json.loads(line)["steps"]]
    starts = range(0, len(steps) - (_EVENTS - 2), _EVENTS - 2)
    runs = [_events(str(at), steps[at : at + _EVENTS - 2]) for at in starts][:_RUNS]
    if embedder is None or not runs:
        return {}
    texts = [[e.text for e in events if isinstance(e, UserSaid)] for events in runs]
    embedder.passages(["warm"])
    judged = _median(lambda: [judge_run(events) for events in runs])
    embedded = _median(lambda: [embedder.passages(said) for said in texts])
    return {"judge.over_embedding": judged / embedded}


def _events(run_id: str, steps: list[dict[str, Any]]) -> list[Event]:
    """Recorded steps, of several short runs where need be, between a start and an end."""

    def base(number: int) -> dict[str, Any]:
        at = _BEGIN + timedelta(seconds=number)
        return {"run_id": run_id, "scope": _SCOPE, "key": str(number), "at": at}

    events: list[Event] = [RunStarted(**base(0), task=str(steps[0].get("user", "")))]
    for number, step in enumerate(steps, 1):
        if "user" in step:
            events.append(UserSaid(**base(number), text=str(step["user"]), turn=str(number)))
        else:
            events.append(
                ToolCalled(
                    **base(number),
                    call=make_call(step["tool"], step["args"]),
                    result=str(step["result"]),
                    flagged_error=bool(step.get("error")) or None,
                )
            )
    return [*events, RunEnded(**base(_EVENTS), ok=True)]


def _median(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)
