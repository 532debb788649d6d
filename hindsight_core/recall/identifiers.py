"""Names that people do not make up twice: `ERR_MODULE_NOT_FOUND`, src/pay/retry.py, PAY-1042.

A question that names one is about it, however much else it says: an error message is pasted whole,
and the note tells what it comes to. A name that many candidates hold tells nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from hindsight_core.recall.evidence import Entry
from hindsight_core.recall.found import RetrievalSettings
from hindsight_core.text import fold

__all__ = ["add_identifiers", "identifiers"]

_READ: Final = 8_000
"""Signs of a text that are looked at."""
_LEAST: Final = 5
"""Signs of a name; what is shorter is met by chance."""
_RARE: Final = 3
"""Candidates that may hold a name which tells them from others."""
_IDENTIFIER: Final = re.compile(
    r"""(?<![A-Za-z0-9_])(?:
      ~?(?:/?[\w.-]+)?(?:/[\w.-]+){2,}                    # src/pay/retry
    | [A-Za-z0-9_-]+\.(?:[a-z]{1,4}|[0-9]+\.[0-9]+)       # retry.py, v3.11.4
    | [A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+              # snake_case, ERR_NOT_FOUND
    | [a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+               # camelCase
    | [A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+){2,}                # PascalCase of three or more
    | [A-Z][A-Za-z0-9]+(?:Error|Exception|Warning|Fault)  # TypeError
    | [A-Z]{2,10}-?[0-9]{3,}                              # PAY-1042, ORA00942
    )(?![A-Za-z0-9_])""",
    re.VERBOSE | re.ASCII,
)


def identifiers(text: str) -> frozenset[str]:
    """Return the identifiers of a text, however their words are joined: getUser is get_user.

    Of a path every whole name is one, and the last as well.
    """
    found: set[str] = set()
    for name in _IDENTIFIER.findall(text[:_READ]):
        for part in {name, name.rpartition("/")[2]} if "/" in name else {name}:
            plain = re.sub(r"[_-]", "", fold(part)).strip("./~")
            if len(plain) >= _LEAST and (part == name or _IDENTIFIER.fullmatch(part)):
                found.add(plain)
    return frozenset(found)


def add_identifiers(pool: Mapping[str, Entry], asked: str, settings: RetrievalSettings) -> None:
    """Let a memory rise, and be let through, that holds a rare identifier of the question."""
    wanted = identifiers(asked)
    if not wanted:
        return
    held = {one: wanted & identifiers(entry.memory.content) for one, entry in pool.items()}
    often = Counter(name for names in held.values() for name in names)
    for one, names in held.items():
        if any(often[name] <= _RARE for name in names):
            entry = pool[one]
            entry.is_named = True
            entry.parts["identifier"] = settings.identifier * sum(entry.parts.values())
