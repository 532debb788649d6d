"""What a shell's command does, without what it only mentions.

`grep npm README.md` does not use npm, `git commit -m "master list"` does not touch master. Each
part of a pipeline counts for itself; nothing is run or expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight_core.gate._rule_words import MENTIONS, WRAPPERS

__all__ = ["doing"]

_PARTS: Final = re.compile(r"&&|\|\||[;|&\n]")
_QUOTED: Final = re.compile(r"\"[^\"]{0,500}\"|'[^']{0,500}'")
_RUNS_TEXT: Final = re.compile(r"\b(?:ba|z|da)?sh -\w*c |\beval |\bpython[0-9.]* -c |\bsu -c ")
_ASSIGNMENT: Final = re.compile(r"\w{1,60}=\S*")


def doing(command: str) -> str:
    """Return the words of a folded command that act, joined by blanks."""
    if not _RUNS_TEXT.search(command):
        command = _QUOTED.sub(_without_prose, command)
    return " ".join(word for part in _PARTS.split(command) for word in _acting(part.split()))


def _without_prose(match: re.Match[str]) -> str:
    """A quotation of several words is prose; a single word is quoted for the shell's sake."""
    text = match[0][1:-1]
    return text if len(text.split()) == 1 and not _PARTS.search(text) else " "


def _acting(words: list[str]) -> Iterator[str]:
    while words and (words[0] in WRAPPERS or _ASSIGNMENT.fullmatch(words[0])):
        words = words[1:]
    if not words:
        return
    program = words[0].rpartition("/")[2]
    looks = MENTIONS.get(program)
    if looks is None or (looks and not any(word in looks for word in words[1:3])):
        yield from words
    else:
        yield program
        if looks:
            yield from (word for word in words[1:3] if word in looks)
