"""Two levels: each memory is one line of the prompt, and the agent asks for more by its number."""

from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware, memory_tools
from langchain_kit import MODES, calls, drive, events, make, user

from hindsight_core import Hindsight, Source
from hindsight_core.events import CallFlagged, ToolCalled

LONG = (
    "Hello there, good to see you all again after so long! The staging database is restored "
    "on Mondays from the backup of the night. Our canteen had pancakes with syrup on the same day. "
    "Somebody brought a very large dog into the office, and everybody liked it a lot."
)
ASKED = "When is the staging database restored?"


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"mild in {city}"


@pytest.fixture
def knowing(memory: Hindsight) -> Hindsight:
    memory.remember(memory.scope_of("u"), LONG, source=Source.USER)
    return memory


@pytest.mark.parametrize("mode", MODES)
def test_an_agent_opens_a_line_by_its_number(mode: str, knowing: Hindsight) -> None:
    script = [calls(("memory_details", {"memory_id": "1"})), "On Mondays."]
    agent = make(
        script, [weather], middleware=[HindsightMiddleware(knowing, user="u", details=True)]
    )
    result = drive(mode, agent, user(ASKED))
    assert "on Mondays" in agent.scripted.systems[0]
    assert "pancakes" not in agent.scripted.systems[0]
    (answer,) = [m for m in result["messages"] if isinstance(m, ToolMessage)]
    assert "pancakes" in answer.content


def test_a_line_leaves_out_what_the_tool_tells(knowing: Hindsight) -> None:
    scope = knowing.scope_of("u")
    told = knowing.run(scope, task=ASKED).context(details=True)
    assert "on Mondays" in told.text
    assert "pancakes" not in told.text
    assert "memory_details" in told.text


def test_an_agent_without_the_tool_is_shown_every_word(knowing: Hindsight) -> None:
    told = knowing.run(knowing.scope_of("u"), task=ASKED).context()
    assert "pancakes" in told.text
    assert "memory_details" not in told.text


def test_nothing_is_learnt_of_the_use_of_the_memorys_own_tools(knowing: Hindsight) -> None:
    script = [
        calls(("memory_search", {"query": ASKED})),
        calls(("memory_details", {"memory_id": "77"})),
        "It is not known.",
    ]
    middleware = HindsightMiddleware(knowing, user="u")
    drive(
        "invoke",
        make(script, memory_tools(knowing, user="u"), middleware=[middleware]),
        user(ASKED),
    )
    assert not [e for e in events(knowing) if isinstance(e, ToolCalled | CallFlagged)]
    assert len(knowing.memories(knowing.scope_of("u"))) == 1


def test_a_tool_of_the_users_own_with_that_name_is_left_alone(knowing: Hindsight) -> None:
    @tool
    def memory_details(memory_id: str) -> str:
        """Something of the user's own."""
        return f"mine, {memory_id}"

    script = [calls(("memory_details", {"memory_id": "1"})), "Done."]
    middleware = HindsightMiddleware(knowing, user="u")
    result = drive("invoke", make(script, [memory_details], middleware=[middleware]), user(ASKED))
    (answer,) = [m for m in result["messages"] if isinstance(m, ToolMessage)]
    assert answer.content == "mine, 1"
    assert len(events(knowing, ToolCalled)) == 1
