"""From a finding of a run to the candidate of a lesson: its record, its words, its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from hindsight_core.capture.findings import Fix, JudgedCall, LessonFinding
from hindsight_core.capture.lesson_text import (
    Words,
    calls_text,
    first_text,
    fix_text,
    lesson_text,
    message_text,
    other_tool_text,
    words_of,
)
from hindsight_core.capture.pairing.same_aim import blamed_arguments
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
    Severity,
    Source,
    Tier,
    ToolCall,
    Trigger,
)
from hindsight_core.text import keywords, shorten

__all__ = ["TRANSIENT_LIFE", "Situation", "evidence_of", "lesson_candidate"]

TRANSIENT_LIFE: Final = timedelta(days=1)
"""How long the memory of a failure that passes by itself is kept."""
_MAX_QUERY: Final = 2_000
_MAX_INTENT: Final = 300
_MAX_IDS: Final = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """The task of a run: its text, its kind, its fingerprint, and what the user said first.

    `approved` is what the user said when he made its way the rule, "" where he did not.
    """

    task: str
    task_type: str | None
    fingerprint: str
    said: tuple[str, ...] = ()
    approved: str = ""

    @property
    def query(self) -> str:
        """The task's text as a memory keeps it."""
        return shorten(self.task, _MAX_QUERY)

    @property
    def intent(self) -> str:
        """The task in short."""
        return shorten(self.task, _MAX_INTENT)

    def words(self, message: str = "") -> Words:
        """The templates in the language of the run, or of a tool's message in a silent one."""
        said = (self.task, *self.said)
        return words_of(*said) if any(text.strip() for text in said) else words_of(message)


def evidence_of(calls: Sequence[JudgedCall]) -> Evidence:
    """Name the run and the calls in it; `calls` is not empty, the last in time gives the time."""
    ordered = sorted(calls, key=lambda call: call.index)
    ids = dict.fromkeys(call.event.call.call_id for call in ordered)
    event = ordered[-1].event
    named = tuple(call_id for call_id in ids if call_id)
    return Evidence(run_id=event.run_id, call_ids=named[-_MAX_IDS:], at=event.at)


def lesson_candidate(finding: LessonFinding, situation: Situation) -> Candidate:
    """Propose a lesson; the same finding in a later run of the task has the same `dedupe_key`."""
    last = finding.failures[-1]
    message = message_text(last.outcome.message or finding.error_class.value)
    words = situation.words(message)
    lesson = _lesson(finding, situation, message, words)
    once = {call.signature: call for call in finding.failures}.values()
    return Candidate(
        scope=last.event.scope,
        kind=Kind.LESSON,
        source=Source.TOOL,
        tier=Tier.SHORT if finding.transient else Tier.LONG,
        value=MemoryValue(
            content=lesson_text(lesson, words),
            intent=situation.intent,
            correction=lesson.correction.action if lesson.correction else "",
        ),
        key=MemoryKey(
            subject=finding.tool,
            task_type=situation.task_type,
            tool_sequence=lesson.trigger.tool_sequence,
            time=last.event.at,
        ),
        query=situation.query,
        lesson=lesson,
        evidence=(evidence_of([*(fix.worked for fix in finding.fixes), *once]),),
        dedupe_key=_key(finding, situation),
        expires_at=last.event.at + TRANSIENT_LIFE if finding.transient else None,
    )


def _key(finding: LessonFinding, situation: Situation) -> str:
    passing = "~" if finding.transient else ""
    about = f":{finding.about}" if finding.about else ""
    return f"lesson:{situation.fingerprint}:{finding.tool}:{finding.error_class}{passing}{about}"


def _lesson(finding: LessonFinding, situation: Situation, message: str, words: Words) -> Lesson:
    failed = tuple({c.signature: c.event.call for c in finding.failures}.values())
    worked = tuple({f.worked.signature: f.worked.event.call for f in finding.fixes}.values())
    return Lesson(
        trigger=Trigger(
            task_type=situation.task_type,
            tool_sequence=tuple(dict.fromkeys((finding.tool, *(call.tool for call in worked)))),
            context_keywords=keywords(situation.task),
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


def _correction(
    finding: LessonFinding, worked: tuple[ToolCall, ...], words: Words
) -> Correction | None:
    if finding.transient:
        after = words.recovered if finding.recovered else ""
        return Correction(action=after, proven=True) if after else None
    if not finding.fixes:
        return None
    if finding.fixes[0].first:
        return Correction(
            action=first_text(worked[0], words),
            precondition=worked[0].tool,
            calls=worked,
            proven=True,
        )
    if finding.fixes[0].other_tool:
        action = other_tool_text(worked[0], words)
    else:
        action = fix_text(map(_pair, finding.fixes), words)
    return Correction(action=action, calls=worked, proven=True) if action else None


def _pair(fix: Fix) -> tuple[ToolCall, ToolCall, frozenset[str]]:
    failed, worked = fix.failed.event.call, fix.worked.event.call
    names = {**failed.args, **worked.args}
    return failed, worked, blamed_arguments(fix.failed.event, fix.failed.outcome, names)


def _severity(finding: LessonFinding) -> Severity:
    if finding.transient:
        return Severity.LOW
    dead_end = not finding.fixes and finding.attempts >= 3
    grave = finding.error_class in (ErrorClass.PERMISSION, ErrorClass.QUOTA)
    return Severity.HIGH if dead_end or grave else Severity.MEDIUM
