"""The records of the memory: frozen, validated, and serialised as versioned JSON.

A `Memory` has a structured *key* (which filters hard), a *query* (the situation in which it should
come to mind, matched softly) and a *value* (what is shown). Everything else is provenance and
bookkeeping. Times are aware UTC datetimes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hindsight_core.errors import InvalidMemoryError, ScopeError
from hindsight_core.text import clean

__all__ = [
    "MAX_MEMORY_BYTES",
    "SCHEMA_VERSION",
    "Candidate",
    "Context",
    "Correction",
    "ErrorClass",
    "Evidence",
    "Kind",
    "Lesson",
    "Memory",
    "MemoryKey",
    "MemoryValue",
    "Mistake",
    "Outcome",
    "Polarity",
    "Preference",
    "Scope",
    "Severity",
    "Source",
    "Status",
    "Tier",
    "ToolCall",
    "Trigger",
    "check_text",
]

SCHEMA_VERSION: Final = 1
MAX_MEMORY_BYTES: Final = 32 * 1024
"""Default limit of one memory's text, in UTF-8 bytes."""


class Kind(StrEnum):
    """What a memory is about."""

    PREFERENCE = "preference"
    FACT = "fact"
    PATH = "path"
    LESSON = "lesson"


class Tier(StrEnum):
    """How long a memory is meant to live: this run, hours to days, or for good."""

    WORKING = "working"
    SHORT = "short"
    LONG = "long"


class Status(StrEnum):
    """Whether a memory takes part in recall; what is `cold` is in no index either."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"
    COLD = "cold"
    ERASED = "erased"


class Source(StrEnum):
    """The channel that the adapter saw; never what a text claims of itself."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    OPERATOR = "operator"

    @property
    def trust(self) -> float:
        """The seed trust of the channel, 0 to 1."""
        return _TRUST[self]


_TRUST: Final[Mapping[Source, float]] = {
    Source.USER: 0.9,
    Source.AGENT: 0.6,
    Source.TOOL: 0.4,
    Source.OPERATOR: 1.0,
}


class Polarity(StrEnum):
    """Whether a preference asks for something or against it."""

    FOR = "for"
    AGAINST = "against"
    NEUTRAL = "neutral"


class Severity(StrEnum):
    """What a mistake costs."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ErrorClass(StrEnum):
    """The kind of a tool failure, which tells what to do about it."""

    VALIDATION = "validation"
    NOT_FOUND = "not_found"
    PERMISSION = "permission"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    CONFLICT = "conflict"
    QUOTA = "quota"
    INTERNAL = "internal"
    SOFT = "soft"


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        msg = "a time needs a zone; use datetime.now(UTC)"
        raise ValueError(msg)
    return value.astimezone(UTC)


Time = Annotated[datetime, AfterValidator(_aware)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Record(BaseModel):
    """Base of every stored model: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Scope(Record):
    """Whose memory it is; there is no call without one.

    A memory of a narrower scope (an agent or session named) is seen only from inside it; one of a
    wider scope (agent and session None) is seen by all agents and sessions of the user.
    """

    user: str
    tenant: str = "default"
    agent: str | None = None
    session: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            data = cast("Mapping[str, Any]", data)
            for field in ("user", "tenant", "agent", "session"):
                if field in data:
                    _check_name(field, data[field], optional=field in ("agent", "session"))
            if "user" not in data:
                raise ScopeError("scope.user: missing. Name the user: Scope(user='...')")
        return data

    def sees(self, other: Scope) -> bool:
        """Whether a recall in this scope may see a memory that was stored in `other`."""
        return (
            self.tenant == other.tenant
            and self.user == other.user
            and other.agent in (None, self.agent)
            and other.session in (None, self.session)
        )


def _check_name(field: str, value: Any, *, optional: bool) -> None:
    if value is None and optional:
        return
    # Read with every record: what nearly all names are is told without looking at each sign.
    if type(value) is str and value.isalnum() and value.isascii() and len(value) <= 512:
        return
    if not isinstance(value, str) or not value.strip():
        raise ScopeError(f"scope.{field}: must be a non-empty string, got {value!r:.80}")
    if len(value.encode("utf-8", "surrogatepass")) > 512 or clean(value) != value:
        raise ScopeError(
            f"scope.{field}: at most 512 bytes, without NUL or lone surrogates. "
            "Use the user's id, not a text"
        )


class ToolCall(Record):
    """One tool call as it is kept: its arguments are redacted JSON.

    `signature` is the digest of tool and canonical arguments as they really ran; `shape` that of
    the tool and the arguments' names and formats, without values.
    """

    tool: str
    args: dict[str, Any] = Field(default_factory=dict[str, Any])
    signature: str
    shape: str
    call_id: str | None = None


class Outcome(Record):
    """What a tool call came to.

    `transient` says that the cause passes by itself; `retry_same_args` that the very same call may
    yet work. Both are False for a success.
    """

    ok: bool
    error_class: ErrorClass | None = None
    transient: bool = False
    retry_same_args: bool = False
    message: str = ""


class Evidence(Record):
    """Where a memory was learnt: one run, and the calls or turns in it."""

    run_id: str
    call_ids: tuple[str, ...] = ()
    at: Time | None = None
    note: str = ""


class Trigger(Record):
    """The situation in which a lesson applies."""

    task_type: str | None = None
    tool_sequence: tuple[str, ...] = ()
    context_keywords: tuple[str, ...] = ()


class Mistake(Record):
    """What was done and what came of it; `calls` are the failing calls themselves."""

    action: str
    consequence: str
    severity: Severity = Severity.MEDIUM
    error_class: ErrorClass | None = None
    transient: bool = False
    calls: tuple[ToolCall, ...] = ()


class Correction(Record):
    """What to do instead; `proven` only when a run of ours saw it work."""

    action: str
    precondition: str = ""
    calls: tuple[ToolCall, ...] = ()
    proven: bool = False


class Lesson(Record):
    """A mistake, when it happens, and what helps; `correction` is None for a dead end.

    `worked` are calls of the same tool that worked although they resemble the failing ones.
    """

    trigger: Trigger
    mistake: Mistake
    correction: Correction | None = None
    worked: tuple[ToolCall, ...] = ()
    domain: str = "general"


class Preference(Record):
    """What a user wants for good: the slot it is about, and the conditions kept with it.

    `tools` are those that were called just before and after it was said, `arguments` those of them
    (as `tool/name`) that had for a value what is wanted or not. Of those calls the arguments that
    were set as it asks are `settles`, those that told where it holds `given`, and those of a call
    before it that did what it rules out `refuses`: as `tool/name=value`, the value as JSON.
    """

    slot: str
    polarity: Polarity = Polarity.FOR
    condition: str = ""
    exception: str = ""
    tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    settles: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


class Context(Record):
    """Who said it, when, and what came before: indexed with the memory, never shown."""

    speaker: str = ""
    said_at: Time | None = None
    before: str = ""


class MemoryKey(Record):
    """The structured part of a memory, which filters hard."""

    subject: str = ""
    entities: tuple[str, ...] = ()
    task_type: str | None = None
    tool_sequence: tuple[str, ...] = ()
    time: Time | None = None


class MemoryValue(Record):
    """What a memory says; `content` is what a model is shown."""

    content: str
    intent: str = ""
    resolution: str = ""
    correction: str = ""


class Memory(Record):
    """One record of the memory; see the module's docstring for key, query and value."""

    schema_version: int = SCHEMA_VERSION
    id: str
    scope: Scope
    kind: Kind
    tier: Tier = Tier.LONG
    status: Status = Status.ACTIVE
    source: Source
    trust: Fraction
    key: MemoryKey = MemoryKey()
    query: str = ""
    value: MemoryValue
    context: Context = Context()
    preference: Preference | None = None
    lesson: Lesson | None = None
    path: tuple[ToolCall, ...] = ()
    revision: int = Field(default=0, ge=0)
    created_at: Time
    updated_at: Time
    last_referenced_at: Time | None = None
    expires_at: Time | None = None
    references: int = Field(default=0, ge=0)
    verified_runs: int = Field(default=0, ge=0)
    hits: int = Field(default=0, ge=0)
    misses: int = Field(default=0, ge=0)
    decay: Fraction = 1.0
    lineage: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    refines: tuple[str, ...] = ()
    dedupe_key: str = ""
    reasons: tuple[str, ...] = ()
    signature: str = ""

    @property
    def confidence(self) -> float:
        """Mean of the Beta(1 + hits, 1 + misses) posterior that following it helps."""
        return (1 + self.hits) / (2 + self.hits + self.misses)

    @property
    def content(self) -> str:
        """What a model is shown of this memory."""
        return self.value.content


class Candidate(Record):
    """What capture proposes: a memory before the guard has judged it.

    It has neither id nor trust: the engine gives the one, the guard the other. `source` is the
    channel on which the evidence was seen, `lineage` the ids of memories that it was derived from.
    """

    scope: Scope
    kind: Kind
    source: Source
    value: MemoryValue
    key: MemoryKey = MemoryKey()
    query: str = ""
    context: Context = Context()
    tier: Tier = Tier.LONG
    preference: Preference | None = None
    lesson: Lesson | None = None
    path: tuple[ToolCall, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    lineage: tuple[str, ...] = ()
    supersedes_slot: str = ""
    dedupe_key: str = ""
    expires_at: Time | None = None


def check_text(field: str, value: object, *, limit: int = MAX_MEMORY_BYTES) -> str:
    """Return a text that may be stored: NUL and lone surrogates gone, neither empty nor too long.

    `limit` is in UTF-8 bytes. Raises `InvalidMemoryError`, which names the field.
    """
    if not isinstance(value, str):
        raise InvalidMemoryError(field, f"must be a string, got {type(value).__name__}", "Pass str")
    text = clean(value)
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise InvalidMemoryError(field, "is empty", "Pass a text with at least one visible sign")
    size = len(text.encode())
    if size > limit:
        raise InvalidMemoryError(
            field,
            f"is {size} bytes long, the limit is {limit}",
            "Shorten it, split it, or raise max_memory_bytes",
        )
    return text
