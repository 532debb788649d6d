"""Decides what becomes of a candidate: admitted, kept as advice, quarantined or refused.

Provenance comes first: what a channel may set at all. A user or an operator may set anything but
an order that lifts the assistant's own rules. A tool can only ever advise, and neither a tool nor a
model can set credentials, endpoints, payees, permissions or "skip the check".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hindsight_core.guard.rules import Finding, Gravity, judge_text, role_markers
from hindsight_core.guard.unmask import unmask
from hindsight_core.schema import Candidate, Source

__all__ = ["Decision", "Verdict", "admit", "judge"]


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


def admit(candidate: Candidate, lineage_trust: Sequence[float] = ()) -> Verdict:
    """Judge a candidate.

    `lineage_trust` are the trusts of the memories it was derived from: the record's trust is the
    least of them and of its channel's.
    """
    trust = min((candidate.source.trust, *lineage_trust))
    decision, reasons = judge(shown_text(candidate), candidate.source)
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


def judge(text: str, source: Source) -> tuple[Decision, tuple[str, ...]]:
    """Judge a text by itself for the channel that it came from."""
    seen = unmask(text)
    findings = judge_text(seen.plain)
    reasons = [f"disguised: {trick}" for trick in sorted(seen.tricks & _HIDING)]
    if role_markers(seen.plain):
        reasons.append("opens a role or closes a block")
    hidden = [f for layer in seen.layers for f in judge_text(layer.text)]
    reasons += [f"hidden: {finding.reason}" for finding in hidden]
    if "zero_width" in seen.tricks or "lookalikes" in seen.tricks or "wide_letters" in seen.tricks:
        reasons += [f"disguised: {finding.reason}" for finding in findings]
    if source in _TRUSTED:
        reasons += [f.reason for f in findings if f.reason in _JAILBREAK]
        return (Decision.REFUSED if reasons else Decision.ADMITTED), tuple(reasons)
    return _untrusted(source, findings, reasons)


_JAILBREAK: Final = frozenset({"claims to be unbound"})


def _untrusted(
    source: Source, findings: Sequence[Finding], reasons: Sequence[str]
) -> tuple[Decision, tuple[str, ...]]:
    everything = (*reasons, *(finding.reason for finding in findings))
    if reasons or any(finding.gravity is Gravity.REFUSE for finding in findings):
        return Decision.REFUSED, everything
    if findings:
        return Decision.QUARANTINED, everything
    if source is Source.TOOL:
        return Decision.ADVICE_ONLY, ("comes from a tool",)
    return Decision.ADMITTED, ()
