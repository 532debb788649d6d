"""The two conversation sets, read from a folder and turned into memories."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hindsight_core.schema import Context, Evidence, Kind, Memory, MemoryValue, Scope, Source

NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""When everything was recorded: retrieval is measured, not the decay with age."""
_EN = re.compile(r"(\d+):(\d+) ([ap])m on (\d+) (\w+), (\d+)", re.IGNORECASE)
_ZH = re.compile(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TURNS_BEFORE = 2


@dataclass(frozen=True)
class Turn:
    id: str
    text: str
    speaker: str
    session: str
    said_at: datetime | None


@dataclass(frozen=True)
class Query:
    text: str
    relevant: frozenset[str]
    category: str


@dataclass(frozen=True)
class Conversation:
    id: str
    turns: tuple[Turn, ...]
    queries: tuple[Query, ...]


def read(path: Path) -> list[Conversation]:
    with path.open(encoding="utf-8") as lines:
        return [_conversation(json.loads(line)) for line in lines if line.strip()]


def memories(conversation: Conversation) -> list[Memory]:
    """One memory a turn, as an adapter records it: who spoke, when, and what came before."""
    made: list[Memory] = []
    before: list[Turn] = []
    for turn in conversation.turns:
        if before and before[-1].session != turn.session:
            before = []
        made.append(_memory(conversation, turn, before[-_TURNS_BEFORE:]))
        if turn.session:
            before.append(turn)
    return made


def scope(conversation: Conversation) -> Scope:
    return Scope(user=conversation.id)


def _memory(conversation: Conversation, turn: Turn, before: list[Turn]) -> Memory:
    said_before = "\n".join(f"{one.speaker}: {one.text}" for one in before)
    evidence = (Evidence(run_id=f"{conversation.id}/{turn.session}"),) if turn.session else ()
    return Memory(
        id=f"{conversation.id}/{turn.id}",
        scope=scope(conversation),
        kind=Kind.FACT,
        source=Source.USER,
        trust=Source.USER.trust,
        value=MemoryValue(content=turn.text),
        context=Context(speaker=turn.speaker, said_at=turn.said_at, before=said_before),
        evidence=evidence,
        created_at=NOW,
        updated_at=NOW,
    )


def _conversation(row: dict) -> Conversation:
    turns = tuple(
        Turn(
            id=str(one["id"]),
            text=one["text"],
            speaker=one.get("speaker", ""),
            session=str(one.get("session", "")),
            said_at=_when(one.get("time", "")),
        )
        for one in row["corpus"]
        if one["text"].strip()
    )
    queries = tuple(
        Query(one["text"], frozenset(map(str, one["relevant"])), str(one["category"]))
        for one in row["queries"]
    )
    return Conversation(str(row["id"]), turns, queries)


def _when(text: str) -> datetime | None:
    if found := _ZH.search(text):
        return datetime(*map(int, found.groups()), tzinfo=UTC)
    if found := _EN.search(text):
        hour, minute, half, day, month, year = found.groups()
        number = _MONTHS.index(month[:3].lower()) + 1
        hour24 = int(hour) % 12 + (12 if half.lower() == "p" else 0)
        return datetime(int(year), number, int(day), hour24, int(minute), tzinfo=UTC)
    return None
