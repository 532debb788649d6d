"""Words by which rules and calls are compared, a table for each language."""

from __future__ import annotations

from typing import Final

__all__ = ["ANY_ACT", "EMPTY", "PROSE"]

_PROSE_EN: Final = """
abstract body caption change changes comment comments content contents description details
explanation html markdown memo message msg note notes prompt question reason remark remarks reply
summary text thought title subject
"""
_PROSE_ZH: Final = """
正文 内容 描述 说明 备注 评论 留言 消息 摘要 标题 主题 原因 文本 问题 回复 更改 改动
"""
PROSE: Final = frozenset((*_PROSE_EN.split(), *_PROSE_ZH.split()))
"""What arguments are called that hold prose: a word in them is talked of, not acted upon."""

_ANY_ACT_EN: Final = "do give go have keep make put take touch use want get be try change work"
_ANY_ACT_ZH: Final = "用 使用 做 动 碰 弄 搞 要 给 来 拿 改"
ANY_ACT: Final = frozenset((*_ANY_ACT_EN.split(), *_ANY_ACT_ZH.split()))
"""Verbs that say nothing of what is done: whatever is done with the thing breaks the rule."""

_EMPTY_EN: Final = "a an any at for in my of on or our the to with your"
EMPTY: Final = frozenset(_EMPTY_EN.split())
"""Words of a phrase that need not be in a call."""
