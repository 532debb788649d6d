"""A checked card and the lessons that stand: what it adds to one of them."""

from __future__ import annotations

from typing import Final

from hindsight_core.schema import Candidate, Evidence, Lesson, Memory, Source, Status

__all__ = ["merge_alike", "merge_card"]

_MAX_EVIDENCE: Final = 32
_MAX_CALLS: Final = 96
_MAX_KEYWORDS: Final = 24


def merge_card(old: Memory, card: Candidate) -> Memory:
    """Add a card to the lesson about the very same failing call.

    A correction that a run saw to work stays as it is, and the card only says how to notice the
    case; otherwise the card's correction and words take its place. Returns `old` itself when the
    card adds nothing.
    """
    if old.lesson is None or card.lesson is None:
        return old
    proven = old.lesson.correction is not None and old.lesson.correction.proven
    new = card.lesson.correction
    keep = proven or (old.lesson.correction is not None and not (new and new.proven))
    lesson = _joined(old.lesson, card.lesson, keep_correction=keep)
    value = old.value.model_copy(update={"resolution": card.value.resolution})
    if not keep:
        value = card.value.model_copy(update={"intent": old.value.intent or card.value.intent})
    evidence = _evidence(old.evidence, card.evidence)
    if (lesson, value, evidence) == (old.lesson, old.value, old.evidence):
        return old
    return old.model_copy(
        update={
            "lesson": lesson,
            "value": value,
            "evidence": evidence,
            "lineage": tuple(dict.fromkeys([*old.lineage, *card.lineage])),
            "trust": min(old.trust, Source.TOOL.trust),
            "status": Status.ACTIVE if old.status is Status.ARCHIVED else old.status,
        }
    )


def merge_alike(old: Memory, card: Candidate) -> Memory:
    """Add a card to a lesson that says the same of another call: calls and evidence, not words."""
    if old.lesson is None or card.lesson is None:
        return old
    return old.model_copy(
        update={
            "lesson": _joined(old.lesson, card.lesson, keep_correction=True),
            "evidence": _evidence(old.evidence, card.evidence),
            "lineage": tuple(dict.fromkeys([*old.lineage, *card.lineage])),
            "trust": min(old.trust, Source.TOOL.trust),
        }
    )


def _joined(old: Lesson, new: Lesson, *, keep_correction: bool) -> Lesson:
    calls = {call.signature: call for call in (*old.mistake.calls, *new.mistake.calls)}
    words = dict.fromkeys([*old.trigger.context_keywords, *new.trigger.context_keywords])
    return old.model_copy(
        update={
            "mistake": old.mistake.model_copy(
                update={"calls": tuple(calls.values())[-_MAX_CALLS:]}
            ),
            "trigger": old.trigger.model_copy(
                update={"context_keywords": tuple(words)[:_MAX_KEYWORDS]}
            ),
            "correction": old.correction if keep_correction else new.correction,
            "domain": old.domain if old.domain != "general" else new.domain,
        }
    )


def _evidence(old: tuple[Evidence, ...], new: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Both, one entry a run: what the hooks saw of it, with the card's note."""
    by_run = {one.run_id: one for one in old}
    for one in new:
        seen = by_run.get(one.run_id, one)
        by_run[one.run_id] = seen.model_copy(update={"note": seen.note or one.note})
    return tuple(by_run.values())[-_MAX_EVIDENCE:]
