"""Over a real socket, with the client that people use: what goes over the wire."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import MODES, drive, events, user
from langchain_openai import ChatOpenAI

from hindsight_core import Hindsight, Kind, Source
from hindsight_core.events import AgentSaid, ToolCalled, UserSaid
from hindsight_core.testing.scripted_server import ScriptedServer

RULE = "Always report temperatures in celsius"


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"mild in {city}"


def agent_at(server: ScriptedServer, memory: Hindsight, **options: Any) -> Any:
    model = ChatOpenAI(model="scripted", base_url=server.url, api_key="k", max_retries=0, **options)
    return create_agent(
        model,
        [weather],
        system_prompt="You are brief.",
        middleware=[HindsightMiddleware(memory, user="u")],
    )


@pytest.fixture
def knowing(memory: Hindsight) -> Hindsight:
    scope = memory.scope_of("u")
    memory.remember(
        scope, RULE, kind=Kind.PREFERENCE, source=Source.USER, query="report temperatures weather"
    )
    return memory


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_the_memory_goes_over_the_wire_in_the_system_message_alone(
    mode: str, streaming: bool, knowing: Hindsight
) -> None:
    with ScriptedServer([[("weather", {"city": "Rome"})], "20 °C in Rome"]) as server:
        agent = agent_at(server, knowing, streaming=streaming)
        result = drive(mode, agent, user("report the temperatures of the weather in Rome"))
        assert result["messages"][-1].text == "20 °C in Rome"
        assert len(server.chats) == 2
        for body in server.chats:
            system, *rest = body["messages"]
            assert system["role"] == "system"
            assert system["content"].startswith("You are brief.\n\n")
            assert RULE in system["content"]
            assert RULE not in str(rest)
    assert [e.result for e in events(knowing, ToolCalled)] == ["mild in Rome"]
    assert [e.text for e in events(knowing, AgentSaid)] == ["20 °C in Rome"]


def test_the_tokens_of_a_stream_arrive_one_by_one_and_the_run_is_recorded(
    knowing: Hindsight,
) -> None:
    answer = "it is twenty degrees celsius in Rome today, and mild"
    given = user("report the temperatures of the weather in Rome")
    script: list[Any] = [[("weather", {"city": "Rome"})], answer] * 2
    with ScriptedServer(script) as server:
        agent = agent_at(server, knowing)
        pieces = [
            chunk.text
            for chunk, place in agent.stream(given, stream_mode="messages")
            if place["langgraph_node"] == "model" and chunk.text
        ]

        async def astream() -> list[str]:
            return [
                chunk.text
                async for chunk, place in agent.astream(given, stream_mode="messages")
                if place["langgraph_node"] == "model" and chunk.text
            ]

        apieces = asyncio.run(astream())
    assert len(pieces) > 3
    assert "".join(pieces) == answer
    assert apieces == pieces
    assert len(events(knowing, UserSaid)) == 2
    assert len(events(knowing, ToolCalled)) == 2


def test_a_stream_that_its_reader_leaves_loses_nothing_that_happened(knowing: Hindsight) -> None:
    with ScriptedServer([[("weather", {"city": "Rome"})], "never read"]) as server:
        stream = agent_at(server, knowing).stream(user("how is Rome?"), stream_mode="updates")
        for update in stream:
            if "tools" in update:
                break
        stream.close()
    assert [e.result for e in events(knowing, ToolCalled)] == ["mild in Rome"]


def test_a_model_that_is_down_raises_what_it_raises_without_us(knowing: Hindsight) -> None:
    from openai import InternalServerError

    with ScriptedServer([500]) as server, pytest.raises(InternalServerError):
        agent_at(server, knowing).invoke(user("go"))
    assert [e.text for e in events(knowing, UserSaid)] == ["go"]
