"""Texts that are JSON, or Python's way of writing the same."""

from __future__ import annotations

import json
import re
from typing import Any, Final

__all__ = ["read_json"]

_MAX_PARSED: Final = 2_000_000
_MAX_CONVERTED: Final = 100_000
_PYTHON: Final = re.compile(
    r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|\b(True|False|None)\b|([()])", re.DOTALL
)
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null", "(": "[", ")": "]"}


def read_json(text: str) -> tuple[bool, Any]:
    """Parse a text that is JSON, or Python's repr of the same; (False, None) if it is neither."""
    text = text.strip()
    if not text or text[0] not in '{["' or len(text) > _MAX_PARSED:
        return False, None
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > _MAX_CONVERTED or not ("'" in text or "None" in text):
        return False, None
    try:
        return True, json.loads(_PYTHON.sub(_as_json, text))
    except (ValueError, RecursionError):
        return False, None


def _as_json(match: re.Match[str]) -> str:
    if match[3] or match[4]:
        return _CONSTANTS[match[3] or match[4]]
    if match[2] is not None:
        return match[0]
    return json.dumps(match[1].replace("\\'", "'"), ensure_ascii=False)
