"""What the failures of a run teach: which call helped instead, which ways were dead ends.

Pure functions over the judged calls of one run, in their order. Failures of one tool and error
class make one finding, because only few memories are recalled for a task; other commands of one
shell and errors about other arguments are other failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight_core.capture.outcomes import acts, says_no_effect
from hindsight_core.capture.same_aim import same_aim, topic_of_failure
from hindsight_core.capture.similar_calls import Profile, mentions, profile, similarity
from hindsight_core.events import ToolCalled
from hindsight_core.schema import ErrorClass, Outcome

__all__ = ["Fix", "JudgedCall", "LessonFinding", "find_lessons"]

MAX_CALLS: Final = 64
"""Failing calls that one finding keeps, the last ones."""
MAX_FIXES: Final = 16
"""Fixes that one finding keeps, the last ones."""
_REACH: Final = 30
"""How many calls after a failure its fix may come."""
_REACH_OTHER: Final = 6
"""The same for a fix by another tool, which is the weaker evidence."""
_NEARER: Final = 0.1
"""By how much a later success must be more alike to be the fix instead of the first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCall:
    """A call, what came of it, and its place in the run."""

    index: int
    event: ToolCalled
    outcome: Outcome
    request: int = 0
    """Which of the user's requests it served: what came of another one is no fix of it."""

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
    about: str = ""
    """What sets these failures apart from others of the tool and class, "" where nothing does."""

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
    run = _Run(calls)
    worked = run.worked
    premature = _premature(calls, known)
    groups: dict[tuple[str, ErrorClass, bool, str], list[JudgedCall]] = {}
    for call in calls:
        if call.outcome.ok or call.signature in premature:
            continue
        if call.signature in worked and not call.outcome.transient:
            continue
        error_class = call.outcome.error_class or ErrorClass.SOFT
        about = topic_of_failure(call.event, call.outcome)
        key = (call.tool, error_class, call.outcome.transient, about)
        groups.setdefault(key, []).append(call)
    return [
        replace(
            _finding(tool, error_class, transient, tuple(failures[-MAX_CALLS:]), run), about=about
        )
        for (tool, error_class, transient, about), failures in groups.items()
    ]


class _Run:
    """The calls of a run with what is computed once for all comparisons."""

    def __init__(self, calls: Sequence[JudgedCall]) -> None:
        self.ok = [call for call in calls if call.outcome.ok]
        self.worked = {call.signature for call in self.ok}
        self.first_worked: dict[str, int] = {}
        for call in self.ok:
            self.first_worked.setdefault(call.signature, call.index)
        self._profiles: dict[str, Profile] = {}

    def profile(self, call: JudgedCall) -> Profile:
        found = self._profiles.get(call.signature)
        if found is None:
            found = self._profiles[call.signature] = profile(call.event.call.args)
        return found

    def later(self, call: JudgedCall, reach: int) -> Iterator[JudgedCall]:
        """Successes soon after a call which had not worked before it."""
        for other in self.ok:
            if other.index > call.index + reach:
                return
            if other.index <= call.index or other.request != call.request:
                continue
            if self.first_worked[other.signature] > call.index:
                yield other


def _finding(
    tool: str,
    error_class: ErrorClass,
    transient: bool,
    failures: tuple[JudgedCall, ...],
    run: _Run,
) -> LessonFinding:
    if transient:
        return LessonFinding(
            tool=tool,
            error_class=error_class,
            transient=True,
            failures=failures,
            recovered=any(call.signature in run.worked for call in failures),
        )
    # Who repeats a mistake after its fix has not taken the fix back: the latest with one counts.
    fix_of_each = {
        call.signature: fix for call in failures if (fix := _same_tool(call, run)) is not None
    }
    fixes = list(fix_of_each.values())
    if not fixes:
        fixes = [fix for fix in (_other_tool(failures, run),) if fix]
    return LessonFinding(
        tool=tool,
        error_class=error_class,
        transient=False,
        failures=failures,
        fixes=tuple(fixes[-MAX_FIXES:]),
    )


def _same_tool(call: JudgedCall, run: _Run) -> Fix | None:
    best: tuple[float, JudgedCall] | None = None
    for later in run.later(call, _REACH):
        if later.tool != call.tool or not same_aim(call.event, call.outcome, later.event):
            continue
        alike = similarity(run.profile(call), run.profile(later))
        if best is None or alike > best[0] + _NEARER:
            best = (alike, later)
    return Fix(failed=call, worked=best[1]) if best else None


def _other_tool(failures: Sequence[JudgedCall], run: _Run) -> Fix | None:
    """Find the call of another tool after the last failure that has words of any of them."""
    call = failures[-1]
    wanted = {term for failed in failures for term in run.profile(failed).terms}
    things = mentions(_argument_text(call))
    wants_act = acts(call.tool)
    for later in run.later(call, _REACH_OTHER):
        if later.tool == call.tool:
            continue
        if wants_act and not acts(later.tool):
            continue
        others = mentions(_argument_text(later))
        if things and others and not things & others:
            continue
        given = run.profile(later).terms
        shared = wanted & given
        if len(shared) >= 2 or (shared and len(shared) * 2 >= min(len(wanted), len(given))):
            return Fix(failed=call, worked=later)
    return None


def _premature(calls: Sequence[JudgedCall], known: str) -> frozenset[str]:
    """Signatures of calls without effect that may only have come too early.

    The things that such a call names are known, from the task or from what worked, and some call
    worked on their kind or met them. A tool that worked on others of the one thing's kind has no
    such excuse: there the failure is about the thing.
    """
    without = [
        call
        for call in calls
        if not call.outcome.ok
        and call.outcome.error_class is ErrorClass.SOFT
        and says_no_effect(call.outcome.message)
    ]
    if not without:
        return frozenset()
    met: set[str] = set()
    kinds: dict[str, set[str]] = {}
    for call in calls:
        if call.outcome.ok:
            used = mentions(_argument_text(call))
            met |= used | mentions(call.event.result)
            kinds.setdefault(call.tool, set()).update(map(_kind, used))
    anywhere = frozenset[str]().union(*kinds.values())
    exist = met | mentions(known)
    found: set[str] = set()
    for call in without:
        named = mentions(_argument_text(call))
        own = frozenset(map(_kind, named))
        if not named or not named <= exist or not (own & anywhere or named <= met):
            continue
        if len(named) > 1 or not own <= kinds.get(call.tool, set()):
            found.add(call.signature)
    return frozenset(found)


def _kind(name: str) -> str:
    return name.partition(" ")[0]


def _argument_text(call: JudgedCall) -> str:
    return " ".join(str(value) for value in call.event.call.args.values())
