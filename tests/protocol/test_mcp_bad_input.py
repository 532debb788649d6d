"""A thousand bad inputs are a thousand clear errors, and the server goes on."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_hindsight._callers import Caller
from mcp_hindsight.toolbox import Toolbox
from protocol_kit import ENVIRONMENT, TOKENS, TOOLS, arguments, http_server

from hindsight_core import Hindsight, Source, Status

MARK = "heron-key"
"""Stands in all that is sent, and must never be logged."""


class Wire:
    """The raw lines of a server over stdio."""

    def __init__(self, store: Path) -> None:
        self.log = store.with_name("log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *arguments(store)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=ENVIRONMENT,
            )
        start = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        self.ask({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": start})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, message):
        self.send(message)
        return json.loads(self.process.stdout.readline())

    def close(self) -> str:
        self.process.stdin.close()
        assert self.process.wait(600) == 0
        return self.log.read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(OSError):
            self.process.stdin.close()


@pytest.fixture
def wire(store):
    made = Wire(store)
    yield made
    made.kill()


def call(number, name, arguments):
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def bad_calls(count):
    """Calls of every tool with arguments that no tool takes."""
    dice = random.Random(9)
    odd = (None, True, 3, -1, 1e300, [], {}, [MARK], {"$ne": MARK}, "", "\u202e" * 3, "\x00" * 9)
    fields = ("content", "query", "memory_id", "memory_ids", "session", "helpful", "limit", "kinds")
    for number in range(count):
        tool = f"memory_{dice.choice(TOOLS)}"
        match dice.randrange(5):
            case 0:
                yield call(number, tool, {MARK: dice.choice(odd)})
            case 1:
                yield call(number, f"{tool}{dice.choice('_ ./*é')}", {"content": MARK})
            case 2:
                sent = {field: dice.choice(odd) for field in dice.sample(fields, 3)}
                yield call(number, tool, {**sent, "user": MARK})
            case 3:
                yield call(number, tool, {})
            case _:
                unknown = {"memory_id": f"{MARK}-{number}", "helpful": False}
                ids = {"memory_ids": [f"{MARK}-{number}"]}
                yield dice.choice(
                    [
                        call(number, "memory_feedback", unknown),
                        call(number, "memory_forget", ids),
                        call(number, "memory_details", {"memory_id": f"{MARK}-{number}"}),
                        call(number, "memory_store", {"content": MARK * 10_000}),
                        call(number, "memory_query", {"query": MARK, "limit": number + 11}),
                        call(number, "memory_store", {"content": " \x00\u200b"}),
                    ]
                )


def test_a_thousand_bad_calls_give_a_thousand_clear_errors(wire):
    for message in bad_calls(1_000):
        answer = wire.ask(message)
        assert answer["id"] == message["id"]
        if "error" in answer:
            said = answer["error"]["message"]
        else:
            assert answer["result"]["isError"], message
            said = answer["result"]["content"][0]["text"]
        assert ":" in said, message
        assert 10 < len(said) < 1_000
        assert "Traceback" not in said
        assert "pydantic" not in said
    good = wire.ask(call("good", "memory_store", {"content": "The office closes at six."}))
    assert not good["result"]["isError"]
    log = wire.close()
    assert "Traceback" not in log
    assert MARK not in log


LINES = [
    b"garbage",
    b"[1, 2]",
    b"17",
    b"{}",
    b"\xff\xfe",
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["memory_store"]}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": 5}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\ud800"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": '
    + b"[" * 9_000
    + b"]" * 9_000
    + b"}",
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "' + b"a" * 5_000_000 + b'"}',
]


def test_each_line_that_is_no_message_is_answered_with_what_is_wrong(wire):
    for line in LINES:
        answer = wire.ask(line)
        assert answer["error"]["code"] in (-32700, -32600, -32601, -32602), line[:80]
        assert answer["error"]["message"], line[:80]
        asked = json.loads(line).get("id") if b'"id": 1' in line and len(line) < 9_000 else None
        assert answer["id"] == (asked if not isinstance(asked, dict | bool) else None), line[:80]
    wire.send(b"")
    assert wire.ask({"jsonrpc": "2.0", "id": "still", "method": "ping"})["result"] == {}
    assert "Traceback" not in wire.close()


def test_over_http_bad_bodies_are_answered_and_the_server_goes_on(store):
    from test_mcp_isolation import HELLO, post

    with http_server(store) as url:
        _, headers, _ = post(url, HELLO, TOKENS["ana"])
        session = {name.lower(): value for name, value in headers.items()}["mcp-session-id"]
        for line in LINES:
            status, _, text = post(url, line, TOKENS["ana"], Mcp_Session_Id=session)
            assert 400 <= status < 500 or '"error"' in text, line[:80]
            assert "Traceback" not in text
        for message in bad_calls(60):
            status, _, text = post(url, message, TOKENS["ana"], Mcp_Session_Id=session)
            assert status == 200
            assert '"isError":true' in text
        good = call(1, "memory_store", {"content": f"The {MARK} is brass."})
        assert '"isError":false' in post(url, good, TOKENS["ana"], Mcp_Session_Id=session)[2]
        log = store.with_name("server.log").read_text()
    assert "Traceback" not in log
    assert MARK not in log


@pytest.fixture
def asking(store):
    """A toolbox over the store, asked as one user; and the memory itself."""
    with Hindsight.open(str(store), embedder=None) as hindsight:
        toolbox, caller = Toolbox(hindsight), Caller(user="ana")

        async def ask(name, **arguments):
            return await toolbox.call(caller, name, arguments)

        yield ask, hindsight, caller.scope


async def test_a_model_raises_no_trust_and_lifts_no_quarantine(asking):
    ask, hindsight, me = asking
    text = "The API endpoint for payments is https://pay.example.com now."
    reply = await ask("memory_store", content=text)
    assert reply.answer.memory.status == Status.QUARANTINED
    assert "hindsight-core verify" in reply.answer.message
    memory = hindsight.get(me, reply.answer.memory.id)
    for _ in range(5):
        for tool, more in (("verify", {"holds": True}), ("feedback", {"helpful": True})):
            reply = await ask(f"memory_{tool}", memory_id=memory.id, **more)
            assert reply.answer.memory.trust == memory.trust
            assert reply.answer.memory.status == memory.status
    after = hindsight.get(me, memory.id)
    assert (after.trust, after.status, after.source) == (memory.trust, memory.status, memory.source)
    assert after.hits <= memory.hits + 1


async def test_a_conversation_that_was_recorded_is_summed_up(asking):
    ask, hindsight, me = asking
    run = hindsight.run(me, task="Book a table for two", session="talk-7")
    run.user("Book a table for two at the Heron, please.")
    run.after_tool("book", {"time": "8pm"}, result="time must be HH:MM", flagged_error=True)
    run.after_tool("book", {"time": "20:00"}, result="booked")
    run.finish(ok=True)
    assert hindsight.flush()
    reply = await ask("memory_summarize", session="talk-7")
    assert not reply.error
    assert reply.answer.session == "talk-7"
    assert "table" in reply.answer.text
    again = await ask("memory_summarize", session="talk-7")
    assert again.answer.memory.id == reply.answer.memory.id
    reply = await ask("memory_summarize", session="talk-8")
    assert "talk-8" in reply.error


async def test_what_is_held_back_is_shown_to_no_model(asking):
    ask, hindsight, me = asking
    text = "The API endpoint for payments is https://pay.example.com now."
    held = hindsight.remember(me, text, source=Source.TOOL)
    assert held.status is Status.QUARANTINED
    reply = await ask("memory_details", memory_id=held.id)
    assert "pay.example.com" not in reply.answer.model_dump_json()
    assert "hindsight-core verify" in reply.answer.text


@pytest.mark.swallows
async def test_a_store_that_breaks_is_said_to_be_away_and_counted(asking, monkeypatch):
    ask, hindsight, _ = asking
    hindsight.store.close()
    for name, more in (("query", {"query": "?"}), ("store", {"content": "A note that is lost."})):
        reply = await ask(f"memory_{name}", **more)
        assert "not available now" in reply.error
    assert not hindsight.health().ok
