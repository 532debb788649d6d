"""A LangChain agent fails and recovers, a CrewAI crew avoids it, an AutoGen team verifies it.

    pip install 'hindsight-core[langchain,crewai,autogen,embed]'
    pip install langchain-openai 'autogen-ext[openai]'
    python examples/cross_framework.py [STORE]

The three share nothing but the store. It runs offline, with `stand_in.py` in place of a language
model; set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL to run it with a real one.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import crewai_hindsight
import stand_in
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_hindsight import HindsightMemory, attach
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from langchain.agents import create_agent
from langchain_core.tools import StructuredTool, ToolException
from langchain_hindsight import HindsightMiddleware
from langchain_openai import ChatOpenAI
from stand_in import KEY, MODEL, model_url

from hindsight_core import Hindsight

REQUEST = "Book a seat for 5 March 2026."
tried: list[str] = []


def book_seat(date: str, seat: str = "any") -> str:
    """Book a seat."""
    tried.append(date)
    return stand_in.book_seat(date, seat)


def in_langchain(url: str, hs: Hindsight) -> str:
    """An agent; LangChain shows it the error of a tool that raises `ToolException`."""

    def book(date: str, seat: str = "any") -> str:
        """Book a seat."""
        try:
            return book_seat(date, seat)
        except ValueError as error:
            raise ToolException(str(error)) from error

    booking = StructuredTool.from_function(book, name="book_seat", handle_tool_error=True)
    model: Any = ChatOpenAI(model=MODEL, base_url=url, api_key=KEY)
    agent: Any = create_agent(model, [booking], middleware=[HindsightMiddleware(hs, user="ann")])
    return agent.invoke({"messages": [{"role": "user", "content": REQUEST}]})["messages"][-1].text


def in_crewai(url: str, hs: Hindsight) -> str:
    """A crew of one."""
    clerk = Agent(
        role="clerk",
        goal="Book what is asked for.",
        backstory="You book seats.",
        llm=LLM(model=f"openai/{MODEL}", base_url=url, api_key=KEY),
        tools=[tool("book_seat")(book_seat)],
    )
    task = Task(description=REQUEST, expected_output="The booking.", agent=clerk)
    memory = crewai_hindsight.HindsightMemory(hs, user="ann")
    return str(Crew(agents=[clerk], tasks=[task], memory=memory).kickoff().raw)


async def in_autogen(url: str, hs: Hindsight) -> str:
    """A team of a clerk and somebody who looks over his shoulder."""
    client = OpenAIChatCompletionClient(
        model=MODEL,
        base_url=url,
        api_key=KEY,
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": False,
            "family": "unknown",
            "structured_output": False,
        },
    )
    memory = HindsightMemory(hs, user="ann")
    clerk = AssistantAgent(
        "clerk", client, tools=[book_seat], memory=[memory], max_tool_iterations=5
    )
    attach(clerk)
    checker = AssistantAgent("checker", client, system_message="Say what was booked.")
    result = await RoundRobinGroupChat([clerk, checker], max_turns=2).run(task=REQUEST)
    await client.close()
    return str(result.messages[-1].to_text())


def tell(hs: Hindsight, framework: str, answer: str) -> None:
    """Say what a framework did, and let what it taught be stored."""
    print(f"{framework}: tried {', '.join(tried)}; {answer}")
    tried.clear()
    hs.flush()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, model_url() as url:
        where = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "memory.db")
        with Hindsight.open(where) as hs:
            tell(hs, "LangChain", in_langchain(url, hs))
            tell(hs, "CrewAI", in_crewai(url, hs))
            tell(hs, "AutoGen", asyncio.run(in_autogen(url, hs)))
            for known in hs.ledger(hs.scope_of("ann")):
                account = known.account
                print(f"{known.memory.kind.value}: {known.memory.content}")
                print(
                    f"  shown to {account.shown} later runs, {account.taken_good} went well by it"
                )
