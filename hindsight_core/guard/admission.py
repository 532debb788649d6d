"""Decides what becomes of a candidate: admitted, kept as advice, quarantined or refused.

Provenance comes first: what a channel may set at all. A user or an operator may set anything but an
order that lifts the assistant's own rules. A tool can only ever advise, and neither a tool nor a
model can set credentials, endpoints, payees, permissions or "skip the check". What no rule names is
left to two learnt scorers: one for the manner of an attack, one for the drift of planted advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hindsight_core.guard.content import scorer
from hindsight_core.guard.reading import Reading, read
from hindsight_core.guard.rules import Finding, Gravity, judge_text, role_markers
from hindsight_core.guard.suspicion import Suspicion, suspicion
from hindsight_core.schema import Candidate, Source

__all__ = ["Decision", "Verdict", "admit", "judge", "shown_text"]


class Decision(StrEnum):
    """What becomes of a candidate.

    `advice_only` is stored and shown, marked as unproven advice; `quarantined` is stored and shown
    to nobody but a reviewer; `refused` is not stored.
    """

    ADMITTED = "admitted"
    ADVICE_ONLY = "advice_only"
    QUARANTINED = "quarantined"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The decision, the trust (0 to 1) that the record gets, and why."""

    decision: Decision
    trust: float
    reasons: tuple[str, ...] = ()


_TRUSTED: Final = frozenset({Source.USER, Source.OPERATOR})
_HIDING: Final = frozenset(
    {"tag_characters", "variation_selectors", "bidirectional", "many_layers"}
)
"""Tricks that have no honest use in a memory, whatever they hid."""
_MASKING: Final = frozenset({"zero_width", "lookalikes", "wide_letters", "spaced_letters", "leet"})
"""Tricks that turn a finding into a refusal: who means it honestly need not mask it."""
_JAILBREAK: Final = frozenset({"claims to be unbound", "lifts the assistant's rules"})
"""What not even a user may make a lasting memory of."""


def admit(
    candidate: Candidate, lineage_trust: Sequence[float] = (), *, model: Suspicion | None = None
) -> Verdict:
    """Judge a candidate.

    `lineage_trust` are the trusts of the memories it was derived from: the record's trust is the
    least of them and of its channel's. `model` replaces the shipped weights.
    """
    trust = min((candidate.source.trust, *lineage_trust))
    decision, reasons = judge(shown_text(candidate), candidate.source, model=model)
    if decision is Decision.ADMITTED and trust <= Source.TOOL.trust:
        decision, reasons = Decision.ADVICE_ONLY, (*reasons, "comes from a tool")
    return Verdict(decision=decision, trust=trust, reasons=reasons)


def shown_text(candidate: Candidate) -> str:
    """All text of a candidate that a model may come to read, one part a line."""
    value = candidate.value
    parts = [value.content, value.intent, value.resolution, value.correction, candidate.query]
    if candidate.lesson is not None:
        mistake, correction = candidate.lesson.mistake, candidate.lesson.correction
        parts += [mistake.action, mistake.consequence]
        parts += [correction.action, correction.precondition] if correction else []
    return "\n".join(dict.fromkeys(part for part in parts if part.strip()))


def judge(
    text: str, source: Source, *, model: Suspicion | None = None
) -> tuple[Decision, tuple[str, ...]]:
    """Judge a text by itself for the channel that it came from."""
    reading = read(text)
    findings = judge_text(reading)
    hidden = _hidden(reading, findings)
    if source in _TRUSTED:
        reasons = (*hidden, *(f.reason for f in findings if f.reason in _JAILBREAK))
        return (Decision.REFUSED if reasons else Decision.ADMITTED), reasons
    if hidden:
        return Decision.REFUSED, (*hidden, *(finding.reason for finding in findings))
    return _untrusted(reading, source, findings, model or suspicion())


def _hidden(reading: Reading, findings: Sequence[Finding]) -> tuple[str, ...]:
    """What speaks against a text by the way it is disguised, over any channel."""
    reasons = [f"disguised by {trick}" for trick in sorted(reading.tricks & _HIDING)]
    if role_markers(reading.plain):
        reasons.append("opens a role or closes a block")
    for layer in reading.hidden:
        reasons += [f"hides that it {finding.reason}" for finding in judge_text(layer)]
    if reading.tricks & _MASKING:
        reasons += [f"masks that it {finding.reason}" for finding in findings]
    return tuple(dict.fromkeys(reasons))


def _untrusted(
    reading: Reading, source: Source, findings: Sequence[Finding], model: Suspicion
) -> tuple[Decision, tuple[str, ...]]:
    score = model.score(reading)
    # A rule knows words, the model what they are about: where it sees plain work, rules are silent.
    reasons = tuple(f.reason for f in findings) if score > model.doubtful else ()
    if score > model.harmful:
        reasons = (*reasons, "reads like planted advice")
    attack = scorer().score(reading, "note")
    if attack.value > scorer().threshold and score > model.doubtful:
        reasons = (*reasons, *attack.cues)
    if reasons:
        grave = any(finding.gravity is Gravity.REFUSE for finding in findings)
        return (Decision.REFUSED if grave else Decision.QUARANTINED), reasons
    if source is Source.TOOL:
        return Decision.ADVICE_ONLY, ("comes from a tool",)
    if score > model.doubtful:
        return Decision.ADVICE_ONLY, ("is not plainly an observation",)
    if any("unproven" in sentence for sentence in reading.sentences.values()):
        return Decision.ADVICE_ONLY, ("says itself that it is unproven",)
    return Decision.ADMITTED, ()
