"""The tools themselves: checked arguments in, typed answers out. Knows nothing of the protocol.

What a model writes here is an agent's word: it goes through the guard as such, and no tool lets it
pass for the user's, raise a trust, lift a quarantine, or name somebody else's memory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from hindsight_core import (
    ConfigurationError,
    Hindsight,
    InvalidMemoryError,
    Kind,
    Memory,
    NotFoundError,
    Source,
    Status,
    Tier,
    Where,
    in_executor,
)
from mcp_hindsight import _arguments as takes
from mcp_hindsight import _results as gives
from mcp_hindsight._callers import Caller, Quota
from mcp_hindsight._describing import TOOLS, Described

__all__ = ["QUERIES_PER_MINUTE", "Reply", "Toolbox"]

QUERIES_PER_MINUTE: Final = 3
_BY_PERSON: Final = (
    "A person confirms or refutes it with 'hindsight-core verify {id}'; "
    "'hindsight-core review' shows what is held back."
)
_NOTHING: Final = "Nothing is remembered about that."
_DAY: Final = 86_400.0
_SESSIONS: Final = 10
"""Sessions' worth of queries that a user has in one minute, however many sessions he opens."""
_THE_CALLERS: Final = (
    takes.BadArgumentsError,
    ConfigurationError,
    InvalidMemoryError,
    NotFoundError,
)
"""Errors that the caller can do something about; any other is ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a call comes to: a typed `answer`, or the text of an `error` that a model can act on."""

    answer: BaseModel | None = None
    error: str = ""


class Toolbox:
    """The tools over one memory, for any number of callers; thread-safe.

    With `dotted` they are named `memory.store` and so on; with `read_only` those that write are
    left out. `queries_per_minute` is the quota of `memory_query` a session, 0 for none.
    """

    def __init__(
        self,
        hindsight: Hindsight,
        *,
        dotted: bool = False,
        read_only: bool = False,
        queries_per_minute: int = QUERIES_PER_MINUTE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if queries_per_minute < 0:
            raise ConfigurationError("queries_per_minute: must be at least 0 (0: no limit)")
        self._hs = hindsight
        self._quota = Quota(queries_per_minute, clock)
        self._users = Quota(queries_per_minute * _SESSIONS, clock)
        self._said = Quota(1, clock, seconds=_DAY)
        self._dotted = dotted
        self.tools: Mapping[str, tuple[str, Described]] = {
            self.as_shown(name): (name, tool)
            for name, tool in TOOLS.items()
            if not (read_only and tool.writes)
        }
        """By the name that a client sees: the method's name and the description."""

    def as_shown(self, text: str) -> str:
        """A text with the tools' names as a client sees them."""
        return text.replace("memory_", "memory.") if self._dotted else text

    def listed(self) -> list[dict[str, Any]]:
        """The tools as MCP's `tools/list` gives them."""
        return [
            {
                "name": name,
                "title": tool.title,
                "description": self.as_shown(tool.description),
                "inputSchema": _schema(tool.takes),
                "outputSchema": _schema(tool.gives),
                "annotations": {"title": tool.title, **tool.hints},
            }
            for name, (_, tool) in self.tools.items()
        ]

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> Reply:
        """Run one tool for a caller; what the memory refuses is a reply, nothing is raised."""
        method, _ = self.tools.get(name, ("", None))
        if not method:
            return Reply(error=f"name: no such tool. There are: {', '.join(self.tools)}")
        with self._hs.guard(f"mcp.{method}"):  # what is our fault is counted, and seen in health
            try:
                return Reply(answer=await self._run(method, caller, arguments))
            except _THE_CALLERS as error:
                return Reply(error=str(error))
        return Reply(error=f"{name}: the memory is not available now. Go on without it")

    async def _run(self, method: str, caller: Caller, arguments: Mapping[str, Any]) -> BaseModel:
        if method == "memory_query":
            return await self._query(caller, takes.parse(takes.Query, arguments))
        run = getattr(self, f"_{method.removeprefix('memory_')}")
        return await in_executor(run, caller, arguments)

    async def _query(self, caller: Caller, asked: takes.Query) -> gives.Found:
        window = self._quota.take(caller.key)
        user = self._users.take(caller.key[:-1])
        window = window if user.allowed else user
        if not window.allowed:
            wait = math.ceil(window.retry_after)
            return gives.Found(
                notes=f"Not looked up: at most {self._quota.most} queries a minute in one "
                f"session. Go on with what you know, or ask again in {wait} s.",
                memories=[],
                recall_id="",
                limited=True,
                retry_after_seconds=wait,
                queries_left=0,
            )
        where = Where(kinds=tuple(Kind(kind) for kind in asked.kinds))
        found = await in_executor(
            self._hs.recall, caller.scope, asked.query, where=where, top_k=asked.limit
        )
        block = found.block
        shown = zip(block.numbers, block.memory_ids, strict=True) if block else ()
        by_id = {memory.id: memory for memory in found.memories}
        return gives.Found(
            notes=block.text if block else _NOTHING,
            memories=[_line(number, by_id[one]) for number, one in shown if one in by_id],
            recall_id=found.report.recall_id,
            queries_left=window.left,
        )

    def _store(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Stored:
        asked = takes.parse(takes.Store, arguments)
        memory = self._hs.remember(
            caller.scope,
            asked.content,
            kind=Kind(asked.kind),
            source=Source.AGENT,
            query=asked.when_useful,
            subject=asked.subject,
            entities=asked.entities,
            tier=Tier(asked.lifetime),
        )
        held = memory.status is Status.QUARANTINED
        message = "Held back: it is shown to nobody until a person decides. " if held else "Kept."
        if held:
            message += _BY_PERSON.format(id=memory.id)
        return gives.Stored(memory=gives.described(memory), message=message)

    def _forget(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Forgotten:
        ids = list(dict.fromkeys(takes.parse(takes.Forget, arguments).memory_ids))
        for one in ids:  # all or nothing: an id that is not there is said to be so
            self._hs.get(caller.scope, one)
        receipt = self._hs.forget(caller.scope, ids, by=caller.named)
        left = any(receipt.remaining.values())
        return gives.Forgotten(
            erased=ids,
            removed=dict(receipt.removed),
            remaining=dict(receipt.remaining),
            message="Something is left; see remaining." if left else "Erased for good.",
        )

    def _verify(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Assessed:
        asked = takes.parse(takes.Verify, arguments)
        memory, message = self._hs.get(caller.scope, asked.memory_id), ""
        if asked.holds is not None:
            memory, message = self._count(caller, memory, good=asked.holds)
        by_person = memory.trust >= Source.USER.trust
        if not by_person:
            message += "No person has confirmed it. " + _BY_PERSON.format(id=memory.id)
        return gives.Assessed(
            memory=gives.described(memory),
            backed_by_a_person=by_person,
            message=message.strip() or "A person said or confirmed it.",
        )

    def _details(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Detailed:
        asked = takes.parse(takes.Details, arguments)
        memory = self._hs.get(caller.scope, asked.memory_id)
        return gives.Detailed(memory=gives.described(memory), text=self._text(caller, memory))

    def _summarize(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Summarized:
        asked = takes.parse(takes.Summarize, arguments)
        memory = self._hs.summarize(caller.scope, asked.session)
        return gives.Summarized(
            memory=gives.described(memory), session=asked.session, text=self._text(caller, memory)
        )

    def _text(self, caller: Caller, memory: Memory) -> str:
        if memory.status is Status.QUARANTINED:
            return "Held back by the guard. " + _BY_PERSON.format(id=memory.id)
        return self._hs.details(caller.scope, memory.id)

    def _feedback(self, caller: Caller, arguments: Mapping[str, Any]) -> gives.Noted:
        asked = takes.parse(takes.Feedback, arguments)
        memory = self._hs.get(caller.scope, asked.memory_id)
        memory, message = self._count(caller, memory, good=asked.helpful)
        return gives.Noted(memory=gives.described(memory), message=message.strip())

    def _count(self, caller: Caller, memory: Memory, *, good: bool) -> tuple[Memory, str]:
        """Count one use of a memory, once a day and session: saying it again proves nothing."""
        if not self._said.take((*caller.key, memory.id)).allowed:
            return memory, "Noted already; in one session it counts once. "
        self._hs.feedback(caller.scope, memory.id, good=good)
        word = "that it held" if good else "that it did not hold"
        return self._hs.get(caller.scope, memory.id), f"Noted {word}; its trust stays as it is. "


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(mode="serialization")
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def _line(number: int, memory: Memory) -> gives.Line:
    return gives.Line(
        number=number,
        id=memory.id,
        kind=memory.kind.value,
        source=memory.source.value,
        trust=round(memory.trust, 3),
        contradicts=list(memory.conflicts_with),
    )
