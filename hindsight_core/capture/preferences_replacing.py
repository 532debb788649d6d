"""Whether a newer preference takes the place of an older one that says otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from hindsight_core.capture.languages import EXCLUSIVE_SLOTS
from hindsight_core.capture.preferences import PreferenceFinding
from hindsight_core.schema import Kind
from hindsight_core.text import is_cjk

__all__ = ["hold_apart", "replaces"]


def replaces(new: PreferenceFinding, old: PreferenceFinding) -> bool:
    """Whether `new`, said later by the same user, takes the place of `old`.

    Both must be about the same slot, and not hold apart (`hold_apart`). It does when it says that
    it corrects, when it is against what the older one wanted or wants what that one was against,
    and, for a slot that holds one value at a time (seat, editor, answer language ...), when both
    want something and nothing of it is shared, or both are facts.
    """
    if new.slot != old.slot or new.content == old.content or hold_apart(new, old):
        return False
    if new.is_correction or _share(new.avoid, old.want) or _share(new.want, old.avoid):
        return True
    if new.slot not in EXCLUSIVE_SLOTS:
        return False
    if new.want and old.want:
        return not _share(new.want, old.want)
    return new.kind is old.kind is Kind.FACT


def hold_apart(one: PreferenceFinding, other: PreferenceFinding) -> bool:
    """Whether two statements about one slot hold for different things, so that both stand.

    Another condition or place ("tabs in Go", "spaces in Python"), another topic (code comments in
    English, answers in German), or somebody else's affair: "my brother moved to Ghent" is no news
    of a sister.
    """
    if one.condition != other.condition or one.where != other.where:
        return True
    if one.of_another or other.of_another:
        return True
    return bool(one.topic or other.topic) and not _share(one.topic, other.topic)


def _share(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a term of the one is a term of the other, or part of it: no npm in a pnpm."""
    rest = list(others)
    return any(_within(one, other) or _within(other, one) for one in some for other in rest)


def _within(part: str, whole: str) -> bool:
    if any(is_cjk(sign) for sign in part):
        return part in whole  # such words have no borders
    return f" {part} " in f" {whole} "
