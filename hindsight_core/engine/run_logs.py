"""A run's events as the log that is reflected on."""

from __future__ import annotations

from hindsight_core.capture import judge_run, outcome_of
from hindsight_core.engine.core import Core
from hindsight_core.events import BlockShown, RunStarted, ToolCalled, UserSaid
from hindsight_core.reflect import LoggedCall, RunLog

__all__ = ["read_log"]


def read_log(core: Core, run_id: str) -> RunLog | None:
    """Read a run; None where nothing of it is left."""
    events = core.store.events(run_id)
    if not events:
        return None
    scope = events[0].scope
    start = next((event for event in events if isinstance(event, RunStarted)), None)
    said = next((event.text for event in events if isinstance(event, UserSaid)), "")
    judgement = judge_run(events)
    failed = [call.signature for call in judgement.calls if not call.ok]
    lessons = {
        stats.memory_id: None
        for signature in dict.fromkeys(failed)
        for stats in core.store.call_stats(scope, signature=signature)
        if stats.memory_id
    }
    shown = {i: None for e in events if isinstance(e, BlockShown) for i in e.memory_ids}
    calls = [event for event in events if isinstance(event, ToolCalled)]
    return RunLog(
        run_id=run_id,
        scope=scope,
        task=(start.task if start else "") or said,
        task_type=start.task_type if start else None,
        calls=tuple(_logged(number, event) for number, event in enumerate(calls, 1)),
        good=judgement.good,
        known=tuple(memory.content for memory in core.store.get(scope, list(shown))),
        lessons=tuple(memory.id for memory in core.store.get(scope, list(lessons))),
    )


def _logged(number: int, event: ToolCalled) -> LoggedCall:
    outcome = outcome_of(event)
    return LoggedCall(
        number=number,
        call=event.call,
        ok=outcome.ok,
        message=(outcome.message or event.result) if not outcome.ok else event.result,
        error_class=outcome.error_class,
        transient=outcome.transient,
    )
