"""Two levels: each memory is one line of the prompt, and the agent asks for more by its number."""

from __future__ import annotations

import pytest
from crewai_kit import ITS_OWN_WARNINGS, HindsightMemory, book_seat, crew_at, events, systems

from hindsight_core import Hindsight, Source
from hindsight_core.events import CallFlagged, ToolCalled
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

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


def test_an_agent_opens_a_line_by_its_number(knowing: Hindsight) -> None:
    mine = HindsightMemory(knowing, user="u")
    with ScriptedServer([[("memory_details", {"number": "1"})], "On Mondays."]) as server:
        crew_at(server, mine, ASKED, tools=[book_seat, mine.details_tool()]).kickoff()
        shown, told = systems(server), str(server.chats[-1]["messages"])
    mine.close()
    assert "on Mondays" in shown[0]
    assert "pancakes" not in shown[0]
    assert "pancakes" in told
    assert not [e for e in events(knowing) if isinstance(e, ToolCalled | CallFlagged)]


def test_an_agent_without_the_tool_is_shown_every_word(knowing: Hindsight) -> None:
    mine = HindsightMemory(knowing, user="u")
    with ScriptedServer(["On Mondays."]) as server:
        crew_at(server, mine, ASKED, tools=[book_seat]).kickoff()
        assert "pancakes" in systems(server)[0]
    mine.close()
