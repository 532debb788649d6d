"""Judges what goes in (admitted, quarantined, refused) and what comes out."""

from hindsight_core.guard.admission import Decision, Verdict, admit

__all__ = ["Decision", "Verdict", "admit"]
