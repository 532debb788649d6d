"""Answers the question why: why a recall showed what it showed, and where a memory came from."""

from __future__ import annotations

from hindsight_core.engine.run_account import Decision, ShownMemory, account_of_run
from hindsight_core.errors import NotFoundError
from hindsight_core.events import Event, RunStarted
from hindsight_core.ports import Store
from hindsight_core.recall import RecallReport
from hindsight_core.schema import Memory, Record, Scope

__all__ = ["Explanation", "explain"]


class Explanation(Record):
    """What is known of one id: of a recall, a run, or a memory.

    For a recall `recalls` has its report. For a run there are all of its recalls and events,
    `shown` are the memories that it was shown and whether it obeyed them, `decisions` the calls at
    which they had a say; of a run whose transcript was pruned only `shown` is left. For a memory
    it is the record, whose evidence names the runs.
    """

    id: str
    recalls: tuple[RecallReport, ...] = ()
    events: tuple[Event, ...] = ()
    memory: Memory | None = None
    task: str = ""
    shown: tuple[ShownMemory, ...] = ()
    decisions: tuple[Decision, ...] = ()


def explain(store: Store, scope: Scope, wanted: str) -> Explanation:
    """Explain a recall, a run or a memory by its id; raises `NotFoundError` for anything else."""
    found = store.get(scope, [wanted])
    if found:
        return Explanation(id=wanted, memory=found[0])
    reports = store.load_recalls(scope, recall_id=wanted) or store.load_recalls(
        scope, run_id=wanted
    )
    recalls = tuple(RecallReport.model_validate_json(text) for text in reports)
    events = tuple(event for event in store.events(wanted) if scope.sees(event.scope))
    shown, decisions = account_of_run(store, scope, wanted, events)
    if not recalls and not events and not shown:
        raise NotFoundError(
            f"{wanted!r}: no memory, recall or run of that id is visible in this scope. "
            "'hindsight-core list' and 'hindsight-core runs' show the ids"
        )
    task = next((event.task for event in events if isinstance(event, RunStarted)), "")
    return Explanation(
        id=wanted, recalls=recalls, events=events, task=task, shown=shown, decisions=decisions
    )
