"""What one recall found."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_core.recall import Block, RecallReport
from hindsight_core.schema import Memory

__all__ = ["Recalled"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What a recall found, best first; `block` is None when nothing was worth showing.

    `withheld` are ids of lessons that this run goes without, see `Settings.holdout`.
    """

    memories: tuple[Memory, ...]
    block: Block | None
    report: RecallReport
    withheld: tuple[str, ...] = ()
