"""The agent's own AutoGen client answers reflection's questions, from within a loop or without."""

from __future__ import annotations

import asyncio
import json

import pytest
from autogen_core.models import ModelInfo, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient
from autogen_hindsight import AutoGenChat
from chat_kit import SCHEMA, ChatModelContract, Make, ask

from hindsight_core import ConfigurationError
from hindsight_core.testing.scripted_server import ScriptedServer

INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=True,
    family="unknown",
    structured_output=True,
)


def client_at(server: ScriptedServer) -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model="scripted", base_url=server.url, api_key="k", model_info=INFO, max_retries=0
    )


class TestAutoGenChat(ChatModelContract):
    @pytest.fixture
    def make(self) -> Make:
        return lambda server: AutoGenChat(client_at(server))


async def test_the_agents_client_goes_on_in_its_own_loop() -> None:
    with ScriptedServer(['{"word": "a"}'], cycle=True) as server:
        client = client_at(server)
        model = AutoGenChat(client)
        for _ in range(3):
            await client.create([UserMessage(content="hello", source="user")])
            assert json.loads(await asyncio.to_thread(ask, model)) == {"word": "a"}
            assert json.loads(ask(model)) == {"word": "a"}, "in the loop's own thread"
        await client.close()
        assert len(server.chats) == 9


def test_a_client_of_another_make_is_asked_as_it_can() -> None:
    model = AutoGenChat(lambda: ReplayChatCompletionClient(['{"word": "a"}'], model_info=INFO))
    answer = model.answer("Be brief.", "One word?", schema=SCHEMA, max_tokens=50)
    assert json.loads(answer) == {"word": "a"}


def test_what_is_no_client_is_named() -> None:
    with pytest.raises(ConfigurationError, match="client"):
        AutoGenChat(7)  # type: ignore[arg-type]
