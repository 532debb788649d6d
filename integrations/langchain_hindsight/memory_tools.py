"""Tools with which an agent itself searches, keeps and forgets.

They are for what an agent decides; what it does is captured without them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from hindsight_core import Hindsight, HindsightError, Kind, Scope
from langchain_hindsight._opening import Opened

__all__ = ["MemoryTool", "memory_tools"]


class MemoryTool(StructuredTool):
    """A door to the memory itself: what it brings was recalled, so nothing is learnt of its use."""


def memory_tools(
    hindsight: Hindsight | str | None = None,
    *,
    user: str | None = None,
    tenant: str | None = None,
) -> list[BaseTool]:
    """The tools `memory_search`, `memory_remember`, `memory_forget` and `memory_details`.

    Whose memory it is comes from the run, as in `HindsightMiddleware`; the model cannot name a
    user. What it remembers is stored as the agent's own word, which the guard trusts less than the
    user's. A refusal of the memory comes back to the model as an error it can read.
    """
    opened = Opened(hindsight, user, tenant)
    hs = opened.hindsight

    def memory_search(query: str, config: RunnableConfig) -> str:  # noqa: D417 - the framework passes it
        """Look up what is remembered about the user, past failures and ways that worked.

        Use it when the answer may depend on an earlier conversation and is not shown already.

        Args:
            query: What to look for, as a full question or phrase.
        """
        block = hs.recall(_scope(config), query, details=True).block
        if block is None:
            return "Nothing is remembered about that."
        ids = "\n".join(f"{n}. {memory_id}" for memory_id, n in block.numbered.items())
        return f"{block.text}\nids:\n{ids}"

    def memory_remember(content: str, config: RunnableConfig) -> str:  # noqa: D417 - the framework passes it
        """Keep one lasting fact for later conversations, in one self-contained sentence.

        Use it when the user asks you to remember something. Never for what holds only now.

        Args:
            content: The fact, understandable without this conversation.
        """
        memory = hs.remember(_scope(config), content, kind=Kind.FACT)
        return f"Kept as {memory.id} ({memory.status.value})."

    def memory_forget(memory_id: str, config: RunnableConfig) -> str:  # noqa: D417 - the framework passes it
        """Erase one memory for good; use it when the user asks you to forget something.

        Args:
            memory_id: The id that memory_search showed.
        """
        memory = hs.get(_scope(config), memory_id)
        hs.forget(_scope(config), [memory.id], by="agent")
        return f"Forgot {memory.id}."

    def memory_details(memory_id: str, config: RunnableConfig) -> str:  # noqa: D417 - the framework passes it
        """Show one note of the memory in full.

        Args:
            memory_id: The number of the note, or the id that memory_search showed.
        """
        return hs.details(_scope(config), memory_id)

    def _scope(config: RunnableConfig) -> Scope:
        named = {**(config.get("metadata") or {}), **(config.get("configurable") or {})}
        return opened.scope(named)

    made = [
        MemoryTool.from_function(_readable(function), parse_docstring=True, handle_tool_error=True)
        for function in (memory_search, memory_remember, memory_forget, memory_details)
    ]
    return list(made)


def _readable(function: Callable[..., str]) -> Callable[..., str]:
    """Turn what the memory refuses into an error that the framework hands to the model."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> str:
        try:
            return function(*args, **kwargs)
        except HindsightError as error:
            raise ToolException(str(error)) from error

    return run
