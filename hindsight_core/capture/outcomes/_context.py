"""What kind of tool was called, so that its result is read as what it is.

The content of a search, a file or a log is data: the word "error" in it says nothing about the
call. The result of an action is a report, and so is the first line of a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Final, cast

from hindsight_core.capture.outcomes._commands import NO_COMMAND, Command, read_command
from hindsight_core.capture.outcomes._tables import normalise, wished, words

__all__ = ["Role", "ToolContext", "context_of", "things_of"]

_SPLIT: Final = re.compile(r"\.|__|::|/")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_MAX_ARGUMENTS: Final = 4_000
_MAX_ECHO: Final = 300
_NEAR: Final = 20
"""How far from its beginning a message names what it is about."""


class Role(StrEnum):
    """What a tool's result is made of."""

    ACT = "act"
    READ = "read"
    STATUS = "status"
    TRANSFORM = "transform"
    AGENT = "agent"
    CHECKER = "checker"
    SHELL = "shell"
    CODE = "code"
    SQL = "sql"
    HTTP = "http"
    OTHER = "other"


_VERBS: Final = (Role.ACT, Role.STATUS, Role.TRANSFORM, Role.READ)
_KINDS: Final = (Role.CHECKER, Role.SHELL, Role.CODE, Role.SQL, Role.HTTP)


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """A tool's role, the command it ran where it ran one, and its arguments.

    `raw`: what it reads is any text at all, such as a file, a log or a message. `quoted`: it is
    what others wrote of their troubles, such as a ticket or a log.
    """

    tool: str
    role: Role
    args: Mapping[str, Any]
    command: Command = NO_COMMAND
    raw: bool = False
    quoted: bool = False

    @cached_property
    def said(self) -> str:
        """The arguments as one normalised text."""
        return normalise(_joined_texts(self.args))

    def unsaid(self, normal: str) -> str:
        """Cut out of a normalised text what the call itself said, and what it was called for."""
        for value in self._values:
            if value in normal:
                normal = normal.replace(value, " ")
        acts = self.role in (Role.ACT, Role.OTHER)
        pattern = wished(self.tool) if acts else None
        return pattern.sub(" ", normal) if pattern else normal

    def unsubjected(self, normal: str) -> str:
        """Cut out what the tool is about by its name: "certificate" of `certificate.get`."""
        for word in _WORD.findall(self.tool):
            if len(word) >= 4:
                normal = re.sub(rf"\b{word.casefold()}\w*", " ", normal)
        return normal

    def names(self, normal: str) -> bool:
        """Whether a normalised text names a value of the call's arguments."""
        return any(value in normal for value in self._values)

    def names_object(self, normal: str) -> bool:
        """Whether a normalised text opens with what the tool reads: "ticket 4" of `get_ticket`."""
        head = normal[:_NEAR]
        spoken = {word.casefold() for word in _WORD.findall(self.tool)} & words("quoted")
        if any(re.search(rf"\b{word.rstrip('s')}s?\b", head) for word in spoken):
            return True
        return any(w in self.tool and w in head for w in words("quoted") if _CJK.search(w))

    @cached_property
    def _values(self) -> list[str]:
        texts = {normalise(text).strip() for text in _texts(self.args) if len(text) <= _MAX_ECHO}
        long = [text for text in texts if len(text) >= (2 if not text.isascii() else 4)]
        return sorted(long, key=len, reverse=True)[:20]

    @property
    def own_code(self) -> bool:
        """Whether an error in code is one of code that the agent itself passed."""
        return self.role in (Role.CODE, Role.SHELL, Role.SQL)


def context_of(tool: str, args: Mapping[str, Any]) -> ToolContext:
    """Tell the role of a tool by the words of its name, from its last part on."""
    role = _role(tool)
    if role is Role.ACT and _visits(tool) and any(map(_is_address, args.values())):
        role = Role.READ
    if role is not Role.SHELL:
        quoted = _speaks_of("quoted", tool)
        return ToolContext(tool=tool, role=role, args=args, raw=_is_raw(tool), quoted=quoted)
    said = _joined_texts(args)
    command = read_command(f"{tool} {said}" if _is_program(tool) else said)
    return ToolContext(tool=tool, role=role, args=args, command=command)


def things_of(tool: str) -> frozenset[str]:
    """The words of a tool's name that say no deed: "wiki" of `wiki_search`."""
    spoken = {word.casefold() for word in _WORD.findall(tool)}
    return frozenset(spoken.difference(*map(words, (*_VERBS, *_KINDS))))


def _visits(tool: str) -> bool:
    return _speaks_of("visit", tool)


@lru_cache(maxsize=2_048)
def _speaks_of(name: str, tool: str) -> bool:
    """Whether a tool's name has a word of a list."""
    known = words(name)
    spoken = {word.casefold() for word in _WORD.findall(tool)}
    return bool(spoken & known) or any(word in tool for word in known if _CJK.search(word))


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://", "www."))


def _joined_texts(args: Mapping[str, Any]) -> str:
    return " ".join(_texts(args))[:_MAX_ARGUMENTS]


@lru_cache(maxsize=2_048)
def _is_raw(tool: str) -> bool:
    known = words("raw")
    text = tool.casefold()
    named = {word.casefold() for word in _WORD.findall(tool)}
    if named & words("list") or any(word in text for word in words("list") if _CJK.search(word)):
        return False
    return bool(named & known) or any(word in text for word in known if _CJK.search(word))


def _is_program(tool: str) -> bool:
    name = tool.strip().casefold()
    return name in words("program")


@lru_cache(maxsize=2_048)
def _role(tool: str) -> Role:
    parts = [part for part in _SPLIT.split(tool.strip()) if part]
    for part in reversed(parts):
        name = [word.casefold() for word in _WORD.findall(part)]
        if role := _kind(name) or _verb(name) or _cjk(part):
            asked = role is Role.TRANSFORM or any(word in words("ask") for word in name)
            return Role.AGENT if asked and any(map(_is_agent, parts)) else role
    return Role.OTHER


def _is_agent(part: str) -> bool:
    return any(word.casefold() in words(Role.AGENT) for word in _WORD.findall(part))


def _kind(name: list[str]) -> Role | None:
    """Tell a tool that runs what it is given: named first (`http_get`), or last (`run_bash`)."""
    for kind in _KINDS:
        known = words(kind)
        runs = len(name) > 1 and name[-1] in known and name[0] in words("run")
        if kind is Role.SHELL and len(name) > 1 and name[-1] in words("quoted"):
            continue  # `kubectl_logs` is the reading of logs
        if runs or (name and name[0] in known):
            ran = any(word in words("run") for word in name)
            if kind is Role.CODE and not ran and _verb(name) in (Role.READ, Role.ACT):
                return None
            return kind
    return None


def _verb(name: list[str]) -> Role | None:
    """Find the first verb; of words that may be nouns, one of state or content goes before."""
    for word in name:
        for role in _VERBS:
            if word in words(role):
                return role
    for role in (Role.STATUS, Role.READ, Role.TRANSFORM, Role.ACT):
        if any(word in words(f"{role}_noun") for word in name):
            return role
    return Role.AGENT if any(word in words(Role.AGENT) for word in name) else None


def _cjk(part: str) -> Role | None:
    """Read a Chinese name: what it runs, else a reading verb in front, a verb at its end, any."""
    if not _CJK.search(part):
        return None
    text = normalise(part)
    hits = [
        (text.find(word), len(word), role)
        for role in (*_KINDS[:4], *_VERBS, Role.AGENT)
        for word in words(role)
        if _CJK.search(word) and word in text
    ]
    kinds = [hit for hit in hits if hit[2] in _KINDS]
    first = [hit for hit in hits if hit[0] == 0 and hit[2] is Role.READ]
    last = [hit for hit in hits if hit[0] + hit[1] == len(text)]
    state = [hit for hit in last if hit[2] is Role.STATUS]
    best = kinds or state or first or last or sorted(hits, key=lambda hit: (hit[0], -hit[1]))
    return best[0][2] if best else None


def _texts(value: Any, depth: int = 0) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)):
        yield str(value)
    elif depth < 4 and isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from _texts(item, depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value)[:50]:
            yield from _texts(item, depth + 1)
