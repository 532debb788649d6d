"""Judges what goes in (admitted, quarantined, refused) and what comes out."""

from hindsight_core.guard.admission import Decision, Verdict, admit
from hindsight_core.guard.conflict_resolution import Action, Related, Resolution, resolve
from hindsight_core.guard.conflicts import Judge, Label, Relation, relate
from hindsight_core.guard.conflicts_polarity import same_polarity
from hindsight_core.guard.sanitize import sanitize
from hindsight_core.guard.signing import (
    KEY_VARIABLE,
    is_stamped,
    load_key,
    sign,
    stamp,
    verify,
)

__all__ = [
    "KEY_VARIABLE",
    "Action",
    "Decision",
    "Judge",
    "Label",
    "Related",
    "Relation",
    "Resolution",
    "Verdict",
    "admit",
    "is_stamped",
    "load_key",
    "relate",
    "resolve",
    "same_polarity",
    "sanitize",
    "sign",
    "stamp",
    "verify",
]
