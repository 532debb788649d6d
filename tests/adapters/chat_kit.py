"""What every adapter of a chat model is held to, over a real socket."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_core import Hindsight, Kind, Settings
from hindsight_core.errors import ModelBusyError, ModelError, ModelRefusedError
from hindsight_core.ports_reflection import ChatModel
from hindsight_core.testing.scripted_server import Reply, ScriptedServer

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["word"],
    "properties": {"word": {"type": "string"}},
}
CARD = {
    "run": 1,
    "mistake": 1,
    "wrong": "时间写成了文字。",
    "instead": "用 HH:MM 写时间。",
    "fix": 2,
    "notice": "请求里有时间。",
    "runs": [1],
    "decidable": True,
    "confidence": 0.9,
    "domain": "订位",
}
Make = Callable[[ScriptedServer], ChatModel]


def ask(model: ChatModel) -> str:
    return model.answer("You are brief.", "One word?", schema=SCHEMA, max_tokens=77)


class ChatModelContract:
    """Inherit from it and give a fixture `make`, which opens the adapter on a server."""

    own_tries = 1
    """How often the framework itself repeats a request, for want of a setting."""

    def test_the_answer_is_asked_for_by_schema_and_within_a_limit(self, make: Make) -> None:
        with ScriptedServer(['{"word": "好"}']) as server:
            model = make(server)
            assert model.name
            assert json.loads(ask(model)) == {"word": "好"}
            (chat,) = server.chats
        assert [m["role"] for m in chat["messages"]] == ["system", "user"]
        assert chat["messages"][1]["content"] == "One word?"
        assert chat["response_format"]["type"] == "json_schema"
        assert chat["response_format"]["json_schema"]["schema"]["required"] == ["word"]
        assert chat["response_format"]["json_schema"]["strict"] is True
        assert 77 in (chat.get("max_tokens"), chat.get("max_completion_tokens"))

    def test_a_server_without_schemas_is_asked_for_any_json_from_then_on(self, make: Make) -> None:
        with ScriptedServer([400, '{"word": "a"}', '{"word": "b"}']) as server:
            model = make(server)
            with pytest.raises(ModelBusyError) as caught:
                ask(model)
            assert caught.value.after == 0
            assert json.loads(ask(model)) == {"word": "a"}
            assert json.loads(ask(model)) == {"word": "b"}
            forms = [chat["response_format"]["type"] for chat in server.chats]
        assert forms == ["json_schema", "json_object", "json_object"]

    def test_a_server_that_rejects_every_form_is_refused_and_not_asked_for_ever(
        self, make: Make
    ) -> None:
        with ScriptedServer([400], cycle=True) as server:
            model = make(server)
            for _ in range(6):
                with pytest.raises(ModelError) as caught:
                    ask(model)
                if isinstance(caught.value, ModelRefusedError):
                    break
            assert isinstance(caught.value, ModelRefusedError)
            assert "response_format" not in server.chats[-1]

    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_busy_server_may_be_asked_again(self, make: Make, status: int) -> None:
        busy = Reply(status=status, headers={"retry-after": "0.25"})
        with ScriptedServer([busy], cycle=True) as server:
            with pytest.raises(ModelBusyError) as caught:
                ask(make(server))
            assert caught.value.after == 0.25
            assert len(server.chats) <= self.own_tries

    def test_a_wrong_key_is_not_asked_again(self, make: Make) -> None:
        with ScriptedServer([401]) as server, pytest.raises(ModelError) as caught:
            ask(make(server))
        assert not isinstance(caught.value, ModelBusyError)

    def test_a_dead_server_may_be_asked_again(self, make: Make) -> None:
        with ScriptedServer() as server:
            model = make(server)
        with pytest.raises(ModelBusyError):
            ask(model)

    def test_broken_json_is_handed_over_as_it_is(self, make: Make) -> None:
        with ScriptedServer([Reply(text='{"word": "a', cut_short=True)]) as server:
            model = make(server)
            try:
                answer = ask(model)
            except ModelError:  # some clients find out by themselves
                return
        assert "word" in answer

    def test_a_refusal_gives_no_answer(self, make: Make) -> None:
        with ScriptedServer([Reply(refusal="I will not.")]) as server:
            try:
                answer = ask(make(server))
            except ModelRefusedError:
                return
        assert answer in ("", "I will not.")

    def test_finished_runs_become_lessons(self, make: Make, tmp_path: Path) -> None:
        settings = Settings(
            reflection_minutes=1e6, reflection_runs=99, maintenance=False, deadline=60.0
        )
        with (
            ScriptedServer([json.dumps({"cards": [CARD]}, ensure_ascii=False)]) as server,
            Hindsight.open(
                str(tmp_path / "m.db"), embedder=None, settings=settings, chat=make(server)
            ) as memory,
        ):
            me = memory.scope_of("u")
            run = memory.run(me, task="订八点的位子")
            for when, bad in (("8pm", True), ("20:00", False)):
                args: dict[str, Any] = {"time": when}
                run.before_tool("book", args, call_id=when)
                run.after_tool(
                    "book",
                    args,
                    call_id=when,
                    result="Error: time must be HH:MM" if bad else "ok",
                    flagged_error=bad,
                )
            run.finish(ok=True)
            report = memory.reflection.run()
            assert report is not None
            assert (report.runs, report.calls, report.dropped) == (1, 1, 0)
            (lesson,) = [m for m in memory.memories(me) if m.kind is Kind.LESSON]
            assert lesson.value.resolution == "请求里有时间。"
            assert len(memory.store.runs(pending_only=False)) == 1, "the question is no run"
