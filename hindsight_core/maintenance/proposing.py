"""What maintenance proposes and does not do: pure rules from memories and asks to proposals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Final

from hindsight_core.maintenance.importance import days_unreferenced
from hindsight_core.schema import Evidence, Kind, Memory, Record, Scope, Status, Tier, Time
from hindsight_core.settings import Policy
from hindsight_core.text import is_cjk, keywords, shorten, terms

__all__ = [
    "Ask",
    "Proposal",
    "ProposalKind",
    "ProposalStatus",
    "find_contradictions",
    "find_patterns",
    "find_stale",
]

PATTERN_SESSIONS: Final = 3
"""Sessions in which the same must have been asked to be a pattern."""
_SAME: Final = 0.6
"""Dice coefficient of the terms of two asks from which they are the same."""
_LEAST_WORDS: Final = 2
_MAX_EVIDENCE: Final = 32
_MAX_TEXT: Final = 300


class ProposalKind(StrEnum):
    """What is proposed: to keep one of two, to forget, or to note a habit."""

    CONTRADICTION = "contradiction"
    STALE = "stale"
    PATTERN = "pattern"


class ProposalStatus(StrEnum):
    """Whether somebody has decided."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class Proposal(Record):
    """One proposal: what would be done if it is accepted, and why.

    `memory_ids` are the memories that it is about (of a contradiction the one to keep first),
    `text` is what a pattern would be noted as, `evidence` the runs that show it.
    """

    id: str
    kind: ProposalKind
    scope: Scope
    at: Time
    reason: str
    memory_ids: tuple[str, ...] = ()
    text: str = ""
    evidence: tuple[Evidence, ...] = ()
    status: ProposalStatus = ProposalStatus.OPEN
    by: str = ""
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """What a user asked for first in one session."""

    text: str
    session: str
    run_id: str
    at: datetime


def find_contradictions(memories: Iterable[Memory], now: datetime) -> Iterator[Proposal]:
    """Pairs of active memories that were found to contradict each other, the better one first.

    The better one is that which was verified in more runs, then the more trusted, then the newer.
    """
    known = {memory.id: memory for memory in memories if _stands(memory)}
    done: set[frozenset[str]] = set()
    for memory in known.values():
        for other_id in memory.conflicts_with:
            other, pair = known.get(other_id), frozenset((memory.id, other_id))
            if other is None or other.scope != memory.scope or pair in done:
                continue
            done.add(pair)
            keep, drop = sorted((memory, other), key=_rank, reverse=True)
            yield Proposal(
                id=_id(ProposalKind.CONTRADICTION, memory.scope, *sorted(pair)),
                kind=ProposalKind.CONTRADICTION,
                scope=memory.scope,
                at=now,
                reason=_why(keep, drop),
                memory_ids=(keep.id, drop.id),
                evidence=(*keep.evidence, *drop.evidence)[-_MAX_EVIDENCE:],
            )


def find_stale(memories: Iterable[Memory], now: datetime, policy: Policy) -> Iterator[Proposal]:
    """Active statements that nobody came near for long, the user's own rules among them."""
    for memory in memories:
        days = days_unreferenced(memory, now)
        long = policy.stale_days is not None and days >= policy.stale_days
        statement = memory.kind in (Kind.FACT, Kind.PREFERENCE) and memory.tier is Tier.LONG
        if long and statement and _stands(memory):
            # A use begins the time anew, so what was refused may be asked about again then.
            since = (memory.last_referenced_at or memory.updated_at).date().isoformat()
            yield Proposal(
                id=_id(ProposalKind.STALE, memory.scope, memory.id, since),
                kind=ProposalKind.STALE,
                scope=memory.scope,
                at=now,
                reason=f"not referenced for {days:.0f} days, since {since}",
                memory_ids=(memory.id,),
                evidence=memory.evidence[-_MAX_EVIDENCE:],
            )


def find_patterns(scope: Scope, asks: Sequence[Ask], now: datetime) -> Iterator[Proposal]:
    """What was asked for in at least three sessions, in nearly the same words."""
    groups: list[_Group] = []
    for ask in sorted(asks, key=lambda ask: (ask.at, ask.run_id)):
        words = frozenset(terms(ask.text[:_MAX_TEXT]))
        if len(keywords(ask.text[:_MAX_TEXT])) < _LEAST_WORDS:
            continue  # "yes, go on" is asked in every session
        group = next((group for group in groups if group.holds(words)), None)
        if group is None:
            group = _Group(words=words)
            groups.append(group)
        group.asks.setdefault(ask.session, ask)
    for group in groups:
        found = list(group.asks.values())
        if len(found) < PATTERN_SESSIONS:
            continue
        days = list(dict.fromkeys(ask.at.date().isoformat() for ask in found))
        yield Proposal(
            id=_id(ProposalKind.PATTERN, scope, *sorted(group.words)),
            kind=ProposalKind.PATTERN,
            scope=scope,
            at=now,
            reason=f"asked for in {len(found)} sessions: {', '.join(days[-5:])}",
            text=_pattern_text(found[-1].text, len(found)),
            evidence=tuple(
                Evidence(run_id=ask.run_id, at=ask.at, note=shorten(ask.text, 120))
                for ask in found[-_MAX_EVIDENCE:]
            ),
        )


@dataclass(slots=True, kw_only=True)
class _Group:
    words: frozenset[str]
    asks: dict[str, Ask] = field(default_factory=dict[str, Ask])

    def holds(self, words: frozenset[str]) -> bool:
        return 2 * len(words & self.words) >= _SAME * (len(words) + len(self.words))


_PATTERN: Final[Mapping[bool, str]] = {
    False: "The user has asked for this in {count} sessions: {what}",
    True: "用户已在 {count} 次会话中提出同样的要求：{what}",
}


def _pattern_text(what: str, count: int) -> str:
    line = shorten(" ".join(what.split()), _MAX_TEXT)
    return _PATTERN[any(map(is_cjk, line))].format(count=count, what=line)


def _stands(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and memory.superseded_by is None


def _rank(memory: Memory) -> tuple[int, float, datetime, str]:
    said = memory.key.time or memory.created_at
    return memory.verified_runs, memory.trust, said, memory.id


def _why(keep: Memory, drop: Memory) -> str:
    if keep.verified_runs != drop.verified_runs:
        return f"verified in {keep.verified_runs} runs against {drop.verified_runs}"
    if keep.trust != drop.trust:
        return f"trust {keep.trust:.2f} against {drop.trust:.2f}"
    return "the newer of two that are worth the same"


def _id(kind: ProposalKind, scope: Scope, *parts: str) -> str:
    """The same proposal has the same id, so that what was refused is not proposed again."""
    text = "\n".join((kind, scope.model_dump_json(), *parts))
    return f"p-{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"
