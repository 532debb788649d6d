"""What a caller asks to be remembered, as a candidate: redacted, known again when said again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import TypeVar

from hindsight_core.capture import Redactor, read_preference
from hindsight_core.errors import ConfigurationError
from hindsight_core.recall import strip_blocks
from hindsight_core.schema import (
    Candidate,
    Context,
    Kind,
    MemoryKey,
    MemoryValue,
    Scope,
    Source,
    Tier,
    check_text,
)
from hindsight_core.text import fold

__all__ = ["member", "said"]

_Enum = TypeVar("_Enum", bound=StrEnum)


def said(
    scope: Scope,
    content: str,
    *,
    limit: int,
    kind: Kind,
    source: Source,
    query: str,
    subject: str,
    entities: Sequence[str],
    context: Context | None,
    tier: Tier,
    time: datetime | None,
) -> Candidate:
    """Return the candidate; raises `InvalidMemoryError` or `ConfigurationError`."""
    stripped = strip_blocks(check_text("content", content, limit=limit))
    text = Redactor().text(check_text("content", stripped, limit=limit))
    about = context or Context()
    said_at = about.said_at.isoformat() if about.said_at else ""
    by_person = member(Source, source) in (Source.USER, Source.OPERATOR)
    if not subject and by_person and member(Kind, kind) is Kind.PREFERENCE:
        finding = read_preference(text)
        subject = finding.slot if finding else ""
    identity = "\n".join((kind, fold(text).strip(), about.speaker, said_at))
    return Candidate(
        scope=scope,
        kind=member(Kind, kind),
        source=member(Source, source),
        value=MemoryValue(content=text),
        key=MemoryKey(subject=subject, entities=tuple(entities), time=time),
        query=query,
        context=about,
        tier=member(Tier, tier),
        dedupe_key=f"said:{blake2b(identity.encode(), digest_size=16).hexdigest()}",
    )


def member(members: type[_Enum], value: str) -> _Enum:
    """Return the member of an enumeration; raises `ConfigurationError`, which names them all."""
    try:
        return members(value)
    except ValueError as error:
        known = ", ".join(members)
        name = members.__name__.lower()
        raise ConfigurationError(f"{name}: {value!r} is not one of {known}") from error
