"""The crew's own LLM answers reflection's questions."""

from __future__ import annotations

import pytest
from chat_kit import ChatModelContract, Make, ask
from crewai_kit import ITS_OWN_WARNINGS, CrewAIChat, HindsightMemory, crew_at, drive, model_at

from hindsight_core import ConfigurationError, Hindsight
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS


class TestCrewAIChat(ChatModelContract):
    own_tries = 3

    @pytest.fixture
    def make(self) -> Make:
        return lambda server: CrewAIChat(model_at(server))


def test_the_crews_llm_stays_as_it_is_and_no_memory_is_shown_to_the_question(
    memory: Hindsight,
) -> None:
    script = ['{"word": "a"}', "booked", '{"word": "b"}', '{"word": "c"}']
    with ScriptedServer(script) as server:
        llm = model_at(server)
        model = CrewAIChat(llm)
        assert ask(model) == '{"word": "a"}'
        drive("kickoff", crew_at(server, HindsightMemory(memory, user="u"), agent={"llm": llm}))
        runs = len(memory.store.runs(pending_only=False))
        assert ask(model) == '{"word": "b"}'
        own, asked = server.chats[1], server.chats[2]
    assert "response_format" not in own
    assert [m["content"] for m in asked["messages"]] == ["You are brief.", "One word?"]
    assert len(memory.store.runs(pending_only=False)) == runs


def test_what_is_no_llm_is_named() -> None:
    with pytest.raises(ConfigurationError, match="LLM"):
        CrewAIChat(7)  # type: ignore[arg-type]
