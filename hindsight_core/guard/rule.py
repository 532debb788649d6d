"""What a rule of the guard is, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "Gravity", "Rule"]


class Gravity(StrEnum):
    """What a finding asks for: that a person looks at the text, or that nobody keeps it."""

    QUARANTINE = "quarantine"
    REFUSE = "refuse"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Concepts that must all occur, in one sentence and within `span` tokens of one another.

    `ordered` asks for them in the order given; `unless` names concepts whose presence in the
    sentence clears it. A hit that a negator precedes does not count for `harm`. What a `firm` rule
    finds holds whatever a text is about: the learnt scorers are not asked.
    """

    reason: str
    needs: tuple[str, ...]
    gravity: Gravity = Gravity.QUARANTINE
    span: int = 12
    ordered: bool = False
    unless: tuple[str, ...] = ()
    firm: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A rule that a text met."""

    reason: str
    gravity: Gravity
    firm: bool = False
