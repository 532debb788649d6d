"""From what a user said to candidate preferences and facts."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from hindsight_core.capture.preferences import PreferenceFinding, extract_preferences
from hindsight_core.events import ToolRejected, UserSaid
from hindsight_core.schema import (
    Candidate,
    Context,
    Evidence,
    Kind,
    MemoryKey,
    MemoryValue,
    Preference,
    Source,
)
from hindsight_core.text import fold

__all__ = ["preferences_of"]


def preferences_of(event: UserSaid | ToolRejected) -> Iterator[Candidate]:
    """Yield what a user's text states for good; nothing for a "user" turn that a model wrote."""
    if isinstance(event, UserSaid):
        if event.nested:
            return
        before = event.before
    else:
        before = event.call.tool
    for finding in extract_preferences(event.text, before=before):
        yield _candidate(event, finding, before)


def _candidate(
    event: UserSaid | ToolRejected, finding: PreferenceFinding, before: str
) -> Candidate:
    preference = None
    if finding.kind is Kind.PREFERENCE:
        preference = Preference(
            slot=finding.slot,
            polarity=finding.polarity,
            condition=finding.condition,
            exception=finding.exception,
        )
    said = blake2b(" ".join(fold(finding.content).split()).encode(), digest_size=12).hexdigest()
    return Candidate(
        scope=event.scope,
        kind=finding.kind,
        source=Source.USER,
        value=MemoryValue(content=finding.content),
        key=MemoryKey(subject=finding.slot, entities=finding.entities, time=event.at),
        context=Context(speaker="user", said_at=event.at, before=before[-400:]),
        preference=preference,
        evidence=(Evidence(run_id=event.run_id, at=event.at),),
        supersedes_slot=finding.slot if finding.is_correction else "",
        dedupe_key=f"{finding.kind}:{said}",
    )
