"""Which arguments an error says were not given, where nobody has shown a call with them yet."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["named_as_missing"]

_KIND: Final = r"(?:fields?|arguments?|args?|parameters?|params?|propert(?:y|ies)|keys?|options?)"
_QUOTED: Final = r"['\"`「](?P<name>[\w.-]{2,40})['\"`」]"
_NAME: Final = r"['\"`「]?(?P<name>[a-z_][a-z0-9_.-]{1,40})['\"`」]?"
_NAME_ZH: Final = r"['\"`「]?(?P<name>[a-z_][a-z0-9_.-]{1,40}|[\u4e00-\u9fff]{2,8})['\"`」]?"
_ZH_KIND: Final = "(?:参数|字段|属性)"
_ZH_MISSING: Final = " ?(?:是|为)?(?:必填|必需|不能为空|缺失|未填)"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_KIND} {_NAME} (?:is |are |was )?(?:required|missing|mandatory|not (?:given|set))",
        rf"{_QUOTED} (?:{_KIND} )?(?:is )?(?:a )?(?:required|missing|mandatory)",
        rf"\bmissing (?:\d+ )?(?:required |mandatory )?(?:positional |keyword )?{_KIND}:? {_NAME}",
        rf"\b(?:required|mandatory) {_KIND} {_NAME} (?:is |was )?(?:missing|not)",
        rf"缺少(?:必填|必要|必需|必须)?的?{_ZH_KIND}[:: ]{{0,2}}{_NAME_ZH}(?![\u4e00-\u9fff])",
        rf"{_ZH_KIND}[:: ]{{0,2}}{_NAME_ZH}{_ZH_MISSING}",
        rf"{_QUOTED}{_ZH_MISSING}",
    )
)
_ONLY_SOMETIMES: Final = re.compile(r"\b(?:when|if|unless|because)\b|当|如果|若|时(?!间)")
_NO_WORDS: Final = "the this that value is are was required missing argument field parameter and or"
_NO_NAMES: Final = frozenset(_NO_WORDS.split())


def named_as_missing(error: str) -> frozenset[str]:
    """Return the names in a folded error that it calls required or missing, whatever the rest."""
    if _ONLY_SOMETIMES.search(error):
        return frozenset()
    names = (match["name"] for pattern in _PATTERNS for match in pattern.finditer(error))
    return frozenset(name for name in names if name not in _NO_NAMES)
