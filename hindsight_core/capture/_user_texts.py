"""From what a user said to candidate preferences and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from hindsight_core.capture.jsonable import dump_json, to_jsonable
from hindsight_core.capture.preferences import (
    PreferenceFinding,
    extract_preferences,
    read_preference,
)
from hindsight_core.capture.said_of import said_of
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
    ToolCall,
)
from hindsight_core.text import fold

__all__ = ["late_news", "preferences_of", "restated"]

_LIKELY: Final = 0.3
"""Probability from which news of a fact that is known already is taken for such."""
_SHORT: Final = 160
_SUPPOSED: Final = re.compile("(?:如果|要是|假如|若|万一|萬一|if |when )", re.IGNORECASE)
_MAX_TOOLS: Final = 8
"""So many tools and arguments are kept of those that a statement may be about."""


def preferences_of(
    event: UserSaid | ToolRejected,
    earlier: Sequence[ToolCall] = (),
    later: Sequence[ToolCall] = (),
) -> Iterator[Candidate]:
    """Yield what a user's text states for good; nothing for a "user" turn that a model wrote.

    `earlier` and `later` are the calls just before and after: what they have in common with the
    statement tells which tools and arguments it is about.
    """
    if isinstance(event, UserSaid):
        if event.nested:
            return
        before = event.before
    else:
        before = event.call.tool
    for finding in extract_preferences(event.text, before=before):
        yield _candidate(event, finding, before, earlier, later)


def restated(event: UserSaid, content: str, kind: Kind) -> Candidate | None:
    """What a turn made of an earlier statement, in its new words; None for an unknown language."""
    finding = read_preference(content)
    if finding is None:
        return None
    said = replace(finding, kind=kind, is_correction=True)
    return _candidate(event, said, event.text, (), ())


def late_news(text: str) -> list[str]:
    """Sentences that change a fact, if it was told before: too little to be kept by themselves."""
    found = extract_preferences(text, least=_LIKELY) if len(text) <= _SHORT else []
    return [
        one.content
        for one in found
        if one.kind is Kind.FACT
        and one.is_correction
        and not (one.of_another or one.condition)
        and not _SUPPOSED.match(one.content)
    ]


def _candidate(
    event: UserSaid | ToolRejected,
    finding: PreferenceFinding,
    before: str,
    earlier: Sequence[ToolCall],
    later: Sequence[ToolCall],
) -> Candidate:
    preference = None
    if finding.kind is Kind.PREFERENCE:
        near = [*earlier, *later]
        about = said_of(finding, earlier, later)
        preference = Preference(
            slot=finding.slot,
            polarity=finding.polarity,
            condition=finding.condition,
            exception=finding.exception,
            tools=_tools(finding, near),
            arguments=_arguments(finding, near),
            settles=about.settles,
            given=about.given,
            refuses=about.refuses,
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


def _tools(finding: PreferenceFinding, near: Sequence[ToolCall]) -> tuple[str, ...]:
    """The tools that were called near a statement.

    One whose arguments named the topic is left out: where they do not name it, it is another topic.
    """
    named = {call.tool for call in near if _names(call, finding.topic)}
    return tuple(dict.fromkeys(call.tool for call in near if call.tool not in named))[:_MAX_TOOLS]


def _names(call: ToolCall, topic: Sequence[str]) -> bool:
    said = fold(dump_json(to_jsonable(call.args)))
    return any(fold(term) in said for term in topic)


def _arguments(finding: PreferenceFinding, near: Sequence[ToolCall]) -> tuple[str, ...]:
    """The arguments, as `tool/name`, that had a wanted or an unwanted thing for a value."""
    terms = [fold(term) for term in (*finding.want, *finding.avoid)]
    found = (
        f"{call.tool}/{name}"
        for call in near
        for name, value in call.args.items()
        if isinstance(value, str) and fold(value).strip() in terms
    )
    return tuple(dict.fromkeys(found))[:_MAX_TOOLS]
