"""What a user may set, with the defaults; nothing here is read from anywhere but the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hindsight_core.alerts import DEFAULT_LIMITS, Alert, AnomalyLimits
from hindsight_core.errors import ConfigurationError
from hindsight_core.ranking import DEFAULT, Weights
from hindsight_core.schema import MAX_MEMORY_BYTES, ErrorClass, Kind, Severity

__all__ = ["GateMode", "Injection", "Policy", "Settings"]


_AT_LEAST_ONE: Final = (
    "top_k",
    "token_budget",
    "max_memory_bytes",
    "result_chars",
    "breaker_failures",
    "reflection_runs",
)
_ABOVE_ZERO: Final = (
    "deadline",
    "pause",
    "keep_runs_days",
    "breaker_seconds",
    "maintenance_idle",
    "maintenance_hours",
    "reflection_minutes",
)
LEAST_TOKENS: Final = 8_000
"""The smallest hourly budget of tokens by which a question can be asked at all."""


class GateMode(StrEnum):
    """What the gate does with a call that repeats a known failure.

    `observe` only notes it; `advise` lets it run and completes a failure's message with what worked
    before; `confirm` asks a person by the framework's own means; `block` answers with the lesson.
    With `off` it is not asked at all.
    """

    OFF = "off"
    OBSERVE = "observe"
    ADVISE = "advise"
    CONFIRM = "confirm"
    BLOCK = "block"


class Injection(StrEnum):
    """How the memories of a recall are put before the model.

    `lines`: one line each, with a small number by which the tool `memory_details` tells the memory
    in full; an agent without that tool sees every word. `full`: each text with its label in words.
    """

    LINES = "lines"
    FULL = "full"


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The limits of one kind; None switches a rule off.

    Archived after `archive_days` unreferenced with a confidence below `archive_below`; deleted
    after `delete_days` unreferenced, or put into cold storage instead where its importance is at
    least `spare_from`; cold once its strength is below `cold_below`; restored when its situation
    came back in `restore_after` runs of those that the outbox still holds. What is short-term
    lapses after `short_days` without a use, unless it was used in another session, confirmed or
    stated as lasting: then it becomes long-term. After `stale_days` without a use it is proposed
    to forget a statement.
    """

    archive_days: float | None = 30.0
    archive_below: float = 0.3
    delete_days: float | None = 90.0
    spare_from: float = 0.6
    cold_below: float | None = 0.3
    restore_after: int | None = 3
    short_days: float | None = 7.0
    stale_days: float | None = 60.0

    def __post_init__(self) -> None:
        for name in ("archive_days", "delete_days", "short_days", "stale_days"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigurationError(f"policy.{name}: must be above 0 days, or None for never")
        if self.restore_after is not None and self.restore_after < 1:
            raise ConfigurationError("policy.restore_after: must be at least 1 run, or None")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a `Hindsight` behaves; every limit that an error message names is here.

    A block holds `top_k` memories at most, and beside them `standing_rules` (0: none) of a user's
    rules on how he is answered, which hold whatever is asked ("No emojis").
    `deadline` and `pause` are seconds, `token_budget` tokens of one injected block, `result_chars`
    characters kept of a tool's result, `keep_runs_days` days for which a judged run stays in the
    outbox so that a late result can still be taken up, `synonyms` groups of words that mean one
    thing, beside those that are shipped. In a share `holdout` of the runs (0 to below 1) a lesson
    that would be shown is withheld, so that `stats` can tell what difference it makes; which runs
    follows from their ids and `holdout_seed`. `anomaly` says from which numbers on writes
    look like an attack (None: they are not watched); `on_alert` is called once for each alert.
    `policies` say what is forgotten when, by kind; with `maintenance` that is seen to in the
    background, once in `maintenance_hours`, by one process of those that share a store, after
    `maintenance_idle` seconds without a run.

    With a chat model finished runs are reflected on in batches: when `reflection_runs` wait, or
    some do and the last batch was `reflection_minutes` ago. Of all processes together no more than
    `reflection_calls_per_hour` requests and `reflection_tokens_per_hour` tokens are asked for. A
    request that failed is repeated `reflection_retries` times, after `reflection_backoff` seconds
    and then twice as long each time.

    The gate's mode is that of the tool, else of the error's class, else of the lesson's severity,
    else `gate`. A call is stopped once it failed `breaker_failures` times in a row, and one is let
    through again `breaker_seconds` after the last failure.
    """

    top_k: int = 3
    standing_rules: int = 3
    token_budget: int = 700
    injection: Injection = Injection.LINES
    rewrite_seconds: float = 0.5
    relevance: float | None = None
    weights: Weights = DEFAULT
    gate: GateMode = GateMode.ADVISE
    gate_by_tool: dict[str, GateMode] = field(default_factory=dict[str, GateMode])
    gate_by_error: dict[ErrorClass, GateMode] = field(default_factory=dict[ErrorClass, GateMode])
    gate_by_severity: dict[Severity, GateMode] = field(default_factory=dict[Severity, GateMode])
    breaker_failures: int = 1
    breaker_seconds: float = 60.0
    deadline: float = 2.0
    pause: float = 30.0
    max_memory_bytes: int = MAX_MEMORY_BYTES
    result_chars: int = 8_000
    keep_runs_days: float = 7.0
    synonyms: tuple[tuple[str, ...], ...] = ()
    holdout: float = 0.0
    holdout_seed: str = ""
    anomaly: AnomalyLimits | None = DEFAULT_LIMITS
    on_alert: Callable[[Alert], None] | None = None
    policies: Mapping[Kind, Policy] = field(default_factory=dict[Kind, Policy])
    maintenance: bool = True
    maintenance_idle: float = 300.0
    maintenance_hours: float = 24.0
    reflection_runs: int = 20
    reflection_minutes: float = 5.0
    reflection_calls_per_hour: int = 30
    reflection_tokens_per_hour: int = 200_000
    reflection_retries: int = 3
    reflection_backoff: float = 1.0

    def __post_init__(self) -> None:
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ConfigurationError(f"settings.{name}: must be at least 1")
        for name in _ABOVE_ZERO:
            if not getattr(self, name) > 0:
                raise ConfigurationError(f"settings.{name}: must be above 0")
        if self.standing_rules < 0:
            raise ConfigurationError("settings.standing_rules: must be 0 (off) or above")
        if not self.rewrite_seconds >= 0:
            raise ConfigurationError("settings.rewrite_seconds: must be 0 (off) or above")
        if self.injection not in tuple(Injection):
            known = ", ".join(Injection)
            raise ConfigurationError(f"settings.injection: one of {known}")
        if not self.gate_modes <= frozenset(GateMode):
            known = ", ".join(GateMode)
            raise ConfigurationError(f"settings.gate and gate_by_*: each one of {known}")
        if not 0 <= self.holdout < 1:
            raise ConfigurationError("settings.holdout: a share of runs, from 0 to below 1")
        if min(self.reflection_calls_per_hour, self.reflection_retries) < 0:
            raise ConfigurationError("settings.reflection_*: counts, so 0 or more")
        if 0 < self.reflection_tokens_per_hour < LEAST_TOKENS or self.reflection_backoff < 0:
            raise ConfigurationError(
                f"settings.reflection_tokens_per_hour: 0, or at least {LEAST_TOKENS}, which one "
                "question and its answer may take; reflection_backoff: 0 seconds or more"
            )
        if self.relevance is not None and not -1 <= self.relevance <= 1:
            raise ConfigurationError("settings.relevance: a cosine, so between -1 and 1")

    @property
    def gate_modes(self) -> frozenset[GateMode]:
        """Every mode that may come to bear."""
        by_kind = (self.gate_by_tool, self.gate_by_error, self.gate_by_severity)
        return frozenset((self.gate, *(mode for modes in by_kind for mode in modes.values())))

    def gate_mode(
        self, tool: str, error_class: str = "", severity: Severity | None = None
    ) -> GateMode:
        """The mode of the gate for a call of one tool that is expected to fail so."""
        if tool in self.gate_by_tool:
            return self.gate_by_tool[tool]
        if error_class in self.gate_by_error:
            return self.gate_by_error[ErrorClass(error_class)]
        if severity is not None and severity in self.gate_by_severity:
            return self.gate_by_severity[severity]
        return self.gate


DEFAULT_SETTINGS: Final = Settings()
