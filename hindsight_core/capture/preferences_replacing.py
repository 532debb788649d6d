"""Whether a newer preference takes the place of an older one that says otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from hindsight_core.capture.languages import EXCLUSIVE_SLOTS
from hindsight_core.capture.preferences import PreferenceFinding
from hindsight_core.schema import Kind

__all__ = ["replaces"]


def replaces(new: PreferenceFinding, old: PreferenceFinding) -> bool:
    """Whether `new`, said later by the same user, takes the place of `old`.

    Both must be about the same slot. It does when it says that it corrects, when it is against what
    the older one wanted or wants what that one was against, and, for a slot that holds one value at
    a time (seat, editor, answer language ...), when both want something and nothing of it is
    shared, or both are facts. A condition on either keeps both: "tabs in Go" does not replace
    "spaces in Python"; nor does what is said of somebody else: "my brother moved to Ghent" is no
    news of a sister.
    """
    if new.slot != old.slot or new.content == old.content:
        return False
    if new.of_another or old.of_another:
        return False
    if new.condition != old.condition or new.where != old.where:
        return False
    if new.is_correction or _share(new.avoid, old.want) or _share(new.want, old.avoid):
        return True
    if new.slot not in EXCLUSIVE_SLOTS:
        return False
    if new.want and old.want:
        return not _share(new.want, old.want)
    return new.kind is old.kind is Kind.FACT


def _share(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a term of the one is a term of the other, or part of it."""
    rest = list(others)
    return any(one in other or other in one for one in some for other in rest)
