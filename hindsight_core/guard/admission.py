"""Decides what becomes of a candidate: admitted, kept as advice, quarantined or refused.

Provenance comes first: what a channel may set at all. A user or an operator may set anything but an
order that lifts the assistant's own rules. A tool can only ever advise, and neither a tool nor a
model can set credentials, endpoints, payees, permissions or "skip the check". What no rule names is
left to two learnt scorers: one for the manner of an attack, one for the drift of planted advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hindsight_core.guard.content import scorer
from hindsight_core.guard.observed import changed_rights, quoted_text, shown_text, used_text
from hindsight_core.guard.reading import Reading, read
from hindsight_core.guard.rules import Finding, Gravity, judge_text, role_markers
from hindsight_core.guard.suspicion import Suspicion, suspicion
from hindsight_core.guard.tongues import is_foreign
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
_MASKING: Final = frozenset({"zero_width", "lookalikes", "wide_letters", "spaced_letters", "leet"})
"""Tricks that turn a finding into a refusal: who means it honestly need not mask it."""
_JAILBREAK: Final = frozenset({"claims to be unbound", "lifts the assistant's rules"})
"""What not even a user may make a lasting memory of."""
_QUOTED_SLACK: Final = 1.2
"""By how much more a message of a tool must look like planted advice than a note: errors are terse
and speak of rights and payments for honest reasons."""
_UNTRIED_SLACK: Final = 1.0
"""The same for a note that says itself that nobody tried it, as poison is written to be believed,
and for a lesson whose correction our own hooks saw work."""
_PASSAGE_SLACK: Final = 1.4
"""By how much more a passage must look like it than a whole note: a long text has many, and one
in a hundred honest ones of 150 words has a passage above this."""
_FROM_TOOL: Final = ("comes from a tool",)
_NOT_PLAIN: Final = ("is not plainly an observation",)
_FOREIGN: Final = ("is in a language that the guard was not taught",)
_UNPROVEN: Final = ("says itself that it is unproven",)
_SHOWN: Final = frozenset({Decision.ADMITTED, Decision.ADVICE_ONLY})


def admit(
    candidate: Candidate, lineage_trust: Sequence[float] = (), *, model: Suspicion | None = None
) -> Verdict:
    """Judge a candidate.

    `lineage_trust` are the trusts of the memories it was derived from: the record's trust is the
    least of them and of its channel's. `model` replaces the shipped weights.
    """
    trust = min((candidate.source.trust, *lineage_trust))
    quoted = quoted_text(candidate)
    if quoted is None:
        decision, reasons = judge(
            shown_text(candidate), candidate.source, model=_lenient(model, candidate)
        )
    else:
        decision, reasons = _judge_observed(candidate, quoted, model)
    if decision is Decision.ADMITTED and trust <= Source.TOOL.trust:
        decision, reasons = Decision.ADVICE_ONLY, (*reasons, *_FROM_TOOL)
    return Verdict(decision=decision, trust=trust, reasons=reasons)


def _lenient(model: Suspicion | None, candidate: Candidate) -> Suspicion:
    model = model or suspicion()
    correction = candidate.lesson.correction if candidate.lesson else None
    slack = _UNTRIED_SLACK if correction is not None and correction.proven else 0.0
    return replace(model, harmful=model.harmful + slack)


def _judge_observed(
    candidate: Candidate, quoted: str, model: Suspicion | None
) -> tuple[Decision, tuple[str, ...]]:
    """Judge what our own hooks saw by the words that are not ours.

    What a call used is judged for disguise and orders alone: to name an account in a call that
    failed changes none. Nothing is refused, since the calls did happen: a person may look.
    """
    model = model or suspicion()
    lenient = replace(
        model,
        harmful=model.harmful + _QUOTED_SLACK,
        doubtful=model.doubtful + _QUOTED_SLACK / 2,
    )
    decision, reasons = judge(quoted, candidate.source, model=lenient)
    used = read(used_text(candidate))
    orders = [found for found in judge_text(used) if found.gravity is Gravity.REFUSE]
    against = (*_hidden(used, orders), *(found.reason for found in orders))
    if candidate.lesson is not None:
        against = (*against, *changed_rights(candidate.lesson))
    if against or decision not in _SHOWN:
        return Decision.QUARANTINED, tuple(dict.fromkeys((*reasons, *against)))
    return decision, reasons


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
    foreign = is_foreign(reading)
    # A rule knows words, the model what they are about: where it sees plain work, rules are silent.
    worst = model.worst(reading)
    heard = score > model.doubtful or worst > model.harmful or foreign
    findings = [finding for finding in findings if finding.firm or heard]
    reasons = tuple(finding.reason for finding in findings)
    untried = any("untried" in sentence for sentence in reading.sentences.values())
    if score > model.harmful + (_UNTRIED_SLACK if untried else 0.0):
        reasons = (*reasons, "reads like planted advice")
    elif worst > model.harmful + _PASSAGE_SLACK:
        reasons = (*reasons, "has a passage that reads like planted advice")
    attack = scorer().score(reading, "note")
    if attack.value > scorer().threshold and heard:
        reasons = (*reasons, *attack.cues)
    if reasons:
        grave = any(finding.gravity is Gravity.REFUSE for finding in findings)
        return (Decision.REFUSED if grave else Decision.QUARANTINED), reasons
    if source is Source.TOOL:
        return Decision.ADVICE_ONLY, _FROM_TOOL
    if score > model.doubtful or worst > model.harmful:
        return Decision.ADVICE_ONLY, _NOT_PLAIN
    if foreign:
        return Decision.ADVICE_ONLY, _FOREIGN
    if any("unproven" in sentence for sentence in reading.sentences.values()):
        return Decision.ADVICE_ONLY, _UNPROVEN
    return Decision.ADMITTED, ()
