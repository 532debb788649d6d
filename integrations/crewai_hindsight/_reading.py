"""Reads CrewAI's own objects: whose hook it is, what a person said, what a tool came back with."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from crewai.tools.memory_tools import RecallMemoryTool, RememberTool
from crewai.utilities.i18n import I18N_DEFAULT

from crewai_hindsight._details import DetailsTool

__all__ = [
    "MEMORY_TOOLS",
    "agents_of",
    "asked_by_the_framework",
    "asks_for_an_agent",
    "feedback_in",
    "is_exhausted",
    "is_memory_tool",
    "is_step",
    "outcome_of",
    "request_of",
    "storage_of",
    "tells_details",
    "text_of",
    "tool_name",
    "tools_of",
    "was_blocked",
]

_ITS_OWN: Final = ("crewai.agent.", "crewai.agents.", "crewai.lite_agent")
"""The modules that ask a memory of their own accord, before and after an agent's work."""
MEMORY_TOOLS: Final = (RecallMemoryTool, RememberTool, DetailsTool)
_RAISED: Final = "Error executing tool: "
_BLOCKED: Final = "Tool execution blocked by hook."


def _form(template: str, **groups: str) -> re.Pattern[str]:
    """A pattern of one of CrewAI's own texts: each group where the text has its field."""
    pattern = re.escape(template)
    for name, group in groups.items():
        pattern = pattern.replace(re.escape(f"{{{name}}}"), f"(?P<{name}>{group})", 1)
    return re.compile(pattern, re.DOTALL)


_FEEDBACK: Final = _form(I18N_DEFAULT.slice("feedback_instructions"), feedback=".*?")
_STEP: Final = _form(
    I18N_DEFAULT.retrieve("planning", "step_executor_system_prompt"),
    **dict.fromkeys(("role", "backstory", "goal", "tools_section"), ".*"),
)
_STEP_OF: Final = _form(
    I18N_DEFAULT.retrieve("planning", "step_executor_task_context"), task_context=".*?"
)
"""What an agent that plans is told at each step: who he is, and of what it is a step."""
_RETRIED_OUT: Final = _form(
    I18N_DEFAULT.errors("tool_usage_exception"), error=".*?", tool=".*?", tool_inputs=".*"
)
"""What the ReAct loop says when the last of its tries at a call has raised."""


def storage_of(holder: Any) -> object:
    """The storage behind a crew's or an agent's memory, through any view of it."""
    memory = getattr(holder, "_memory", None) or getattr(holder, "memory", None)
    return getattr(getattr(memory, "_memory", None) or memory, "storage", None)


def agents_of(context: Any) -> list[Any]:
    """The agents that a hook is about: the one that acts, else all of the crew."""
    task, flow, crew = (getattr(context, name, None) for name in ("task", "flow", "crew"))
    acting = getattr(context, "agent", None) or getattr(task, "agent", None)
    acting = acting or getattr(flow, "agent", None)
    return [acting] if acting is not None else list(getattr(crew, "agents", None) or ())


def asked_by_the_framework() -> bool:
    """Whether CrewAI itself calls the memory's method that calls this, and no tool or user code.

    What it gets so it writes into the agent's prompt for good, and what it hands over is a report
    of a whole task; neither says who asks.
    """
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame.f_back if frame is not None else None
    name = ""
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if not name.startswith("crewai.memory."):
            break
        frame = frame.f_back
    return f"{name}.".startswith(_ITS_OWN)


def text_of(message: Any) -> str:
    """The text of a message, its pictures and files left out."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (
            cast("Mapping[str, object]", part)
            for part in cast("list[object]", content)
            if isinstance(part, Mapping)
        )
        return " ".join(str(part.get("text") or "") for part in parts)
    return str(content or "")


def feedback_in(messages: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """What a person said of the agent's work, each with the text before it."""
    before = ""
    for message in messages:
        text = text_of(message)
        if message.get("role") == "user" and (found := _FEEDBACK.fullmatch(text)):
            yield found["feedback"], before
        before = text


def request_of(context: Any) -> str:
    """What an agent without a task was asked: its request, as `kickoff` was given it."""
    asked = str(getattr(getattr(context, "executor", None), "_kickoff_input", "") or "")
    messages: Sequence[Any] = getattr(context, "messages", ())  # a tool call has none
    said = [text_of(m) for m in reversed(messages) if m.get("role") == "user"]
    steps = (found["task_context"] for text in said if (found := _STEP_OF.search(text)))
    return asked or next(steps, "") or next(iter(said), "")


def is_step(context: Any) -> bool:
    """Whether a model is asked for a step of an agent's plan, which no executor stands behind."""
    if context.executor is not None or context.agent is None or not context.messages:
        return False
    return _STEP.fullmatch(text_of(context.messages[0])) is not None


def asks_for_an_agent(context: Any) -> bool:
    """Whether a model is asked for an agent's work, and not for the framework's own."""
    return context.executor is not None or is_step(context)


def tools_of(context: Any) -> list[Any]:
    """The tools of the agent whose model is called, those that CrewAI adds among them."""
    known = getattr(context.executor, "original_tools", None)
    return list(known or getattr(context.agent, "tools", None) or ())


def tells_details(context: Any) -> bool:
    """Whether the agent whose model is called has our tool that tells a memory in full."""
    return any(isinstance(tool, DetailsTool) for tool in tools_of(context))


def tool_name(context: Any) -> str:
    """The tool's name as its author wrote it, which other frameworks know it by."""
    return str(getattr(context.tool, "name", None) or context.tool_name)


def is_memory_tool(context: Any) -> bool:
    """Whether the tool is CrewAI's own door to a memory: what it brings was recalled."""
    return isinstance(getattr(context.tool, "_original_tool", None), MEMORY_TOOLS)


def is_exhausted(context: Any) -> bool:
    """Whether the tool was used as often as it may be, so that a call to it will not run."""
    tool = getattr(context.tool, "_original_tool", None) or context.tool
    limit = getattr(tool, "max_usage_count", None)
    return limit is not None and getattr(tool, "current_usage_count", 0) >= limit


def was_blocked(context: Any) -> bool:
    """Whether some hook kept the call from running."""
    return str(context.tool_result or "").startswith(_BLOCKED)


def outcome_of(context: Any) -> tuple[object, bool]:
    """What a call came back with, and CrewAI's own word on whether it failed.

    Its own phrases around the text of an exception are taken off.
    """
    raw, text = context.raw_tool_result, str(context.tool_result or "")
    if hasattr(raw, "as_agent_message"):  # a `ToolFailure`, which older versions do not have
        return raw.as_agent_message(), True
    if context.tool is None:
        return text, True
    if text.startswith(_RAISED):
        return text.removeprefix(_RAISED), True
    if found := _RETRIED_OUT.search(text):
        return found["error"], True
    return (text if raw is None else raw), False
