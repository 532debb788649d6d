"""A lesson in words, in the language of the run: one table a language, the tool's own words kept.

The text is a function of the lesson, so it is written anew when a later run adds calls to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hindsight_core.capture.pairing.corrections import is_measure, is_stated
from hindsight_core.capture.pairing.means import is_asked_for
from hindsight_core.capture.pairing.similar_calls import (
    difference,
    profile,
    short_value,
    similarity,
)
from hindsight_core.han import simplified
from hindsight_core.schema import Lesson, ToolCall
from hindsight_core.text import count_cjk, fold, shorten

__all__ = [
    "MAX_LISTED",
    "Words",
    "calls_text",
    "first_text",
    "fix_text",
    "lesson_text",
    "message_text",
    "other_tool_text",
    "words_of",
]

MAX_LISTED: Final = 40
"""Failing calls that the text names, the newest."""
_MAX_LIST: Final = 1_600
_MAX_MESSAGE: Final = 240
_COMPARED: Final = 8
"""Calls of each side that are compared to find the arguments that tell."""
_MAX_PARTS: Final = 6
_MAX_FIXES: Final = 4
_MAX_THING: Final = 40
_MOST_THINGS: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """Templates of one language."""

    failed: str
    dead_end: str
    other_tool: str
    first: str
    given: str
    wait: str
    recovered: str
    fixed: str
    changed: str
    added: str
    removed: str
    join: str
    more: str
    stop: str
    gap: str
    path: str
    approved: str


ENGLISH: Final = Words(
    failed="`{tool}` failed with {calls}: {message}",
    dead_end="No way was found; do not repeat it.",
    other_tool="`{tool}` worked instead, with {calls}.",
    first="What worked: call `{tool}` first{given}, then the same call.",
    given=", with {calls}",
    wait="`{tool}` can fail for a while ({message}). It passes by itself: wait, then call again.",
    recovered="The same call worked later.",
    fixed="What worked: {fixes}.",
    changed="{name}={new} instead of {old}",
    added="with {name}={new}",
    removed="without {name}",
    join=", ",
    more="{count} more",
    stop=".",
    gap=" ",
    path="This worked, in this order: {steps}.",
    approved=' The user made it the way: "{said}"',
)
CHINESE: Final = Words(
    failed="`{tool}` 失败，参数 {calls}：{message}",
    dead_end="没有找到办法，不要重复。",
    other_tool="改用 `{tool}` 可行，参数 {calls}。",
    first="可行的做法：先调用 `{tool}`{given}，再照原样调用。",
    given="，参数 {calls}",
    wait="`{tool}` 会暂时失败（{message}）。过一会儿会自行恢复：请等待后再调用。",
    recovered="同样的调用后来成功了。",
    fixed="可行的做法：{fixes}。",
    changed="{name} 用 {new}，不用 {old}",
    added="加上 {name}={new}",
    removed="去掉 {name}",
    join="，",
    more="另有 {count} 个",
    stop="。",
    gap="",
    path="按此顺序可行：{steps}。",
    approved="用户定下就这样做：“{said}”",
)
_LATIN: Final = re.compile(r"[A-Za-z]+")


def words_of(*texts: str) -> Words:
    """Choose the templates by the script that the texts are mostly written in."""
    text = " ".join(text[:2_000] for text in texts)
    cjk = count_cjk(text)
    return CHINESE if cjk > len(_LATIN.findall(text)) else ENGLISH


def lesson_text(lesson: Lesson, words: Words) -> str:
    """Write a lesson: what was called, what the tool said, and what to do instead."""
    mistake, correction = lesson.mistake, lesson.correction
    tool = lesson.trigger.tool_sequence[0] if lesson.trigger.tool_sequence else ""
    if mistake.transient:
        text = words.wait.format(tool=tool, message=mistake.consequence)
        return words.gap.join((text, correction.action)) if correction else text
    asked = " ".join(lesson.trigger.context_keywords)
    fixes = correction.calls if correction else ()
    calls = calls_text(mistake.calls, fixes, words, told=mistake.consequence, asked=asked)
    failed = words.failed.format(tool=tool, calls=calls, message=mistake.consequence)
    if not failed.endswith((".", "!", "?", "。", "！", "？")):
        failed += words.stop
    return words.gap.join((failed, correction.action if correction else words.dead_end))


def message_text(message: str) -> str:
    """Bring a tool's message to one short line."""
    return shorten(" ".join(message.split()), _MAX_MESSAGE)


def calls_text(
    failed: Sequence[ToolCall],
    worked: Sequence[ToolCall],
    words: Words,
    *,
    told: str = "",
    asked: str = "",
) -> str:
    """List failing calls compactly: the arguments that what worked changed, or all of them.

    Where the error, `told`, does not say what would be right, it was seen of one thing alone: what
    the user had `asked` about is then named beside them.
    """
    names = _telling(failed, worked)
    names += _things(failed, worked, names, told, asked)
    listed = list(dict.fromkeys(_arguments(call.args, names, words) for call in failed))
    kept: list[str] = []
    size = 0
    for text in reversed(listed):
        size += len(text) + 2
        if len(kept) >= MAX_LISTED or (kept and size > _MAX_LIST):
            break
        kept.append(text)
    rest = len(listed) - len(kept)
    return "; ".join((*reversed(kept), *([words.more.format(count=rest)] if rest else ())))


def fix_text(pairs: Iterable[tuple[ToolCall, ToolCall, Collection[str]]], words: Words) -> str:
    """Say what was different in the calls that worked, the failed one of each pair first.

    The third of each are the arguments that the error blamed: what else is different is left out
    where any of them is.
    """
    texts: list[str] = []
    for failed, worked, blamed in pairs:
        found = difference(failed.args, worked.args)
        blamed_only = found.only(blamed)
        found = blamed_only or found
        parts = [words.changed.format(name=n, old=old, new=new) for n, old, new in found.changed]
        parts += [words.added.format(name=name, new=new) for name, new in found.added]
        parts += [words.removed.format(name=name) for name in found.removed]
        texts.append(words.join.join(parts[:_MAX_PARTS]))
    unique = [text for text in dict.fromkeys(texts) if text][:_MAX_FIXES]
    return words.fixed.format(fixes="; ".join(unique)) if unique else ""


def other_tool_text(worked: ToolCall, words: Words) -> str:
    """Say which other tool did it."""
    arguments = _arguments(worked.args, list(worked.args), words)
    return words.other_tool.format(tool=worked.tool, calls=arguments)


def first_text(worked: ToolCall, words: Words) -> str:
    """Say which call has to come first."""
    arguments = _arguments(worked.args, list(worked.args), words)
    given = words.given.format(calls=arguments) if worked.args else ""
    return words.first.format(tool=worked.tool, given=given)


def _telling(failed: Sequence[ToolCall], worked: Sequence[ToolCall]) -> list[str]:
    """Name the arguments that were changed in what worked; all where one was only added."""
    names = list(dict.fromkeys(name for call in failed for name in call.args))
    if len(names) <= 1:
        return names
    told: set[str] = set()
    profiles = [(one, profile(one.args)) for one in worked[-_COMPARED:]]
    for call in failed[-_COMPARED:]:
        same = [(one, made) for one, made in profiles if one.tool == call.tool]
        if not same:
            return names
        own = profile(call.args)
        nearest = max(same, key=lambda pair: similarity(own, pair[1]))[0]
        found = difference(call.args, nearest.args)
        if found.added and not found.changed:
            return names
        told |= {name for name, _, _ in found.changed} | set(found.removed)
    return [name for name in names if name in told] or names


def _things(
    failed: Sequence[ToolCall],
    worked: Sequence[ToolCall],
    names: Sequence[str],
    told: str,
    asked: str,
) -> list[str]:
    """The other arguments by which all failing calls name one thing that the user spoke of."""
    error = simplified(fold(told))
    right = (call.args.get(name) for call in worked for name in names)
    if not worked or not asked or any(is_stated(value, error) for value in right):
        return []
    others = dict.fromkeys(name for call in failed for name in call.args if name not in names)
    found: list[str] = []
    for name in others:
        value = failed[-1].args.get(name)
        one = all(call.args.get(name) == value for call in failed)
        if one and isinstance(value, str) and len(value) <= _MAX_THING and not is_measure(value):
            found += [name] if is_asked_for(value, asked) else []
    return found[:_MOST_THINGS]


def _arguments(args: Mapping[str, Any], names: Sequence[str], words: Words) -> str:
    if len(args) == 1 and isinstance(next(iter(args.values())), str):
        return short_value(next(iter(args.values())))
    shown = [f"{name}={short_value(args[name])}" for name in names if name in args]
    return words.join.join(shown[: _MAX_PARTS + 2]) or "()"
