"""Finds what opens a role or closes a block: templates of chat models, and the same in words."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["role_markers"]

# Signs that open a role or close a block, in the templates of chat models and in plain words.
_ROLE: Final = re.compile(
    r"</?\s*(?:system|assistant|user|human|memory|memories|instructions?|context|tool|function"
    r"|system[-_]\w+|记忆|系统|指令|用户|助手)[\w\s=\"'-]{0,40}>"
    r"|<\|[\w\s-]{2,40}\|>|\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>"
    r"|[\"']role[\"']\s*:\s*[\"'](?:system|developer|assistant)[\"']"
    r"|(?m:^\W{0,6}(?:system|assistant|human|developer|系统|系統|助手|开发者|開發者)(?:\s*(?:prompt"
    r"|message|note|提示|消息))?\s*[:：](?!//))"
    r"|(?m:^\W{0,8}(?:end of|begin|start of|以上为|历史)\W{0,3}[^\n]{0,24}"
    r"(?:memor|input|context|instruction|prompt|记忆|结束)[^\n]{0,20}$)"
    r"|(?m:^\W{0,6}#{2,}\s*(?:instructions?|system|指令)\b)|【(?:系统|指令|系統)[^】]{0,6}】\s*\S",
    re.IGNORECASE,
)


def role_markers(text: str) -> bool:
    """Whether the text has signs that open a role or close a block."""
    return _ROLE.search(text) is not None
