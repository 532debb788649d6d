"""What the failures of a run teach: which call helped instead, which ways were dead ends.

Pure functions over the judged calls of one run, in their order. Failures of one tool and error
class make one finding, because only few memories are recalled for a task; other commands of one
shell and errors about other arguments are other failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hindsight_core.capture.findings import Fix, JudgedCall, LessonFinding, argument_text
from hindsight_core.capture.outcomes import acts, looks, things_of
from hindsight_core.capture.pairing.corrections import is_measure, words_in
from hindsight_core.capture.pairing.means import is_asked_for
from hindsight_core.capture.pairing.premature import premature_calls
from hindsight_core.capture.pairing.prerequisites import prerequisite_of
from hindsight_core.capture.pairing.same_aim import same_aim, topic_of_failure
from hindsight_core.capture.pairing.similar_calls import Profile, mentions, profile, similarity
from hindsight_core.schema import ErrorClass

__all__ = ["find_lessons"]

MAX_CALLS: Final = 64
"""Failing calls that one finding keeps, the last ones."""
MAX_FIXES: Final = 16
"""Fixes that one finding keeps, the last ones."""
_REACH: Final = 30
"""How many calls after a failure its fix may come."""
_REACH_OTHER: Final = 6
"""The same for a fix by another tool, which is the weaker evidence."""
_NAME: Final = 4
"""Signs from which a value that two tools were given says that they were about one thing."""
_NEARER: Final = 0.1
"""By how much a later success must be more alike to be the fix instead of the first."""


def find_lessons(calls: Sequence[JudgedCall], known: str = "") -> list[LessonFinding]:
    """Group and pair the failures of a run.

    A call that also worked in the run is left out unless its failure was transient: there the
    lesson is to wait. `known` is the text of the task: a call without effect on a thing that is
    known to exist may only have come too early, and is no evidence yet.
    """
    run = _Run(calls)
    worked = run.worked
    premature = premature_calls(calls, known)
    groups: dict[tuple[str, ErrorClass, bool, str], list[JudgedCall]] = {}
    first: dict[tuple[str, ErrorClass, str], list[Fix]] = {}
    for call in calls:
        if call.outcome.ok or call.signature in premature:
            continue
        error_class = call.outcome.error_class or ErrorClass.SOFT
        if (before := prerequisite_of(call, calls)) is not None:
            fix = Fix(failed=call, worked=before, first=True)
            first.setdefault((call.tool, error_class, before.tool), []).append(fix)
            continue
        if call.signature in worked and not call.outcome.transient:
            continue
        about = topic_of_failure(call.event, call.outcome)
        key = (call.tool, error_class, call.outcome.transient, about)
        groups.setdefault(key, []).append(call)
    return [
        *_after_others(first),
        *(
            replace(
                _finding(tool, error_class, transient, tuple(failures[-MAX_CALLS:]), run),
                about=about,
            )
            for (tool, error_class, transient, about), failures in groups.items()
        ),
    ]


def _after_others(
    first: Mapping[tuple[str, ErrorClass, str], Sequence[Fix]],
) -> Iterator[LessonFinding]:
    """What came too early: the failures of each tool that another one has to precede."""
    for (tool, error_class, before), fixes in first.items():
        yield LessonFinding(
            tool=tool,
            error_class=error_class,
            transient=False,
            failures=tuple(fix.failed for fix in fixes[-MAX_CALLS:]),
            fixes=tuple(fixes[-MAX_FIXES:]),
            about=f"after {before}"[:80],
        )


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

    def each_of_many(self, failed: JudgedCall, later: JudgedCall) -> bool:
        """Whether a fix by other means is one of several calls, each for a thing of its own."""
        if same_aim(failed.event, failed.outcome, later.event):
            return False
        own = self.profile(failed).canonical
        kept = {n: v for n, v in self.profile(later).canonical.items() if own.get(n) == v}
        return any(
            call.signature != later.signature
            and call.tool == later.tool
            and call.request == later.request
            and all(self.profile(call).canonical.get(name) == kept[name] for name in kept)
            for call in self.ok
        )


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
        if later.tool != call.tool:
            continue
        if not same_aim(call.event, call.outcome, later.event, call.asked):
            continue
        if run.each_of_many(call, later):
            continue
        alike = similarity(run.profile(call), run.profile(later))
        if best is None or alike > best[0] + _NEARER:
            best = (alike, later)
    return Fix(failed=call, worked=best[1]) if best else None


def _other_tool(failures: Sequence[JudgedCall], run: _Run) -> Fix | None:
    """Find the call of another tool after the last failure that has words of any of them."""
    call = failures[-1]
    wanted = {term for failed in failures for term in run.profile(failed).terms}
    things = mentions(argument_text(call))
    wants_act = acts(call.tool)
    for later in run.later(call, _REACH_OTHER):
        if later.tool == call.tool:
            continue
        alike = acts(later.tool) or (not looks(later.tool) and _one_object(call, later))
        if wants_act and not alike:
            continue
        others = mentions(argument_text(later))
        if things and others and not things & others:
            continue
        given = run.profile(later).terms
        shared = wanted & given
        if len(shared) >= 2 or (shared and len(shared) * 2 >= min(len(wanted), len(given))):
            return Fix(failed=call, worked=later)
        if _asks_the_same_place(failures, later):
            return Fix(failed=call, worked=later)
    return None


def _asks_the_same_place(failures: Sequence[JudgedCall], later: JudgedCall) -> bool:
    """Whether a tool named after the place that could not be read was asked what the user wants.

    `wiki_search` after `http_get` of `wiki.example.org`, with words of the request and no others.
    """
    call = failures[-1]
    values = [*later.event.call.args.values()]
    if acts(call.tool) or not looks(later.tool) or not values:
        return False
    if not all(is_asked_for(value, call.asked) for value in values if isinstance(value, str)):
        return False
    place = set(words_in(argument_text(call)))
    named = {word for word in things_of(later.tool) if len(word) >= _NAME}
    return bool(place & named - things_of(call.tool))


def _one_object(call: JudgedCall, later: JudgedCall) -> bool:
    """Whether both were given the very same name of a thing."""
    given = {value for value in later.event.call.args.values() if isinstance(value, str)}
    return any(
        isinstance(value, str) and value in given and len(value) >= _NAME and not is_measure(value)
        for value in call.event.call.args.values()
    )
