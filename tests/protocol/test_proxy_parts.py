"""The parts of the proxy by themselves: cutting lines, reading messages, ending runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_hindsight._messages import call_of, completed, messages_of, outcome_of
from mcp_hindsight._splitting import Splitter
from mcp_hindsight._watching import Watch

from hindsight_core import Hindsight, Place, Scope

ME = Scope(user="ana")


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"x", b"\n")), max_size=20))
def test_the_pieces_of_a_stream_are_the_stream(chunks):
    splitter = Splitter(limit=12)
    pieces = [piece for chunk in chunks for piece in splitter.feed(chunk)]
    assert b"".join(piece for piece, _ in pieces) + splitter.rest() == b"".join(chunks)
    whole = [piece for piece, is_whole in pieces if is_whole]
    assert all(piece.count(b"\n") == 1 and piece.endswith(b"\n") for piece in whole)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["id", "method", "params", "result", "error", "content", "name"]),
                inner,
            )
        ),
    )
)
def test_messages_of_any_form_are_read_without_an_error(value):
    for message in messages_of(json.dumps(value).encode()):
        call_of(message)
        outcome_of(message)


def test_what_asks_for_input_or_is_a_task_is_no_outcome_yet():
    assert outcome_of({"id": 1, "result": {"resultType": "input_required"}}) is None
    assert outcome_of({"id": 1, "result": {"task": {"taskId": "t"}}}) is None
    assert outcome_of({"id": 1, "result": {"structuredContent": {"a": 1}}}).text == '{"a": 1}'
    assert outcome_of({"id": 1, "error": {"message": "no"}}).failed


@pytest.mark.parametrize(
    "body", [{"result": {"isError": True}}, {"error": {"code": 1, "message": "no"}}]
)
def test_advice_comes_after_what_the_server_said(body):
    line = completed({"jsonrpc": "2.0", "id": 1, **body}, "Try 书.")
    assert outcome_of(json.loads(line)).text.endswith("Try 书.")


@pytest.fixture
def hindsight(store):
    with Hindsight.open(str(store), embedder=None) as opened:
        yield opened


def call(number, time):
    params = {"name": "book", "arguments": {"time": time}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def answer(number, text, failed=False):
    content = [{"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": number, "result": {"content": content, "isError": failed}}


def test_a_run_ends_when_nothing_was_called_for_a_while(hindsight):
    watch = Watch(hindsight, Place(user="ana", session="s"), idle=0.0)
    watch.asked(call(1, "8pm"), 0.0)
    watch.rest()  # a call is still awaited
    watch.answered(answer(1, "time must be HH:MM", failed=True), 1.0)
    assert not hindsight.memories(ME)
    watch.rest()
    assert hindsight.flush()
    assert hindsight.memories(ME)


def test_a_call_that_was_cancelled_is_no_failure(hindsight):
    watch = Watch(hindsight, Place(user="ana", session="s"))
    for number in range(3):
        watch.asked(call(number, "8pm"), float(number))
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": number}}
        watch.asked(cancelled, number + 0.5)
        watch.answered(answer(number, "cancelled", failed=True), number + 0.6)
    watch.finish()
    assert hindsight.flush()
    assert not hindsight.memories(ME)


def test_ids_that_are_used_again_are_calls_of_their_own(hindsight):
    watch = Watch(hindsight, Place(user="ana", session="s"))
    for time, failed in (("8pm", True), ("20:00", False)):
        watch.asked(call(1, time), 0.0)
        watch.answered(answer(1, "time must be HH:MM" if failed else "booked", failed), 0.1)
    watch.answered(answer(1, "twice"), 0.2)
    watch.answered(answer("1", "of nobody"), 0.2)
    watch.finish()
    assert hindsight.flush()
    assert any("20:00" in memory.content for memory in hindsight.memories(ME))
