"""What a user may set, with the defaults; nothing here is read from anywhere but the caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hindsight_core.alerts import DEFAULT_LIMITS, Alert, AnomalyLimits
from hindsight_core.errors import ConfigurationError
from hindsight_core.ranking import DEFAULT, Weights
from hindsight_core.schema import MAX_MEMORY_BYTES

__all__ = ["GateMode", "Settings"]


class GateMode(StrEnum):
    """What the gate does with a call that repeats a known failure.

    `observe` only notes it; `advise` lets it run and completes a failure's message with what worked
    before; `confirm` asks a person by the framework's own means; `block` answers with the lesson.
    """

    OBSERVE = "observe"
    ADVISE = "advise"
    CONFIRM = "confirm"
    BLOCK = "block"


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a `Hindsight` behaves; every limit that an error message names is here.

    `deadline` and `pause` are seconds, `token_budget` tokens of one injected block, `result_chars`
    characters kept of a tool's result, `keep_runs_days` days for which a judged run stays in the
    outbox so that a late result can still be taken up, `synonyms` groups of words that mean one
    thing, beside those that are shipped. In a share `holdout` of the runs (0 to below 1) a lesson
    that would be shown is withheld, so that `stats` can tell what difference it makes; which runs
    follows from their ids and `holdout_seed`. `anomaly` says from which numbers on writes
    look like an attack (None: they are not watched); `on_alert` is called once for each alert.
    """

    top_k: int = 3
    token_budget: int = 700
    relevance: float | None = None
    weights: Weights = DEFAULT
    gate: GateMode = GateMode.ADVISE
    gate_by_tool: dict[str, GateMode] = field(default_factory=dict[str, GateMode])
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

    def __post_init__(self) -> None:
        for name in ("top_k", "token_budget", "max_memory_bytes", "result_chars"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"settings.{name}: must be at least 1")
        for name in ("deadline", "pause", "keep_runs_days"):
            if not getattr(self, name) > 0:
                raise ConfigurationError(f"settings.{name}: must be above 0")
        if not 0 <= self.holdout < 1:
            raise ConfigurationError("settings.holdout: a share of runs, from 0 to below 1")
        if self.relevance is not None and not -1 <= self.relevance <= 1:
            raise ConfigurationError("settings.relevance: a cosine, so between -1 and 1")

    def gate_mode(self, tool: str) -> GateMode:
        """The mode of the gate for one tool."""
        return self.gate_by_tool.get(tool, self.gate)


DEFAULT_SETTINGS: Final = Settings()
