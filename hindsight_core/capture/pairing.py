"""What the failures of a run teach: which call helped instead, which ways were dead ends.

Pure functions over the judged calls of one run, in their order. Failures of one tool and error
class make one finding, because only few memories are recalled for a task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.outcomes._context import Role, context_of
from hindsight_core.capture.outcomes._tables import normalise, says
from hindsight_core.capture.similar_calls import (
    argument_terms,
    mentions,
    similarity,
)
from hindsight_core.events import ToolCalled
from hindsight_core.schema import ErrorClass, Outcome

__all__ = ["Fix", "JudgedCall", "LessonFinding", "find_lessons"]

MAX_CALLS: Final = 64
"""Failing calls that one finding keeps, the last ones."""
_REACH: Final = 30
"""How many calls after a failure its fix may come."""
_REACH_OTHER: Final = 6
"""The same for a fix by another tool, which is the weaker evidence."""
_ALIKE: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCall:
    """A call, what came of it, and its place in the run."""

    index: int
    event: ToolCalled
    outcome: Outcome

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.event.call.tool

    @property
    def signature(self) -> str:
        """The digest of tool and arguments."""
        return self.event.call.signature


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A call that failed, and the later one that achieved the same."""

    failed: JudgedCall
    worked: JudgedCall

    @property
    def other_tool(self) -> bool:
        """Whether another tool did it."""
        return self.failed.tool != self.worked.tool


@dataclass(frozen=True, kw_only=True, slots=True)
class LessonFinding:
    """The failures of one tool and class; `recovered` are transient ones that worked on retry."""

    tool: str
    error_class: ErrorClass
    transient: bool
    failures: tuple[JudgedCall, ...]
    fixes: tuple[Fix, ...] = ()
    recovered: bool = False

    @property
    def attempts(self) -> int:
        """How many calls failed, repeated ones counted."""
        return len(self.failures)


def find_lessons(calls: Sequence[JudgedCall], known: str = "") -> list[LessonFinding]:
    """Group and pair the failures of a run.

    A call that also worked in the run is left out unless its failure was transient: there the
    lesson is to wait. `known` is the text of the task: a call without effect on a thing that is
    known to exist may only have come too early, and is no evidence yet.
    """
    worked = {call.signature for call in calls if call.outcome.ok}
    premature = _premature(calls, known)
    groups: dict[tuple[str, ErrorClass, bool], list[JudgedCall]] = {}
    for call in calls:
        if call.outcome.ok or call.signature in premature:
            continue
        if call.signature in worked and not call.outcome.transient:
            continue
        error_class = call.outcome.error_class or ErrorClass.SOFT
        groups.setdefault((call.tool, error_class, call.outcome.transient), []).append(call)
    return [
        _finding(tool, error_class, transient, tuple(failures[-MAX_CALLS:]), calls)
        for (tool, error_class, transient), failures in groups.items()
    ]


def _finding(
    tool: str,
    error_class: ErrorClass,
    transient: bool,
    failures: tuple[JudgedCall, ...],
    calls: Sequence[JudgedCall],
) -> LessonFinding:
    if transient:
        worked = {call.signature for call in calls if call.outcome.ok}
        return LessonFinding(
            tool=tool,
            error_class=error_class,
            transient=True,
            failures=failures,
            recovered=any(call.signature in worked for call in failures),
        )
    fixes = [fix for call in _once(failures) if (fix := _same_tool(call, calls))]
    if not fixes:
        fixes = [fix for call in failures[-1:] if (fix := _other_tool(call, calls))]
    return LessonFinding(
        tool=tool,
        error_class=error_class,
        transient=False,
        failures=failures,
        fixes=tuple(fixes),
    )


def _once(calls: Sequence[JudgedCall]) -> list[JudgedCall]:
    """Keep the last of each signature."""
    return list({call.signature: call for call in calls}.values())


def _later(call: JudgedCall, calls: Sequence[JudgedCall], reach: int) -> list[JudgedCall]:
    """Successes after a call which had not worked before it."""
    before = {c.signature for c in calls if c.index < call.index and c.outcome.ok}
    return [
        c
        for c in calls
        if call.index < c.index <= call.index + reach and c.outcome.ok and c.signature not in before
    ]


def _same_tool(call: JudgedCall, calls: Sequence[JudgedCall]) -> Fix | None:
    best: tuple[float, JudgedCall] | None = None
    for later in _later(call, calls, _REACH):
        if later.tool != call.tool:
            continue
        alike = similarity(call.event.call.args, later.event.call.args)
        if alike >= _ALIKE and (best is None or alike > best[0] + 0.1):
            best = (alike, later)
    return Fix(failed=call, worked=best[1]) if best else None


def _other_tool(call: JudgedCall, calls: Sequence[JudgedCall]) -> Fix | None:
    wanted = argument_terms(call.event.call.args)
    acts = context_of(call.tool, call.event.call.args).role is Role.ACT
    for later in _later(call, calls, _REACH_OTHER):
        if later.tool == call.tool:
            continue
        if acts and context_of(later.tool, later.event.call.args).role is not Role.ACT:
            continue
        given = argument_terms(later.event.call.args)
        shared = wanted & given
        if len(shared) >= 2 or (shared and len(shared) * 2 >= min(len(wanted), len(given))):
            return Fix(failed=call, worked=later)
    return None


def _premature(calls: Sequence[JudgedCall], known: str) -> frozenset[str]:
    """Signatures of calls without effect on things that exist and of a kind that can be used."""
    without = [
        call
        for call in calls
        if not call.outcome.ok
        and call.outcome.error_class is ErrorClass.SOFT
        and says(normalise(call.outcome.message), "no_effect")
    ]
    if not without:
        return frozenset()
    seen = set(mentions(known))
    usable: set[str] = set()
    for call in calls:
        if call.outcome.ok:
            used = mentions(_argument_text(call))
            usable.update(name.partition(" ")[0] for name in used)
            seen |= used | mentions(call.event.result)
    return frozenset(
        call.signature
        for call in without
        if (named := mentions(_argument_text(call)))
        and named <= seen
        and any(
            name.partition(" ")[0] in usable or name in seen - set(mentions(known))
            for name in named
        )
    )


def _argument_text(call: JudgedCall) -> str:
    return " ".join(str(value) for value in call.event.call.args.values())
