"""What the ports take and give: filters, hits, counts and receipts, as plain frozen data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeVar, cast

from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import Kind, Scope, Status

__all__ = [
    "AuditEntry",
    "CallRecord",
    "CallStats",
    "ErasureReceipt",
    "Hit",
    "IndexInfo",
    "PutResult",
    "RunInfo",
    "TermCounts",
    "TextHit",
    "Where",
]


Named = TypeVar("Named", bound=StrEnum)


def _members(name: str, values: object, kind: type[Named]) -> tuple[Named, ...]:
    try:
        return tuple(kind(one) for one in _texts(name, values))
    except ValueError as error:
        known = ", ".join(kind)
        raise ConfigurationError(f"where: {name} must be of {known}; {error}") from None


def _texts(name: str, values: object) -> tuple[str, ...]:
    if values == ():
        return ()
    if isinstance(values, str) or not isinstance(values, Collection):
        raise ConfigurationError(f"where: {name} must be a tuple of texts, got {values!r:.60}")
    texts = tuple(cast("Collection[object]", values))
    wrong = next((one for one in texts if not isinstance(one, str)), None)
    if wrong is not None:
        raise ConfigurationError(f"where: {name} must be a tuple of texts, one is {wrong!r:.60}")
    return cast("tuple[str, ...]", texts)


def _check_time(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, datetime):
        raise ConfigurationError(f"where: {name} must be a datetime, got {value!r:.60}")
    if value.tzinfo is None:
        raise ConfigurationError(f"where: {name} needs a zone; use datetime.now(UTC)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """The hard filter of a search; an empty field filters nothing.

    `entities`, `kinds` and several subjects match when one of them does; `tool_sequence` when every
    tool named is in the memory's; `since` and `until` bound the key's time, or the time of creation
    where it has none, and have a zone. A text may stand for a kind or a status. Raises
    `ConfigurationError` for what nothing could match by its type.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    entities: tuple[str, ...] = ()
    subject: str | tuple[str, ...] = ""
    task_type: str | None = None
    tool_sequence: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    include_superseded: bool = False

    def __post_init__(self) -> None:
        fix = object.__setattr__
        fix(self, "kinds", _members("kinds", self.kinds, Kind))
        fix(self, "statuses", _members("statuses", self.statuses, Status))
        fix(self, "entities", _texts("entities", self.entities))
        fix(self, "tool_sequence", _texts("tool_sequence", self.tool_sequence))
        if not isinstance(self.subject, str):
            fix(self, "subject", _texts("subject", self.subject))
        for name in ("since", "until"):
            _check_time(name, getattr(self, name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A memory that a vector search found, with its cosine similarity."""

    id: str
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TextHit:
    """A memory that a text search found.

    `score` is BM25, larger is better; `coverage` the share (0 to 1) of the query's idf mass whose
    terms the memory holds.
    """

    id: str
    score: float
    coverage: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TermCounts:
    """How many memories there are to search, and how many of them hold each term.

    Both may be estimates from above (a store may count all scopes); a term that is absent from
    `holding` is in none.
    """

    total: int
    holding: dict[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class PutResult:
    """What became of one memory: `id` is that of the record that now stands for it."""

    id: str
    created: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexInfo:
    """By which embedder the vectors were made; the thresholds belong to it."""

    model: str
    dimension: int
    relevance: float
    same_subject: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RunInfo:
    """A run that the outbox knows: `pending` events are not judged yet."""

    run_id: str
    scope: Scope
    owner: str
    first_at: datetime
    last_at: datetime
    pending: int
    ended: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CallRecord:
    """One judged tool call, as the gate counts it.

    `situation` is the task's fingerprint, `key` that of the event: each call is counted once.
    """

    scope: Scope
    signature: str
    shape: str
    situation: str
    tool: str
    ok: bool
    at: datetime
    run_id: str
    key: str
    error_class: str = ""
    transient: bool = False
    memory_id: str = ""


class CallStats(NamedTuple):
    """What is known of one signature (or shape) in one situation.

    `failures` counts since the last success, `successes` in all. A named tuple, because the gate
    makes them before every tool call and a frozen dataclass takes ten times as long to make.
    """

    signature: str
    shape: str
    situation: str
    tool: str
    failures: int
    successes: int
    error_class: str
    transient: bool
    memory_id: str
    last_failure_at: datetime | None
    last_success_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditEntry:
    """One line of the append-only log: who did what to which record, and when."""

    at: datetime
    actor: str
    action: str
    subject: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasureReceipt:
    """What an erasure removed, counted per place, and that a second look found nothing.

    `overwritten` says that the space which it took is overwritten too; where that would stop every
    writer for seconds it is left to `hindsight-core compact`.
    """

    scope: Scope
    at: datetime
    removed: dict[str, int] = field(default_factory=dict[str, int])
    remaining: dict[str, int] = field(default_factory=dict[str, int])
    overwritten: bool = True
