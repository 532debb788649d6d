"""The fields of a result: what of them is said, named or numbered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from hindsight_core.capture.outcomes._tables import key_roles, normalise, says, words

__all__ = ["collect", "is_blank", "is_given", "number_of"]


def collect(
    value: Mapping[str, Any], texts: list[str], symbols: list[str], numbers: list[int], depth: int
) -> None:
    """Gather a failure's words, the names and the numbers of its codes, from all its parts."""
    for key, item in list(value.items())[:60]:
        roles = key_roles(str(key))
        if isinstance(item, bool) or item is None:
            continue
        if roles & {"code", "exit"} and (number := number_of(item)) is not None:
            numbers.append(number)
        elif isinstance(item, str):
            if roles & {"message", "error"}:
                texts.append(item)
            elif roles & {"code", "state"} or str(key).casefold() in ("type", "name", "kind"):
                symbols.append(item)
        elif isinstance(item, Mapping) and depth < 3:
            if roles & {"error", "body", "meta", "message"} or depth:
                collect(cast("Mapping[str, Any]", item), texts, symbols, numbers, depth + 1)
            elif says(normalise(str(key)), "statement"):
                symbols.append(str(key))
        elif isinstance(item, list) and roles & {"error", "message"} and depth < 3:
            for one in cast("list[Any]", item)[:5]:
                if isinstance(one, Mapping):
                    collect(cast("Mapping[str, Any]", one), texts, symbols, numbers, depth + 1)
                elif isinstance(one, str):
                    texts.append(one)


def number_of(item: Any) -> int | None:
    """Return a whole number, also where it was written as a text; None for anything else."""
    if isinstance(item, bool):
        return None
    if isinstance(item, int):
        return item
    if isinstance(item, str) and re.fullmatch(r"-?[0-9]{1,9}", item.strip()):
        return int(item)
    return None


def is_blank(item: Any) -> bool:
    """Whether a field holds nothing: null, False, or empty."""
    return item is None or item is False or item in ("", [], {})


def is_given(key: str, item: Any) -> bool:
    """Whether an error field says that there was one."""
    if is_blank(item) or item is True:
        return item is True
    if isinstance(item, (int, float)):
        return item != 0 and not key.casefold().endswith("s")
    if isinstance(item, str):
        text = normalise(item).strip()
        return text not in words("good") and text not in (
            "none",
            "null",
            "no",
            "无",
            "no error",
            "n/a",
        )
    return True
