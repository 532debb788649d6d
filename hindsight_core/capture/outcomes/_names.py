"""Names in a report of success: a branch `fix-timeout`, a queue `failed-jobs`, `errors/log.csv`.

What a thing is called says nothing of the call. Paths, files and the heads of commits are names
wherever they stand; other words are only where the report names a thing by them and says beside
them that something was done.
"""

from __future__ import annotations

from typing import Final

from hindsight_core.capture.outcomes._tables import cut, normalise, says

__all__ = ["without_names"]

_LONGEST: Final = 2_000
"""Longer texts are no reports but content."""


def without_names(text: str) -> str:
    """Cut the names of things out of a report; what is left of it says how the call went."""
    if len(text) > _LONGEST:
        return text
    bare = cut("paths", text)
    rest = cut("named", bare)
    if rest == bare:
        return bare
    done = says(normalise(bare), "has_done") and not says(normalise(rest), "contrast")
    return rest if done else bare
