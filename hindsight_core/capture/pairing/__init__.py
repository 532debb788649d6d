"""What the failures of a run teach: which call helped instead, which ways were dead ends."""

from hindsight_core.capture.pairing.pairs import find_lessons

__all__ = ["find_lessons"]
