"""Holds lessons back from a share of the runs, so that their use can be estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hindsight_core.ledger import is_withheld
from hindsight_core.recall import Found
from hindsight_core.schema import Kind
from hindsight_core.settings import Settings

__all__ = ["WITHHELD", "held_out"]

WITHHELD: Final = "withheld from this run, to see what difference it makes"


def held_out(settings: Settings, candidates: Sequence[Found], run_id: str) -> tuple[Found, ...]:
    """The candidates, those lessons not kept which this run goes without."""
    if not run_id or not settings.holdout:
        return tuple(candidates)
    share, seed = settings.holdout, settings.holdout_seed
    return tuple(
        replace(found, kept=False, why_not=WITHHELD)
        if found.kept
        and found.memory.kind is Kind.LESSON
        and is_withheld(run_id, found.memory.id, share=share, seed=seed)
        else found
        for found in candidates
    )
