"""An AutoGen agent that learns in one session and obeys in the next, with one line of memory.

    pip install 'hindsight-core[autogen,embed]' autogen-ext
    python examples/autogen_agent.py [STORE]

It runs offline: in place of a language model there is a small policy that acts on what it reads in
its prompt. Give `AssistantAgent` a real client instead, and nothing else changes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ToolCallExecutionEvent
from autogen_core import FunctionCall
from autogen_core.models import (
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
)
from autogen_ext.models.replay import ReplayChatCompletionClient
from autogen_hindsight import HindsightMemory


def book_seat(date: str, seat: str = "any") -> str:
    """Book a seat."""
    if not (len(date) == 10 and date[4] == date[7] == "-"):
        raise ValueError(f"invalid date {date!r}: use the format YYYY-MM-DD")
    return f"booked for {date}, seat: {seat}"


class Policy(ReplayChatCompletionClient):
    """Books a seat; reads its prompt and the last result as a language model would."""

    def __init__(self) -> None:
        info = ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family=ModelFamily.UNKNOWN,
            structured_output=False,
        )
        super().__init__([], model_info=info)

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:  # noqa: ARG002
        last = messages[-1]
        prompt = " ".join(str(message.content) for message in messages)
        content: str | list[FunctionCall]
        if isinstance(last, FunctionExecutionResultMessage) and not last.content[0].is_error:
            content = last.content[0].content
        else:
            args = {"date": "2026-03-05" if "YYYY-MM-DD" in prompt else "5 March 2026"}
            if "window" in prompt:
                args["seat"] = "window"
            call_id = f"call-{len(messages)}"
            content = [FunctionCall(id=call_id, name="book_seat", arguments=json.dumps(args))]
        usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
        reason = "stop" if isinstance(content, str) else "function_calls"
        return CreateResult(finish_reason=reason, content=content, usage=usage, cached=False)


async def session(store: str, request: str) -> None:
    """One session: an agent of its own over the store, as in a process of its own."""
    memory = HindsightMemory(store, user="ann")
    agent = AssistantAgent(
        "booking", Policy(), tools=[book_seat], memory=[memory], max_tool_iterations=5
    )  # the one line: memory=[memory]
    messages = (await agent.run(task=request)).messages
    results = [r for m in messages if isinstance(m, ToolCallExecutionEvent) for r in m.content]
    failures = sum(bool(result.is_error) for result in results)
    print(f"> {request}\n  {messages[-1].content} ({len(results)} calls, {failures} failed)")
    await memory.close()


async def main(store: str) -> None:
    """Two sessions over one store."""
    await session(
        store, "Book a seat for 5 March 2026. Whenever you book a seat for me, take a window seat."
    )
    await session(store, "Book a seat for 5 March 2026.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "memory.db")))
