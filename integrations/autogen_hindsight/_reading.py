"""Reads AutoGen's own messages, and writes what the model is shown: pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)

from hindsight_core import stable_id

__all__ = [
    "Heard",
    "Reader",
    "advice_key",
    "arguments_of",
    "text_of",
    "with_advice",
    "with_block",
]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of a person: the how-manieth it is, and what an agent had said before it.

    `asked` is what a person had said before that.
    """

    number: int
    text: str
    before: str
    asked: str = ""


def text_of(content: object) -> str:
    """The text of a message; each image in it is named by its type."""
    if isinstance(content, str):
        return content
    parts = cast("list[object]", content) if isinstance(content, list) else []
    return "\n".join(p if isinstance(p, str) else f"[{type(p).__name__}]" for p in parts)


@dataclass(slots=True, weakref_slot=True, eq=False)
class Reader:
    """Reads the messages that come in to one agent's context, in order.

    `people` are the sources whose messages a person writes. `last` is the person's newest message,
    `fresh` those that no turn has taken up yet, `others_spoke` whether other agents spoke since,
    `first` the first text that came in, which is the task where no person speaks, and `answered`
    whether the agent has answered what was read last.
    """

    people: frozenset[str]
    first: str = ""
    last: Heard | None = None
    fresh: list[Heard] = field(default_factory=list[Heard])
    others_spoke: bool = False
    answered: bool = False
    _said: str = ""

    @property
    def number(self) -> int:
        """How many messages of a person were read."""
        return self.last.number if self.last else 0

    def read(self, message: LLMMessage) -> None:
        """Take in one message of another or of the agent itself."""
        if isinstance(message, UserMessage):
            self.answered = False
            text = text_of(message.content)
            self.first = self.first or text
            if message.source in self.people:
                asked = self.last.text if self.last else ""
                self.last = Heard(self.number + 1, text, self._said, asked)
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


def arguments_of(call: FunctionCall) -> object:
    """The arguments of a call; as the model wrote them where they are no JSON."""
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def advice_key(call_id: str | None, result: str) -> str:
    """By what advice is found: some models give one id to several calls."""
    return stable_id("", call_id, result)


def with_advice(message: LLMMessage, advice: Mapping[str, str]) -> LLMMessage:
    """The message, each failure in it completed with what is known of it."""
    if not isinstance(message, FunctionExecutionResultMessage):
        return message
    known = [advice.get(advice_key(r.call_id, r.content)) for r in message.content]
    results = [
        result.model_copy(update={"content": f"{result.content}\n\n{told}"}) if told else result
        for result, told in zip(message.content, known, strict=True)
    ]
    return message.model_copy(update={"content": results})


def with_block(messages: list[LLMMessage], block: str) -> list[LLMMessage]:
    """The messages with a block before them, next to system messages that are among them.

    The agent puts its own system message first, and some models take one run of them only.
    """
    place = next((n for n, m in enumerate(messages) if isinstance(m, SystemMessage)), 0)
    return [*messages[:place], SystemMessage(content=block), *messages[place:]]
