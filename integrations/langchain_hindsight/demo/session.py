"""One session of the demo, in a process of its own: `python -m langchain_hindsight.demo.session`.

The specification comes as JSON in the only argument, the result goes as JSON to standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TypedDict

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from hindsight_core import ConfigurationError, Hindsight, Settings
from langchain_hindsight.demo.policy import Policy
from langchain_hindsight.demo.tools import make_tools
from langchain_hindsight.middleware import HindsightMiddleware

__all__ = ["Call", "Result", "Specification", "run_session"]


class Specification(TypedDict):
    """What one session is to do; `store` is None for a session without memory."""

    store: str | None
    desk: str
    database: str
    folder: str
    messages: list[str]
    model: str | None
    base_url: str | None


class Call(TypedDict):
    """One tool call of a session and what came of it."""

    tool: str
    args: dict[str, Any]
    ok: bool
    result: str


class Result(TypedDict):
    """What came of one session."""

    calls: list[Call]
    answer: str
    reports: list[str]


def run_session(spec: Specification) -> Result:
    """Run the agent over the messages of one session, each as a turn of its own."""
    folder = Path(spec["folder"])
    tools = make_tools(spec["desk"], Path(spec["database"]), folder)
    middleware: list[Any] = []
    if spec["store"]:
        # The demo may take longer than an agent would: it is to show recall by meaning at once.
        memory = Hindsight.open(spec["store"], settings=Settings(deadline=20))
        middleware.append(HindsightMiddleware(memory, user="demo"))
    agent = create_agent(_model(spec), tools, middleware=middleware)
    messages: list[Any] = []
    for said in spec["messages"]:
        given: Any = {"messages": [*messages, HumanMessage(said)]}
        messages = agent.invoke(given)["messages"]  # pyright: ignore[reportUnknownMemberType]
    asked = {
        call["id"]: call
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    return Result(
        calls=[
            Call(
                tool=asked[message.tool_call_id]["name"],
                args=asked[message.tool_call_id]["args"],
                ok=message.status != "error",
                result=str(message.text),
            )
            for message in messages
            if isinstance(message, ToolMessage)
        ],
        answer=str(messages[-1].text),
        reports=sorted(path.name for path in folder.iterdir()),
    )


def _model(spec: Specification) -> BaseChatModel:
    if spec["model"] is None:
        return Policy()
    try:
        from langchain_openai import ChatOpenAI
    except ImportError as error:
        raise ConfigurationError(
            "demo: --model needs langchain-openai. Install it with: pip install langchain-openai"
        ) from error
    return ChatOpenAI(model=spec["model"], base_url=spec["base_url"], temperature=0)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run_session(json.loads(sys.argv[1]))))
