"""The agent's own LangChain model answers reflection's questions."""

from __future__ import annotations

import json

import pytest
from chat_kit import SCHEMA, ChatModelContract, Make
from langchain_hindsight import LangChainChat, capture_everywhere
from langchain_kit import ScriptedModel
from langchain_openai import ChatOpenAI

from hindsight_core import ConfigurationError, Hindsight
from hindsight_core.testing.scripted_server import ScriptedServer


class TestLangChainChat(ChatModelContract):
    @pytest.fixture
    def make(self) -> Make:
        return lambda server: LangChainChat(
            ChatOpenAI(model="scripted", base_url=server.url, api_key="k", max_retries=0)
        )


def test_a_model_without_structured_output_is_asked_by_the_prompt_alone() -> None:
    model = LangChainChat(ScriptedModel(script=['{"word": "a"}']))
    assert model.name == "ScriptedModel"
    answer = model.answer("Be brief.", "One word?", schema=SCHEMA, max_tokens=50)
    assert json.loads(answer) == {"word": "a"}


def test_what_is_captured_everywhere_does_not_hear_the_question(memory: Hindsight) -> None:
    handler = capture_everywhere(memory, user="u")
    try:
        with ScriptedServer(['{"word": "a"}']) as server:
            chat = ChatOpenAI(model="scripted", base_url=server.url, api_key="k")
            LangChainChat(chat).answer("s", "q", schema=SCHEMA, max_tokens=50)
    finally:
        handler.close()
    assert memory.store.runs(pending_only=False) == []


def test_what_is_no_model_is_named() -> None:
    with pytest.raises(ConfigurationError, match="chat model"):
        LangChainChat(7)  # type: ignore[arg-type]
