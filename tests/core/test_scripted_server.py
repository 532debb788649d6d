"""The scripted server, asked over real sockets with nothing but the standard library."""

from __future__ import annotations

import base64
import http.client
import json
import struct
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.testing.scripted_server import (
    Reply,
    ScriptedCall,
    ScriptedServer,
    hashed_vector,
)


def post(url: str, body: dict[str, Any], *, key: str = "") -> tuple[int, Any, dict[str, str]]:
    request = urllib.request.Request(
        url,
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {key}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read()), dict(error.headers)


def stream(url: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    request = urllib.request.Request(url, json.dumps({**body, "stream": True}).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        lines = [line for line in answer.read().decode().splitlines() if line]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


def test_steps_are_played_in_order_and_each_form_of_a_step_is_understood() -> None:
    script = [
        "plain text",
        [("search", {"q": "x"}), ("broken", "{not json")],
        503,
        Reply(status=429, text="slow down", headers={"retry-after": "7"}),
        lambda body: f"you said {body['messages'][-1]['content']}",
    ]
    with ScriptedServer(script) as server:
        url = f"{server.url}/chat/completions"
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        text, calls, down, limited, echo = (post(url, body) for _ in script)
        assert text[1]["choices"][0]["message"] == {"role": "assistant", "content": "plain text"}
        message = calls[1]["choices"][0]["message"]
        assert [c["function"]["name"] for c in message["tool_calls"]] == ["search", "broken"]
        assert message["tool_calls"][0]["function"]["arguments"] == '{"q": "x"}'
        assert message["tool_calls"][1]["function"]["arguments"] == "{not json"
        assert calls[1]["choices"][0]["finish_reason"] == "tool_calls"
        assert down[0] == 503
        assert (limited[0], limited[2]["retry-after"]) == (429, "7")
        assert limited[1]["error"]["message"] == "slow down"
        assert echo[1]["choices"][0]["message"]["content"] == "you said hi"
        assert server.chats == [body] * 5


def test_a_script_that_is_played_out_answers_an_error_that_no_client_retries() -> None:
    with ScriptedServer(["only"]) as server:
        url = f"{server.url}/chat/completions"
        assert [post(url, {"messages": []})[0] for _ in range(3)] == [200, 400, 400]
    with ScriptedServer(["a", "b"], cycle=True) as server:
        url = f"{server.url}/chat/completions"
        texts = [post(url, {})[1]["choices"][0]["message"]["content"] for _ in range(3)]
        assert texts == ["a", "b", "a"]


@settings(max_examples=15, deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    arguments=st.dictionaries(st.text("abcé字", min_size=1), st.integers() | st.text('x"{}\n')),
)
def test_a_streamed_answer_joins_to_the_same_text_and_arguments(
    text: str, arguments: dict[str, Any]
) -> None:
    reply = Reply(text=text, calls=(ScriptedCall(name="t", arguments=arguments, id="c1"),))
    with ScriptedServer([reply]) as server:
        chunks = stream(f"{server.url}/chat/completions", {"stream_options": {"include_usage": 1}})
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["total_tokens"] == 2
    deltas = [c["choices"][0]["delta"] for c in chunks[:-1]]
    assert "".join(d.get("content") or "" for d in deltas) == text
    parts = [d["tool_calls"][0]["function"]["arguments"] for d in deltas if "tool_calls" in d]
    assert json.loads("".join(parts)) == arguments
    assert chunks[-2]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_cut_stream_is_seen_as_cut() -> None:
    with ScriptedServer([Reply(text="a long text that is cut", cut_after=2)]) as server:
        request = urllib.request.Request(f"{server.url}/chat/completions", b'{"stream": true}')
        with (
            urllib.request.urlopen(request, timeout=60) as answer,
            pytest.raises(http.client.IncompleteRead),
        ):
            answer.read()


@pytest.mark.parametrize("given_input", ["one", ["one", "two"], [1, 2, 3], [[1], [2, 3]]])
def test_embeddings_come_as_floats_or_in_base64_and_depend_on_the_text(given_input: Any) -> None:
    with ScriptedServer() as server:
        url = f"{server.url}/embeddings"
        plain = post(url, {"model": "e", "input": given_input})[1]["data"]
        coded = post(url, {"model": "e", "input": given_input, "encoding_format": "base64"})[1]
    assert len(plain) == (2 if isinstance(given_input, list) and given_input[0] != 1 else 1)
    for one, other in zip(plain, coded["data"], strict=True):
        vector = struct.unpack("<8f", base64.b64decode(other["embedding"]))
        assert vector == pytest.approx(one["embedding"])
        assert sum(v * v for v in vector) == pytest.approx(1.0)
    assert hashed_vector("one") == hashed_vector("one") != hashed_vector("two")


def test_embeddings_fail_as_often_as_scripted_and_use_the_function_that_was_given() -> None:
    with ScriptedServer(embed=lambda text: [float(len(text))], statuses=[500, 429]) as server:
        url = f"{server.url}/embeddings"
        assert [post(url, {"input": "abc"})[0] for _ in range(2)] == [500, 429]
        assert post(url, {"input": "abc"})[1]["data"][0]["embedding"] == [3.0]


def test_a_wrong_key_and_an_unknown_route_are_refused_and_models_are_listed() -> None:
    with ScriptedServer(["hi"], api_key="right") as server:
        url = f"{server.url}/chat/completions"
        assert post(url, {}, key="wrong")[0] == 401
        assert post(url, {}, key="right")[0] == 200
        assert post(f"{server.url}/nothing", {}, key="right")[0] == 404
        with urllib.request.urlopen(f"{server.url}/models", timeout=60) as answer:
            assert json.loads(answer.read())["data"][0]["id"] == "scripted"
        assert server.requests[0].headers["authorization"] == "Bearer wrong"


def test_a_delay_is_kept_and_closing_the_server_does_not_wait_for_it() -> None:
    with ScriptedServer([Reply(text="late", delay=0.2), Reply(text="never", delay=60)]) as server:
        url = f"{server.url}/chat/completions"
        started = time.monotonic()
        assert post(url, {})[0] == 200
        assert time.monotonic() - started >= 0.2

        failures: list[BaseException] = []

        def ask() -> None:
            try:
                post(url, {})
            except (OSError, http.client.HTTPException) as error:
                failures.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        while len(server.chats) < 2:
            time.sleep(0.01)
    thread.join(30)
    assert not thread.is_alive()
    assert len(failures) == 1
    assert time.monotonic() - started < 30  # and not a minute
