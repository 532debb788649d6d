"""Whether a later call took back what an earlier one did, because the user would not have it so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from hindsight_core.capture.findings import JudgedCall
from hindsight_core.capture.signatures import canonical
from hindsight_core.han import simplified
from hindsight_core.text import fold, is_cjk

__all__ = ["was_undone"]

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REACH: Final = 12


def was_undone(calls: Sequence[JudgedCall]) -> bool:
    """Whether any of these calls undid an earlier one after the user had spoken again.

    The verb of its tool takes the other's back, and it was given nothing that the other was not.
    What opens and closes again within one turn is the way that things are done.
    """
    return any(
        earlier.turn < later.turn and _undoes(earlier, later)
        for place, later in enumerate(calls)
        for earlier in calls[max(0, place - _REACH) : place]
    )


def _undoes(earlier: JudgedCall, later: JudgedCall) -> bool:
    given = set(map(canonical, later.event.call.args.values()))
    if not given or not given <= set(map(canonical, earlier.event.call.args.values())):
        return False
    return _takes_back(earlier.tool, later.tool) or _takes_back(later.tool, earlier.tool)


def _takes_back(one: str, other: str) -> bool:
    words, others = _words(one), _words(other)
    signs, other_signs = simplified(one), simplified(other)
    for first, second in _pairs():
        if is_cjk(first[0]):
            if first in signs and second in other_signs and signs != other_signs:
                return True
        elif first in words - others and second in others - words:
            return True
    return False


def _words(name: str) -> set[str]:
    return {fold(part) for part in _PARTS.findall(name)}


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    text = files("hindsight_core.capture").joinpath("undoing.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return tuple((one, other) for part in table.values() for one, other in part["pairs"])
