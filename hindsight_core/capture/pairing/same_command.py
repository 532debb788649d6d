"""Whether two command lines, statements or requests are about the same thing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hindsight_core.capture.outcomes import stages_of
from hindsight_core.capture.pairing.corrections import corrects, is_stated, is_typo, words_in
from hindsight_core.text import fold

__all__ = ["same_command", "topic_of"]

_TARGET: Final = re.compile(
    r"\b(?:from|join|into|update|table|database|view|index on)\s+([\w.\"`\[\]]+)", re.IGNORECASE
)
_STATEMENT: Final = re.compile(
    r"\b(select|insert|update|delete|create|alter|drop|truncate|grant|with|show|describe|explain)\b",
    re.IGNORECASE,
)
_OPTION: Final = re.compile(r"[-+]\S*")
_MISSING: Final = re.compile(r"not found|not recognized|no such|未找到命令|找不到命令|不是内部")


def same_command(kind: str, old: Mapping[str, Any], new: Mapping[str, Any], error: str) -> bool:
    """Whether what worked was the same command: its program, its verb, and what it was about.

    `kind` is `shell` or `sql`, `error` the folded words of the failure.
    """
    left, right = _text(old), _text(new)
    if kind == "sql":
        return _same_statement(left, right, error)
    failed, worked = stages_of(left), stages_of(right)
    if not failed or not worked:
        return words_in(left) == words_in(right)
    blamed = [words for words in failed if is_stated(words[0], error)] or failed[-1:]
    return any(_same_stage(one, other, error) for one in blamed for other in worked)


def topic_of(kind: str, args: Mapping[str, Any]) -> str:
    """The word that tells one command from another: the program and its verb, or the table."""
    text = _text(args)
    if kind == "sql":
        return " ".join((*_verbs(text)[:1], *_targets(text)[:1]))
    stages = stages_of(text)
    if not stages:
        return ""
    last = stages[-1]
    operands = _operands(last)
    verb = operands[:1] if operands and _is_verb(operands[0]) else []
    return " ".join((last[0], *verb))[:80].casefold()


def _text(args: Mapping[str, Any]) -> str:
    return " ".join(value for value in args.values() if isinstance(value, str))[:4_000]


def _same_stage(failed: Sequence[str], worked: Sequence[str], error: str) -> bool:
    if fold("".join(failed)) == fold("".join(worked)):
        return True
    old, new = _operands(failed), _operands(worked)
    if words_in(failed[0]) != words_in(worked[0]):
        missing = is_stated(failed[0], error) and _MISSING.search(error)
        if not (missing or _is_version(failed[0], worked[0])):
            return False
    if old and new and _is_verb(old[0]) and _is_verb(new[0]) and old[0] != new[0]:
        return is_typo(old[0], new[0]) or is_stated(new[0], error)
    return _all_kept(old, new, error)


def _all_kept(old: Sequence[str], new: Sequence[str], error: str) -> bool:
    """Whether all that was named is named again, or has a correction among what is new."""
    fresh = [part for part in new if part not in old]
    return all(part in new or _has(part, fresh, error) for part in old)


def _has(part: str, others: Sequence[str], error: str) -> bool:
    return any(corrects(part, other) or is_stated(other, error) for other in others)


def _is_version(one: str, other: str) -> bool:
    """Whether two programs are one by another name: `pip` and `pip3`, `npm` and `pnpm`."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return len(short) >= 3 and short in long and len(long) - len(short) <= 4


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if word and not _OPTION.fullmatch(word)]


def _is_verb(word: str) -> bool:
    return word.isascii() and word.replace("-", "").isalpha() and word.islower()


def _verbs(text: str) -> list[str]:
    return [verb.casefold() for verb in _STATEMENT.findall(text[:2_000])]


def _targets(text: str) -> list[str]:
    return [found.strip('"`[]').casefold() for found in _TARGET.findall(text)]


def _same_statement(left: str, right: str, error: str) -> bool:
    if _verbs(left)[:1] != _verbs(right)[:1] and _verbs(left):
        return False
    old, new = _targets(left), _targets(right)
    if not old or not new:
        return corrects(left, right)
    return _all_kept(old, new, error)
