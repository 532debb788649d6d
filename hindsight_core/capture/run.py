"""A whole run judged: its events in, what it taught out.

A pure function of the events, so a run may be judged again when a late result arrives, or by two
processes at once: what comes out has the same keys.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

from hindsight_core.capture._user_texts import preferences_of
from hindsight_core.capture.feedback import makes_it_the_way, read_feedback
from hindsight_core.capture.findings import judged_calls
from hindsight_core.capture.lessons import Situation, lesson_candidate
from hindsight_core.capture.pairing import find_lessons
from hindsight_core.capture.paths import path_candidate, tasks_of
from hindsight_core.capture.states import Course, had_no_effect, in_state
from hindsight_core.events import (
    Event,
    FeedbackGiven,
    RunEnded,
    RunStarted,
    ToolCalled,
    ToolRejected,
    UserSaid,
)
from hindsight_core.ports import CallRecord
from hindsight_core.schema import Candidate, ToolCall
from hindsight_core.text import terms

__all__ = ["Judgement", "course_of", "judge_run", "situation_of", "tools_that_worked"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What a run taught.

    `cleared` are the signatures of calls whose last attempt worked: whatever lesson names one of
    them is no longer true (`clear_lesson`). `cleared_tools` are their tools, to find those lessons
    by. `unverified` are keys of the path that the run took, where somebody said that it did not do:
    what an earlier judgement took from this run for verified is not (`withdraw`). `good` is how the
    run ended, None where nobody can tell. `standing` are the calls whose signatures are `cleared`.
    """

    candidates: tuple[Candidate, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    cleared: frozenset[str] = frozenset()
    cleared_tools: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    good: bool | None = None
    standing: tuple[ToolCall, ...] = ()


def situation_of(task: str) -> str:
    """Return the fingerprint of a task: 32 hex digits, blind to case, spaces and punctuation."""
    text = " ".join(terms(task[:20_000]))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def judge_run(events: Sequence[Event]) -> Judgement:
    """Judge the events of one run.

    They may be out of order or doubled, and the run's start or end may be missing. Texts of the
    agent, and "user" texts that a model wrote, are never a source of preferences.
    """
    ordered = _in_order(events)
    if not ordered:
        return Judgement()
    run = _Run(ordered)
    found = (*run.preferences(), *run.lessons(), *run.path())
    standing = run.standing()
    return Judgement(
        candidates=tuple({_identity(one): one for one in found}.values()),
        calls=tuple(run.records()),
        cleared=frozenset(call.signature for call in standing),
        cleared_tools=tuple(dict.fromkeys(call.tool for call in standing)),
        unverified=tuple(run.unverified()),
        good=run.ended_well(),
        standing=tuple(standing),
    )


def course_of(events: Sequence[Event]) -> Course:
    """What has worked so far in a run that goes on."""
    return _Run(_in_order(events)).course()


def tools_that_worked(events: Sequence[Event]) -> frozenset[str]:
    """The tools of which a call has worked so far in a run that goes on."""
    return frozenset(call.tool for call in judged_calls(_in_order(events)) if call.outcome.ok)


def _identity(candidate: Candidate) -> tuple[str, str]:
    return candidate.scope.model_dump_json(), candidate.dedupe_key


def _in_order(events: Iterable[Event]) -> list[Event]:
    once: dict[tuple[str, str], Event] = {}
    for event in events:
        once.setdefault((event.type, event.key), event)
    return sorted(once.values(), key=lambda event: event.at)


class _Run:
    def __init__(self, events: list[Event]) -> None:
        self.events = events
        said = [e for e in events if isinstance(e, UserSaid)]
        self.own_words = [e for e in said if not e.nested]
        self.calls = list(judged_calls(events))
        start = next((e for e in events if isinstance(e, RunStarted)), None)
        task = start.task if start else ""
        if not task.strip() and said:
            task = said[0].text
        self.situation = Situation(
            task=task,
            task_type=start.task_type if start else None,
            fingerprint=situation_of(task),
            said=tuple(event.text for event in said[:5]),
        )

    def course(self) -> Course:
        return Course(self.situation.task, self.calls)

    def preferences(self) -> Iterable[Candidate]:
        turn = 0
        for event in self.events:
            if isinstance(event, ToolRejected):
                yield from preferences_of(event, [event.call], [])
            elif isinstance(event, UserSaid):
                yield from preferences_of(event, *self._calls_by_turn[turn : turn + 2])
                turn += 1

    @cached_property
    def _calls_by_turn(self) -> list[list[ToolCall]]:
        """The calls before the first turn of a user, then those of each."""
        turns: list[list[ToolCall]] = [[]]
        for event in self.events:
            if isinstance(event, UserSaid):
                turns.append([])
            elif isinstance(event, ToolCalled):
                turns[-1].append(event.call)
        return turns

    def lessons(self) -> Iterable[Candidate]:
        for finding in find_lessons(self.calls, self.situation.task):
            yield lesson_candidate(finding, self.situation)

    def path(self) -> Iterable[Candidate]:
        if self.ended_well():
            yield from self._paths()

    def unverified(self) -> Iterable[str]:
        if self._verdict is False:
            yield from (path.dedupe_key for path in self._paths())

    def _paths(self) -> Iterable[Candidate]:
        """The way of each task of the run: requests that have nothing in common are several."""
        for calls in tasks_of(self.calls):
            own = replace(self.situation, approved=self._approval(calls[-1].event))
            if calls[0].request and (asked := calls[0].asked):
                own = replace(own, task=asked, fingerprint=situation_of(asked))
            if found := path_candidate(calls, own):
                yield found

    def _approval(self, last: ToolCalled) -> str:
        """What the user said next after a call, if that made the way to it the rule."""
        after = bisect_right(self.own_words, last.at, key=lambda one: one.at)
        said = [one.text for one in self.own_words[after : after + 1]]
        return next(filter(makes_it_the_way, said), self._approved)

    @cached_property
    def _approved(self) -> str:
        """The first feedback that makes the run's way the rule."""
        told = (one.text for one in self.events if isinstance(one, FeedbackGiven))
        return next(filter(makes_it_the_way, told), "")

    def records(self) -> Iterable[CallRecord]:
        course = Course(self.situation.task)
        fickle = {call.tool for call in self.calls if had_no_effect(call)}
        for call in self.calls:
            event, outcome = call.event, call.outcome
            situation = self.situation.fingerprint
            if had_no_effect(call) or (outcome.ok and call.tool in fickle):
                situation = in_state(situation, course.state(event.call))
            course.add(call)
            yield CallRecord(
                scope=event.scope,
                signature=call.signature,
                shape=event.call.shape,
                situation=situation,
                tool=call.tool,
                ok=outcome.ok,
                at=event.at,
                run_id=event.run_id,
                key=event.key,
                error_class=outcome.error_class.value if outcome.error_class else "",
                transient=outcome.transient,
            )

    def standing(self) -> list[ToolCall]:
        """Calls whose last attempt worked."""
        last = {call.signature: call for call in self.calls}
        return [call.event.call for call in last.values() if call.outcome.ok]

    def ended_well(self) -> bool | None:
        """How the run ended: what people said outranks what the framework says."""
        if self._verdict is not None:
            return self._verdict
        ended = [e.ok for e in self.events if isinstance(e, RunEnded)]
        return ended[-1] if ended else None

    @cached_property
    def _verdict(self) -> bool | None:
        """What people said of the run's outcome; explicit feedback outranks other words.

        A complaint counts from the first call on, praise only after the last: until then it is
        about something else.
        """
        given = [e.good for e in self.events if isinstance(e, FeedbackGiven) and e.good is not None]
        if given:
            return given[-1]
        heard: bool | None = None
        if self.calls:
            first, last = self.calls[0].event.at, self.calls[-1].event.at
            for event in self.own_words:
                good = read_feedback(event.text) if event.at > first else None
                if good is False or (good and event.at > last):
                    heard = good
        return heard
