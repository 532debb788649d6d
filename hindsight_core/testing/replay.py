"""What a memory would have prevented in recorded runs, driven through a real framework adapter.

Runs are replayed in the order of their trials over one store. A distinct failing call of a run
that an earlier trial of the same task already showed is a *repeat*; it is *prevented* when a
memory recalled for the task before the run names it (recall) or when the gate flagged the call
that failed (gate). A named call that succeeds in the run is a *false warning*, a call that was
flagged and then succeeded a *false gate*.
The recorded agent does not react, so the figures are upper bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Protocol

from hindsight_core.capture import RecordedRun, RecordedStep, signature
from hindsight_core.engine import Hindsight
from hindsight_core.events import CallFlagged, Event, ToolCalled
from hindsight_core.schema import Scope

__all__ = ["REPLAY_DRIVERS", "Driver", "ReplayFigures", "replay", "turns_of"]

REPLAY_DRIVERS: Final = "hindsight_core.replay_drivers"
"""The group of entry points under which an adapter names its `Driver`."""


class Driver(Protocol):
    """Replays one recorded run through a framework with our adapter in it.

    The model repeats the recorded words and calls, the tools give the recorded results, marked as
    errors where the record says so. All turns are one run of ours, whose id is returned; it is
    finished and judged by then.
    """

    def __call__(self, hindsight: Hindsight, scope: Scope, run: RecordedRun) -> str: ...


def turns_of(run: RecordedRun) -> list[tuple[str, list[RecordedStep]]]:
    """What the user said, each with what the agent did and said then.

    The task is the first turn where nobody said a word before the agent.
    """
    turns: list[tuple[str, list[RecordedStep]]] = []
    for step in run.steps:
        if step.kind == "user":
            turns.append((step.text, []))
        else:
            if not turns:
                turns.append((run.task, []))
            turns[-1][1].append(step)
    return turns or [(run.task, [])]


@dataclass(kw_only=True)
class ReplayFigures:
    """Counts of a replay; rates are derived. Calls are counted once a run each, flags each."""

    runs: int = 0
    calls: int = 0
    failures: int = 0
    later_failures: int = 0
    repeats: int = 0
    prevented_at_1: int = 0
    prevented_at_3: int = 0
    prevented_by_gate: int = 0
    prevented: int = 0
    warnings: int = 0
    false_warnings: int = 0
    flags: int = 0
    false_flags: int = 0

    def rates(self) -> dict[str, float]:
        """The figures of the benchmark `replay`, as fractions."""
        return {
            "prevented1": _share(self.prevented_at_1, self.repeats),
            "prevented3": _share(self.prevented_at_3, self.repeats),
            "gate": _share(self.prevented_by_gate, self.repeats),
            "false_warnings": _share(self.false_warnings, self.warnings),
            "false_gate": _share(self.false_flags, self.flags),
            "residual": _share(self.repeats - self.prevented, self.later_failures),
        }

    def as_dict(self) -> dict[str, float]:
        """Counts and rates together."""
        return {**asdict(self), **self.rates()}


@dataclass
class _Seen:
    trials: int = 0
    failed: set[str] = field(default_factory=set[str])


def replay(
    hindsight: Hindsight,
    scope: Scope,
    runs: Iterable[RecordedRun],
    drive: Driver,
    *,
    on_run: Callable[[RecordedRun], None] = lambda _: None,
) -> ReplayFigures:
    """Replay runs and count; `on_run` is called after each, for a progress bar."""
    figures = ReplayFigures()
    seen: dict[str, _Seen] = defaultdict(_Seen)
    for run in _in_rounds(runs):
        # The report is asked and not the memories: by the end of the run they have learnt more.
        before = hindsight.recall(scope, run.task, top_k=3).report
        named = [set(candidate.names) for candidate in before.candidates if candidate.shown]
        events = hindsight.explain(scope, drive(hindsight, scope, run)).events
        _count(figures, seen[_task_of(run)], run, named, _flagged(events, run))
        on_run(run)
    return figures


def _flagged(events: Iterable[Event], run: RecordedRun) -> list[tuple[str, bool]]:
    """The calls whose failure the gate foretold, each with whether it then succeeded.

    A rule of the user that a call breaks foretells nothing of the kind.
    """
    results: dict[str, deque[bool]] = defaultdict(deque)
    for step in run.steps:
        if step.tool:
            results[signature(step.tool, step.args)].append(not step.error)
    asked: set[str] = set()
    found: list[tuple[str, bool]] = []
    for event in events:
        if isinstance(event, CallFlagged) and event.reason != "ruled_out":
            asked.add(event.call.signature)
        elif isinstance(event, ToolCalled) and (left := results[event.call.signature]):
            ok = left.popleft()
            if event.call.signature in asked:
                asked.discard(event.call.signature)
                found.append((event.call.signature, ok))
    return found


def _in_rounds(runs: Iterable[RecordedRun]) -> list[RecordedRun]:
    """The first trial of every task, then the second of every task, and so on."""
    trials: Counter[str] = Counter()
    numbered: list[tuple[int, RecordedRun]] = []
    for run in runs:
        numbered.append((trials[_task_of(run)], run))
        trials[_task_of(run)] += 1
    return [run for _, run in sorted(numbered, key=lambda pair: pair[0])]


def _task_of(run: RecordedRun) -> str:
    return run.task_id or run.task


def _count(
    figures: ReplayFigures,
    seen: _Seen,
    run: RecordedRun,
    named: Sequence[set[str]],
    flagged: Sequence[tuple[str, bool]],
) -> None:
    calls = [step for step in run.steps if step.tool]
    failed = {signature(step.tool, step.args) for step in calls if step.error}
    worked = {signature(step.tool, step.args) for step in calls if not step.error}
    figures.runs += 1
    figures.calls += len(calls)
    figures.failures += len(failed)
    first = set[str]().union(*named[:1])
    three = set[str]().union(*named[:3])
    figures.warnings += len(three)
    figures.false_warnings += len(three & worked)
    figures.flags += len(flagged)
    figures.false_flags += sum(ok for _, ok in flagged)
    caught = {signature for signature, ok in flagged if not ok}
    if seen.trials:
        repeats = failed & seen.failed
        figures.later_failures += len(failed)
        figures.repeats += len(repeats)
        figures.prevented_at_1 += len(repeats & first)
        figures.prevented_at_3 += len(repeats & three)
        figures.prevented_by_gate += len(repeats & caught)
        figures.prevented += len(repeats & (three | caught))
    seen.trials += 1
    seen.failed |= failed


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
