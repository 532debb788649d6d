"""A whole run judged: its events in, what it taught out.

A pure function of the events, so a run may be judged again when a late result arrives, or by two
processes at once: what comes out has the same keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import Final

from hindsight_core.capture._user_texts import preferences_of
from hindsight_core.capture.lesson_text import (
    Words,
    calls_text,
    fix_text,
    lesson_text,
    message_text,
    other_tool_text,
    words_of,
)
from hindsight_core.capture.outcomes import judge_outcome
from hindsight_core.capture.pairing import JudgedCall, LessonFinding, find_lessons
from hindsight_core.capture.paths import path_key, path_steps, path_text, read_feedback
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
from hindsight_core.schema import (
    Candidate,
    Correction,
    ErrorClass,
    Evidence,
    Kind,
    Lesson,
    MemoryKey,
    MemoryValue,
    Mistake,
    Outcome,
    Severity,
    Source,
    Tier,
    ToolCall,
    Trigger,
)
from hindsight_core.text import shorten, terms

__all__ = ["Judgement", "judge_run", "situation_of"]

TRANSIENT_LIFE: Final = timedelta(days=1)
"""How long the memory of a failure that passes by itself is kept."""
_MAX_QUERY: Final = 2_000
_MAX_KEYWORDS: Final = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What a run taught.

    `cleared` are the signatures of calls that worked and did not fail afterwards: whatever lesson
    names one of them is no longer true (`clear_lesson`). `cleared_tools` are their tools, to find
    those lessons by.
    """

    candidates: tuple[Candidate, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    cleared: frozenset[str] = frozenset()
    cleared_tools: tuple[str, ...] = ()


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
    candidates = (*run.preferences(), *run.lessons(), *run.path())
    return Judgement(
        candidates=tuple({_identity(one): one for one in candidates}.values()),
        calls=tuple(run.records()),
        cleared=frozenset(call.signature for call in run.standing()),
        cleared_tools=tuple(dict.fromkeys(call.tool for call in run.standing())),
    )


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
        self.start = next((e for e in events if isinstance(e, RunStarted)), None)
        said = [e for e in events if isinstance(e, UserSaid)]
        self.task = self.start.task if self.start and self.start.task else ""
        if not self.task and said:
            self.task = said[0].text
        self.situation = situation_of(self.task)
        self.calls = [
            JudgedCall(index=index, event=event, outcome=_outcome(event))
            for index, event in enumerate(e for e in events if isinstance(e, ToolCalled))
        ]
        self.said = said

    def preferences(self) -> Iterable[Candidate]:
        for event in self.events:
            if isinstance(event, (UserSaid, ToolRejected)):
                yield from preferences_of(event)

    def records(self) -> Iterable[CallRecord]:
        for call in self.calls:
            event, outcome = call.event, call.outcome
            yield CallRecord(
                scope=event.scope,
                signature=event.call.signature,
                shape=event.call.shape,
                situation=self.situation,
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

    def lessons(self) -> Iterable[Candidate]:
        for finding in find_lessons(self.calls, self.task):
            yield self._lesson(finding)

    def _words(self, *more: str) -> Words:
        return words_of(self.task, *(event.text for event in self.said[:5]), *more)

    def _lesson(self, finding: LessonFinding) -> Candidate:
        last = finding.failures[-1]
        message = message_text(last.outcome.message or finding.error_class.value)
        words = self._words(message) if self.task.strip() else words_of(message)
        lesson = self._lesson_record(finding, message, words)
        unique = {call.signature: call for call in finding.failures}
        return Candidate(
            scope=last.event.scope,
            kind=Kind.LESSON,
            source=Source.TOOL,
            tier=Tier.SHORT if finding.transient else Tier.LONG,
            value=MemoryValue(
                content=lesson_text(lesson, words),
                intent=shorten(self.task, 300),
                correction=lesson.correction.action if lesson.correction else "",
            ),
            key=MemoryKey(
                subject=finding.tool,
                task_type=lesson.trigger.task_type,
                tool_sequence=lesson.trigger.tool_sequence,
                time=last.event.at,
            ),
            query=shorten(self.task, _MAX_QUERY),
            lesson=lesson,
            evidence=(self._evidence([*unique.values(), *(fix.worked for fix in finding.fixes)]),),
            dedupe_key=self._lesson_key(finding),
            expires_at=last.event.at + TRANSIENT_LIFE if finding.transient else None,
        )

    def _lesson_key(self, finding: LessonFinding) -> str:
        kind = f"{finding.error_class}~" if finding.transient else str(finding.error_class)
        return f"lesson:{self.situation}:{finding.tool}:{kind}"

    def _lesson_record(self, finding: LessonFinding, message: str, words: Words) -> Lesson:
        failed = tuple({c.signature: c.event.call for c in finding.failures}.values())
        worked = tuple({f.worked.signature: f.worked.event.call for f in finding.fixes}.values())
        sequence = tuple(dict.fromkeys((finding.tool, *(call.tool for call in worked))))
        return Lesson(
            trigger=Trigger(
                task_type=self.start.task_type if self.start else None,
                tool_sequence=sequence,
                context_keywords=_keywords(self.task),
            ),
            mistake=Mistake(
                action=calls_text(failed, worked, words),
                consequence=message,
                severity=_severity(finding),
                error_class=finding.error_class,
                transient=finding.transient,
                calls=failed,
            ),
            correction=_correction(finding, worked, words),
        )

    def path(self) -> Iterable[Candidate]:
        steps = path_steps(self.calls)
        if not steps or not self._ended_well() or not self.task.strip():
            return
        task_type = self.start.task_type if self.start else None
        last = self.calls[-1].event
        yield Candidate(
            scope=last.scope,
            kind=Kind.PATH,
            source=Source.TOOL,
            value=MemoryValue(
                content=path_text(steps, self._words()), intent=shorten(self.task, 300)
            ),
            key=MemoryKey(
                subject=task_type or "",
                task_type=task_type,
                tool_sequence=tuple(dict.fromkeys(step.tool for step in steps)),
                time=last.at,
            ),
            query=shorten(self.task, _MAX_QUERY),
            path=steps,
            evidence=(self._evidence([call for call in self.calls if call.outcome.ok]),),
            dedupe_key=path_key(steps, task_type or self.situation),
        )

    def _ended_well(self) -> bool:
        """Explicit feedback outranks the user's words, these outrank the framework's outcome."""
        given = [e.good for e in self.events if isinstance(e, FeedbackGiven)]
        told = [good for good in given if good is not None]
        if told:
            return told[-1]
        done = max((call.event.at for call in self.calls), default=None)
        after = [e for e in self.said if done is not None and e.at > done and not e.nested]
        heard = [good for e in after if (good := read_feedback(e.text)) is not None]
        if heard:
            return heard[-1]
        ended = [e.ok for e in self.events if isinstance(e, RunEnded)]
        return bool(ended and ended[-1])

    def _evidence(self, calls: Sequence[JudgedCall]) -> Evidence:
        ids = dict.fromkeys(c.event.call.call_id for c in calls if c.event.call.call_id)
        event = calls[-1].event if calls else self.events[-1]
        return Evidence(run_id=event.run_id, call_ids=tuple(ids)[-64:], at=event.at)


def _outcome(event: ToolCalled) -> Outcome:
    return judge_outcome(
        event.call.tool,
        event.call.args,
        raised=event.raised,
        flagged_error=event.flagged_error,
        error_type=event.error_type,
        result=event.result,
    )


def _correction(
    finding: LessonFinding, worked: tuple[ToolCall, ...], words: Words
) -> Correction | None:
    if finding.transient:
        after = words.recovered if finding.recovered else ""
        return Correction(action=after, precondition=after, proven=True) if after else None
    if not finding.fixes:
        return None
    if finding.fixes[0].other_tool:
        action = other_tool_text(worked[0], words)
    else:
        pairs = ((fix.failed.event.call, fix.worked.event.call) for fix in finding.fixes)
        action = fix_text(pairs, words)
    return Correction(action=action, calls=worked, proven=True) if action else None


def _severity(finding: LessonFinding) -> Severity:
    if finding.transient:
        return Severity.LOW
    dead_end = not finding.fixes and finding.attempts >= 3
    grave = finding.error_class in (ErrorClass.PERMISSION, ErrorClass.QUOTA)
    return Severity.HIGH if dead_end or grave else Severity.MEDIUM


def _keywords(task: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in terms(task[:600]) if len(word) > 3))[:_MAX_KEYWORDS]
