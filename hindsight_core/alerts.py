"""What the guard raises when a scope's writes look like an attack, and from which numbers on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import Record, Scope, Time

__all__ = ["DEFAULT_LIMITS", "Alert", "AnomalyLimits", "Pattern"]


class Pattern(StrEnum):
    """What was odd about the writes of a scope."""

    BURST = "burst"
    NEAR_DUPLICATES = "near_duplicates"
    OFF_TOPIC = "off_topic"
    DOMINANCE = "dominance"


class Alert(Record):
    """Raised once; until a person closes it the scope's writes go to quarantine.

    `count` is how many writes met the pattern when it was raised, `source` the channel that they
    came by. It holds no text of a memory. `admitted` is None while it is open, and when it was
    closed without deciding on what it held.
    """

    id: str
    scope: Scope
    pattern: Pattern
    source: str
    count: int
    at: Time
    closed_at: Time | None = None
    closed_by: str = ""
    admitted: bool | None = None

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a person."""
        return self.closed_at is None


@dataclass(frozen=True, kw_only=True, slots=True)
class AnomalyLimits:
    """From how many writes inside `window_minutes` on a pattern raises an alert.

    `burst` counts the writes of one channel in a scope, `per_run` what one run taught,
    `near_duplicates` texts that say almost the same, `off_topic` texts that have no word in common
    with the tasks at hand (at least `off_topic_share` of the writes). `dominance` is the share
    that one origin reaches, of at least `dominance_writes` writes, where it had less than half
    before. What an operator writes is never counted, and repetitions to the letter count once.
    """

    window_minutes: float = 10.0
    burst: int = 1_000
    per_run: int = 200
    near_duplicates: int = 8
    off_topic: int = 10
    off_topic_share: float = 0.75
    dominance: float = 0.9
    dominance_writes: int = 60

    def __post_init__(self) -> None:
        for name in ("burst", "per_run", "near_duplicates", "off_topic", "dominance_writes"):
            if getattr(self, name) < _LEAST:
                raise ConfigurationError(f"anomaly.{name}: must be at least {_LEAST}")
        for name in ("off_topic_share", "dominance"):
            if not 0.5 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"anomaly.{name}: a share between 0.5 and 1")
        if not self.window_minutes > 0:
            raise ConfigurationError("anomaly.window_minutes: must be above 0")


_LEAST: Final = 2
DEFAULT_LIMITS: Final = AnomalyLimits()
