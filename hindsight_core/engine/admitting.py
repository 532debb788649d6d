"""Judges a candidate with what the store knows of it: the memories that it was derived from."""

from __future__ import annotations

from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.guard import Decision, Verdict, admit
from hindsight_core.schema import Candidate, Source, Status

__all__ = ["HELD", "may_join", "verdict_on", "waiting"]

HELD: Final = ":held"
"""What the `dedupe_key` of a held-back lesson ends with, so that it bars no honest one."""
_UNKNOWN_PARENT: Final = Source.TOOL.trust
_HELD_PARENT: Final = "derives from a memory that is held back"


def verdict_on(core: Core, candidate: Candidate) -> Verdict:
    """Judge a candidate; its trust is the least of its channel's and of its lineage's.

    A parent that is gone counts as little as a tool. What derives from a record in quarantine, or
    from one that was changed behind our back, waits with it.
    """
    if not candidate.lineage:
        return admit(_as_shown(candidate))
    known = core.store.get(candidate.scope, candidate.lineage)
    trusts = [parent.trust for parent in core.seal.intact(known, core.store)]
    held = len(trusts) < len(known) or any(p.status is Status.QUARANTINED for p in known)
    if len(known) < len(set(candidate.lineage)):
        trusts.append(_UNKNOWN_PARENT)
    verdict = admit(_as_shown(candidate), trusts)
    if not held or verdict.decision is Decision.REFUSED:
        return verdict
    reasons = (*verdict.reasons, _HELD_PARENT)
    return Verdict(decision=Decision.QUARANTINED, trust=verdict.trust, reasons=reasons)


def may_join(core: Core, candidate: Candidate) -> bool:
    """Whether what a run adds to a memory that stands may be shown as that memory is."""
    return verdict_on(core, candidate).decision in (Decision.ADMITTED, Decision.ADVICE_ONLY)


def waiting(candidate: Candidate) -> Candidate:
    """The candidate as one of its own, for it may not join the memory that stands."""
    return candidate.model_copy(update={"dedupe_key": f"{candidate.dedupe_key}{HELD}"})


def _as_shown(candidate: Candidate) -> Candidate:
    """The candidate without the task in which it was learnt.

    The task is the user's own words and no memory shows it; taken for words of the tool, "always
    do it like this" would put every lesson of that run into quarantine.
    """
    value = candidate.value.model_copy(update={"intent": ""})
    return candidate.model_copy(update={"query": "", "value": value})
