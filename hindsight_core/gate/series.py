"""The series that a numbered name belongs to: the journal of `10.5555/jsoil.2030.118`."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["series_of"]

_LONGEST: Final = 80
_SERIES: Final = re.compile(
    r"([\w.@-]{1,60}[/:][\w/.-]{0,60}?[^\W\d_]{3,40})[._/:#-][0-9][0-9._/:#-]*"
)


def series_of(text: str) -> str:
    """Return a folded name without the numbers at its end, "" where it is in no space of names."""
    found = _SERIES.fullmatch(text) if len(text) <= _LONGEST else None
    return found[1] if found else ""
