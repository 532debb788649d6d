"""Reads LangChain's own objects: which turn it is, what a tool came back with, how a run ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from hindsight_core import stable_id
from langchain_hindsight._site import Site

__all__ = [
    "REJECTION",
    "Heard",
    "answered_by_a_person",
    "end_of",
    "heard_now",
    "messages_of",
    "outcome_of",
    "reason_of",
    "rejections",
    "run_id_of",
    "task_of",
]

REJECTION: Final = "User rejected the tool call for"
"""How the framework's human-in-the-loop begins the message of a refused call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """A message of the user, what the agent had said before it, and what he had `asked` then.

    `turn` is the same whenever the same message of the same state is read again.
    """

    text: str
    turn: str
    before: str
    asked: str = ""


def messages_of(state: object) -> list[BaseMessage]:
    """The messages of an agent's state, whichever form the state has."""
    if isinstance(state, Mapping):
        state = cast("Mapping[str, object]", state).get("messages")
    elif not isinstance(state, list):
        state = getattr(state, "messages", None)
    given = cast("list[object]", state) if isinstance(state, list) else []
    return [m for m in given if isinstance(m, BaseMessage)]


def _by_a_person(message: BaseMessage) -> bool:
    # What the framework itself puts in the user's mouth, such as a summary, bears a source.
    return isinstance(message, HumanMessage) and "lc_source" not in message.additional_kwargs


def run_id_of(site: Site, messages: Sequence[BaseMessage]) -> tuple[str, bool]:
    """The id of the run that answers the user's last message, and whether there is such a message.

    It depends on nothing but the thread and that message, so a run that is resumed, retried or
    replayed, in whichever process, is the same run. Without one it is the first message's.
    """
    if site.task_id and not site.nested:
        # Never the bare id: two users may well have a task "1".
        task = ("task", site.task_id)
        return stable_id("lc-", site.tenant, site.user, site.agent, *task), True
    asked = _last_by_a_person(messages)
    base = asked or next(iter(messages), None)
    told = (base.id, str(base.text)) if base is not None else ("", "")
    place = (site.tenant, site.user, site.thread, site.agent)
    return stable_id("lc-", *place, *told), asked is not None


def task_of(messages: Sequence[BaseMessage]) -> str:
    """What the user last asked for; empty when nothing of it is left in the state."""
    asked = _last_by_a_person(messages)
    return str(asked.text) if asked is not None else ""


def _last_by_a_person(messages: Sequence[BaseMessage]) -> BaseMessage | None:
    return next((message for message in reversed(messages) if _by_a_person(message)), None)


def heard_now(messages: Sequence[BaseMessage]) -> list[Heard]:
    """What the user said since the agent last spoke."""
    spoken = [i for i, message in enumerate(messages) if isinstance(message, AIMessage)]
    start = spoken[-1] + 1 if spoken else 0
    before = str(messages[start - 1].text) if start else ""
    asked = next((str(m.text) for m in reversed(messages[:start]) if _by_a_person(m)), "")
    return [
        Heard(text=text, turn=stable_id("", message.id, text), before=before, asked=asked)
        for message in messages[start:]
        if _by_a_person(message) and (text := str(message.text)).strip()
    ]


def rejections(messages: Sequence[BaseMessage]) -> list[tuple[ToolMessage, dict[str, Any]]]:
    """The calls that a person refused since the user last spoke, each with its arguments.

    They never reach a tool hook: the framework answers them in the state.
    """
    found: list[tuple[ToolMessage, dict[str, Any]]] = []
    arguments: dict[str | None, dict[str, Any]] = {}
    for message in reversed(messages):
        if _by_a_person(message):
            break
        if isinstance(message, AIMessage):
            arguments.update({call["id"]: call["args"] for call in message.tool_calls})
        elif isinstance(message, ToolMessage) and _is_rejection(message):
            found.append((message, {}))
    return [(m, arguments.get(m.tool_call_id, {})) for m, _ in reversed(found)]


def reason_of(rejection: ToolMessage) -> str:
    """What a person said when he refused a call; the rest of the message is the framework's."""
    return str(rejection.text).partition(" with reason: ")[2]


def end_of(state: object, messages: Sequence[BaseMessage]) -> tuple[bool, str]:
    """Whether an agent came to its end with an answer, not stopped by a limit; and its own words.

    The answer may be a tool's (`return_direct`), or a structured one, of which a tool's message
    tells; one that is an error is no answer.
    """
    last = messages[-1] if messages else None
    structured = _of_state(state, "structured_response")
    words = "" if structured is None else str(structured)
    if isinstance(last, AIMessage):
        answered, words = not last.tool_calls, str(last.text)
    else:
        results = _results_at_the_end(messages)
        answered = bool(results) and all(result.status != "error" for result in results)
    ended = answered and not _of_state(state, "jump_to")
    return ended, words if ended else ""


def _results_at_the_end(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    found: list[ToolMessage] = []
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            break
        found.append(message)
    return found


def _of_state(state: object, key: str) -> object:
    return cast("Mapping[str, object]", state).get(key) if isinstance(state, Mapping) else None


def _is_rejection(message: ToolMessage) -> bool:
    return message.status == "error" and str(message.text).startswith(REJECTION)


def answered_by_a_person(result: ToolMessage) -> bool:
    """Whether a result is a person's word in place of the tool's: a refusal, or an answer."""
    source = result.additional_kwargs.get("lc_source")
    return source == "hitl_interrupt_decision" or _is_rejection(result)


def outcome_of(result: object, call_id: str | None) -> tuple[str, bool | None]:
    """The text of whatever a tool returned, and the framework's own word on whether it failed.

    The word is None where there is no message of the tool, as in a bare `Command`.
    """
    answers = list(_tool_messages(result))
    # A command may bring messages of other calls along; this call's own come first.
    own = [m for m in answers if m.tool_call_id == call_id] or answers
    if own:
        text = "\n".join(_text_of(message) for message in own)
        return text, any(message.status == "error" for message in own)
    if isinstance(result, Command | list | tuple) or result is None:
        return "", None
    return str(result), None


def _tool_messages(result: object) -> Iterator[ToolMessage]:
    """Every tool message of a result: alone, in a list, or in the update of a command."""
    if isinstance(result, ToolMessage):
        yield result
        return
    if isinstance(result, Command):
        result = cast("Command[Any]", result).update
    if isinstance(result, Mapping):
        parts: Iterable[object] = cast("Mapping[str, object]", result).values()
    elif isinstance(result, list | tuple):
        parts = cast("Sequence[object]", result)
    else:
        parts = messages_of(result)
    for part in parts:
        yield from _tool_messages(part)


def _text_of(message: ToolMessage) -> str:
    if text := str(message.text):
        return text
    blocks = message.content if isinstance(message.content, list) else []
    return " ".join(f"[{b.get('type', 'data')}]" for b in blocks if isinstance(b, dict))
