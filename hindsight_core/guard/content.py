"""Scores how much a text looks like an attack: a sum of weights, one for each cue in it.

The weights are shipped as a small file and trained by `benchmarks/train_guard.py`. Scoring needs
nothing but the standard library, and takes time in proportion to the text's length.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from hindsight_core.guard.cues import cues
from hindsight_core.guard.reading import Reading, read

__all__ = ["Score", "Scorer", "scorer"]


@dataclass(frozen=True, slots=True)
class Score:
    """How suspicious a text is, in log-odds, and the cues that say so, the heaviest first."""

    value: float
    cues: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scorer:
    """A linear scorer. `threshold` is the score that 2 % of honest texts exceed."""

    weights: Mapping[str, float]
    threshold: float

    def score(self, text: str | Reading, channel: str) -> Score:
        """Score a text that came over a channel.

        The channel says what may be asked in which manner: "user" and "tool" for whole messages;
        any other name judges only what the text does and not how it is put, as fits a note.
        """
        reading = read(text) if isinstance(text, str) else text
        found = [(self.weights.get(cue, 0.0), cue) for cue in cues(reading, channel)]
        weighing = sorted((-weight, cue) for weight, cue in found if weight)
        return Score(
            math.fsum(-weight for weight, _ in weighing),
            tuple(cue for weight, cue in weighing if weight < 0),
        )


@lru_cache(maxsize=1)
def scorer() -> Scorer:
    """The scorer with the shipped weights, read once."""
    file = files("hindsight_core.guard").joinpath("weights.json")
    shipped = json.loads(file.read_text(encoding="utf-8"))
    return Scorer(weights=shipped["weights"], threshold=shipped["threshold"])
