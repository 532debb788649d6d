"""Which run an agent's turn belongs to, where the framework has no ids to tell.

A run is all that is done about one message of a person, by however many agents. They are found to
be in one conversation by what each of them sees: the same message at the same place, and after it
either the words of others or another agent that is still at work.
"""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from autogen_core.models import AssistantMessage, LLMMessage, UserMessage

from hindsight_core import stable_id

__all__ = ["Heard", "Reader", "RunKey", "find_run", "text_of"]

_MAX_HELD: Final = 1_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of a person: the how-manieth it is, and what an agent had said before it."""

    number: int
    text: str
    before: str


def text_of(content: object) -> str:
    """The text of a message; each image in it is named by its type."""
    if isinstance(content, str):
        return content
    parts = cast("list[object]", content) if isinstance(content, list) else []
    return "\n".join(p if isinstance(p, str) else f"[{type(p).__name__}]" for p in parts)


@dataclass(slots=True)
class Reader:
    """Reads the messages that come in to one agent's context, in order.

    `people` are the sources whose messages a person writes. `last` is the person's newest message,
    `fresh` those that no turn has taken up yet, `others_spoke` whether other agents spoke since,
    `first` the first text that came in, which is the task where no person speaks.
    """

    people: frozenset[str]
    first: str = ""
    last: Heard | None = None
    fresh: list[Heard] = field(default_factory=list[Heard])
    others_spoke: bool = False
    _said: str = ""

    def read(self, message: LLMMessage) -> None:
        """Take in one message of another or of the agent itself."""
        if isinstance(message, UserMessage):
            text = text_of(message.content)
            self.first = self.first or text
            if message.source in self.people:
                self.last = Heard((self.last.number if self.last else 0) + 1, text, self._said)
                self.fresh.append(self.last)
                self.others_spoke = False
            else:
                self.others_spoke = True
                self._said = text
        elif isinstance(message, AssistantMessage) and isinstance(message.content, str):
            self._said = message.content

    def read_history(self, messages: Sequence[LLMMessage]) -> None:
        """Take in a context that was filled before it was watched: what was answered is past."""
        sources = {m.source for m in messages if isinstance(m, UserMessage)}
        # A hand-over brings messages of other agents along; an agent is no source of its own input.
        own = [
            place
            for place, message in enumerate(messages)
            if isinstance(message, AssistantMessage) and message.source not in sources
        ]
        for place, message in enumerate(messages):
            self.read(message)
            if own and place == own[-1]:
                self.fresh.clear()


@dataclass(frozen=True, slots=True)
class RunKey:
    """The run of a turn, and the id of the conversation that it is part of."""

    run_id: str
    session: str


@dataclass(frozen=True, slots=True)
class _Begun:
    key: RunKey
    times: int
    task: asyncio.Task[Any] | None

    def goes_on_elsewhere(self) -> bool:
        task = self.task
        return task is not None and not task.done() and task is not asyncio.current_task()


_begun: OrderedDict[tuple[str | None, ...], _Begun] = OrderedDict()
_lock = threading.Lock()


def find_run(place: Sequence[str | None], reader: Reader, session: str | None) -> RunKey:
    """The run that answers the newest message: a new one, or one that another agent has begun.

    `place` says in which store, for whom and inside which outer run; `session` is the conversation
    as far as it is known. The same named conversation, resumed in another process, has the same id.
    """
    number, text = (
        (str(reader.last.number), reader.last.text) if reader.last else ("0", reader.first)
    )
    where = (*place, number, text)
    with _lock:
        known = _begun.get(where)
        if (
            known is not None
            and session in (None, known.key.session)
            and (reader.others_spoke or known.goes_on_elsewhere())
        ):
            return known.key
        times = known.times + 1 if known else 0
        session = session or uuid.uuid4().hex
        run_id = stable_id("ag-", *place, session, number, text, str(times))
        key = RunKey(run_id, session)
        _begun[where] = _Begun(key, times, asyncio.current_task())
        _begun.move_to_end(where)
        while len(_begun) > _MAX_HELD:
            _begun.popitem(last=False)
    return key
