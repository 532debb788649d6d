"""Which call had to come first, where the very same call failed before it and worked after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hindsight_core.capture.findings import JudgedCall
from hindsight_core.capture.outcomes import looks, says_what_comes_first
from hindsight_core.capture.pairing.corrections import words_in
from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["prerequisite_of"]

_REACH: Final = 8
"""How many calls after a failure the same call may work again for what was done between."""


def prerequisite_of(failed: JudgedCall, calls: Sequence[JudgedCall]) -> JudgedCall | None:
    """Return the call without which a failing one does not work, if the run shows that.

    The same call worked soon after, in the same request; between them a call of a tool worked that
    the error names, or it speaks of what comes first and one tool alone did something.
    """
    again = next(
        (
            call
            for call in calls
            if failed.index < call.index <= failed.index + _REACH
            and call.outcome.ok
            and call.signature == failed.signature
            and call.request == failed.request
        ),
        None,
    )
    if again is None:
        return None
    between = [
        call
        for call in calls
        if failed.index < call.index < again.index and call.outcome.ok and call.tool != failed.tool
    ]
    error = simplified(fold(f"{failed.outcome.message} {failed.event.result}"[:4_000]))
    named = [call for call in between if _names(call.tool, error)]
    if named:
        return named[-1]
    acted = [call for call in between if not looks(call.tool)]
    alone = len({call.tool for call in acted}) == 1
    return acted[-1] if alone and says_what_comes_first(error) else None


def _names(tool: str, error: str) -> bool:
    parts = words_in(tool)
    if not parts or len("".join(parts)) < 3:
        return False
    spelt = r"[\W_]?".join(map(re.escape, parts))
    return re.search(rf"(?<![a-z0-9]){spelt}(?![a-z0-9])", error) is not None
