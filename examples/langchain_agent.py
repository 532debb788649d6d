"""An agent that learns in one session and obeys in the next, with one line of memory.

    pip install 'hindsight-core[langchain,embed]'
    python examples/langchain_agent.py [STORE]

It runs offline: in place of a language model there is a small policy that acts on what it reads in
its prompt. Give `create_agent` a real model instead, and nothing else changes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException, tool
from langchain_hindsight import HindsightMiddleware


@tool
def book_seat(date: str, seat: str = "any") -> str:
    """Book a seat."""
    if not (len(date) == 10 and date[4] == date[7] == "-"):
        raise ToolException(f"invalid date {date!r}: use the format YYYY-MM-DD")
    return f"booked for {date}, seat: {seat}"


book_seat.handle_tool_error = True  # the agent sees the failure and may try again


class Policy(BaseChatModel):
    """Books a seat; reads its prompt and the last result as a language model would."""

    @property
    def _llm_type(self) -> str:
        return "policy"

    def bind_tools(self, tools: Any, **options: Any) -> BaseChatModel:  # noqa: ARG002
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:  # noqa: ARG002
        last = messages[-1]
        prompt = " ".join(message.text for message in messages)
        if isinstance(last, ToolMessage) and last.status == "success":
            answer = AIMessage(last.text)
        else:
            args = {"date": "2026-03-05" if "YYYY-MM-DD" in prompt else "5 March 2026"}
            if "window" in prompt:
                args["seat"] = "window"
            call = {"id": f"call-{len(messages)}", "name": "book_seat", "args": args}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


def session(store: str, request: str) -> None:
    """One session: an agent of its own over the store, as in a process of its own."""
    memory = HindsightMiddleware(store, user="ann")
    agent = create_agent(Policy(), [book_seat], middleware=[memory])  # the one line
    messages = agent.invoke({"messages": [{"role": "user", "content": request}]})["messages"]
    results = [m for m in messages if isinstance(m, ToolMessage)]
    failures = sum(m.status == "error" for m in results)
    print(f"> {request}\n  {messages[-1].text} ({len(results)} calls, {failures} failed)")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        where = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "memory.db")
        session(
            where,
            "Book a seat for 5 March 2026. Whenever you book a seat for me, take a window seat.",
        )
        session(where, "Book a seat for 5 March 2026.")
