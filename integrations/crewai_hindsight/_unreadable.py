"""Finds the calls whose arguments CrewAI could not read: they come to no hook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from crewai.utilities.i18n import I18N_DEFAULT
from crewai.utilities.string_utils import sanitize_tool_name

from crewai_hindsight._reading import MEMORY_TOOLS, text_of, tools_of

__all__ = ["Unreadable", "unreadable_calls"]

_NO_DICT: Final = I18N_DEFAULT.errors("tool_arguments_error")
_IN_REACT: Final = re.compile(
    r"Action:(?P<tool>[^\n]*)\nAction Input:(?P<args>.*)\nObservation:\s*"
    + re.escape(_NO_DICT)
    + r"\s*\Z",
    re.DOTALL,
)


class Unreadable(NamedTuple):
    """A call, and what the agent was told in place of its result; `key` is its own in a run."""

    key: str
    name: str
    args: str
    result: str


def unreadable_calls(context: Any) -> Iterator[Unreadable]:
    """The calls in the last message of the agent whose model is called."""
    tools = {sanitize_tool_name(tool.name): tool for tool in tools_of(context)}
    for key, called, args, result in _found(context.messages):
        tool = tools.get(sanitize_tool_name(called))
        if not isinstance(tool, MEMORY_TOOLS):
            yield Unreadable(key, getattr(tool, "name", called), args, result)


def _found(messages: list[Any]) -> Iterator[Unreadable]:
    answers: dict[object, str] = {}
    for place in range(len(messages) - 1, -1, -1):
        message: Mapping[str, Any] = messages[place]
        if message.get("role") == "tool":
            answers[message.get("tool_call_id")] = text_of(message)
        elif message.get("role") == "assistant":
            for call in message.get("tool_calls") or ():
                name, args = call["function"]["name"], call["function"]["arguments"]
                if call["id"] in answers and _is_unreadable(args):
                    yield Unreadable(f"{call['id']}/{args}", name, args, answers[call["id"]])
            if said := _IN_REACT.search(text_of(message)):
                args = said["args"].strip()
                yield Unreadable(f"{place}/{args}", said["tool"].strip(), args, _NO_DICT)
            return


def _is_unreadable(args: object) -> bool:
    try:
        json.loads(args) if isinstance(args, str) else None
    except ValueError:
        return True
    return False
