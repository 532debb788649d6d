"""Two levels: each memory is one line of the prompt, and the agent asks for more by its number."""

from __future__ import annotations

import contextlib

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ToolCallRequestEvent
from autogen_core import CancellationToken
from autogen_core.models import FunctionExecutionResultMessage
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import Scripted, calls, events, fetch

from hindsight_core import Hindsight, Source
from hindsight_core.events import CallFlagged, ToolCalled

LONG = (
    "Hello there, good to see you all again after so long! The staging database is restored "
    "on Mondays from the backup of the night. Our canteen had pancakes with syrup on the same day. "
    "Somebody brought a very large dog into the office, and everybody liked it a lot."
)
ASKED = "When is the staging database restored?"


@pytest.fixture
def knowing(memory: Hindsight) -> Hindsight:
    memory.remember(memory.scope_of("u"), LONG, source=Source.USER)
    return memory


@pytest.mark.parametrize("attached", [False, True])
async def test_an_agent_opens_a_line_by_its_number(attached: bool, knowing: Hindsight) -> None:
    client = Scripted(calls(("memory_details", {"number": "1"})), "On Mondays.")
    mine = HindsightMemory(knowing, user="u")
    tools = [fetch, mine.details_tool()]
    agent = AssistantAgent(
        "a", client, tools=tools, memory=[mine], reflect_on_tool_use=True, max_tool_iterations=2
    )
    if attached:
        attach(agent)
    await agent.run(task=ASKED)
    assert "on Mondays" in client.systems[0] + client.systems[-1]
    assert "pancakes" not in client.systems[-1]
    (answered,) = [m for m in client.shown[-1] if isinstance(m, FunctionExecutionResultMessage)]
    assert "pancakes" in answered.content[0].content
    assert not [e for e in events(knowing) if isinstance(e, ToolCalled | CallFlagged)]


async def test_an_agent_without_the_tool_is_shown_every_word(knowing: Hindsight) -> None:
    client = Scripted("On Mondays.")
    mine = HindsightMemory(knowing, user="u")
    mine.details_tool()
    agent = attach(AssistantAgent("a", client, tools=[fetch], memory=[mine]))
    await agent.run(task=ASKED)
    assert "pancakes" in client.systems[-1]


@pytest.mark.parametrize("attached", [False, True])
async def test_a_turn_of_another_user_that_was_left_answers_nobody(
    attached: bool, knowing: Hindsight
) -> None:
    theirs = HindsightMemory(knowing, user="u")
    asked = calls(("memory_details", {"number": "1"}))
    tools = [fetch, theirs.details_tool()]
    agent = AssistantAgent("a", Scripted(asked, "On Mondays."), tools=tools, memory=[theirs])
    if attached:
        attach(agent)
    async with contextlib.aclosing(agent.run_stream(task=ASKED)) as stream:  # type: ignore[type-var]
        async for message in stream:
            if isinstance(message, ToolCallRequestEvent):
                break
    token = CancellationToken()
    answers = [
        await HindsightMemory(knowing, user=user).details_tool().run_json({"number": "1"}, token)
        for user in ("v", "u")
    ]
    assert ["pancakes" in answer for answer in answers] == [False, True]
