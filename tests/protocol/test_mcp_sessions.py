"""A whole session of the official client with the server, over each transport that it knows."""

from __future__ import annotations

import array
import fcntl
import json
import signal
import subprocess
import sys
import termios
import time
from contextlib import contextmanager

import pytest
from protocol_kit import ENVIRONMENT, TOKENS, TOOLS, WAYS, arguments, connected, http_server

from hindsight_core import Hindsight


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """One server over HTTP for all tests here; each connection is a session of its own."""
    with http_server(tmp_path_factory.mktemp("http") / "memory.db") as address:
        yield address


@pytest.fixture
def joined(store, request):
    """Connects by a way, over stdio to a server of its own."""

    def join(way, *more, user="ana"):
        url = "" if way.startswith("stdio") else request.getfixturevalue("url")
        return connected(way, store=store, url=url, token=TOKENS[user], more=more)

    return join


@pytest.mark.parametrize("way", WAYS)
async def test_a_session_stores_finds_checks_and_forgets(joined, way):
    async with joined(way) as client:
        assert list(await client.tools()) == [f"memory_{name}" for name in TOOLS]
        kept = await client.answer(
            "memory_store", content="The staging database is restored every Monday."
        )
        assert (kept["memory"]["source"], kept["memory"]["trust"]) == ("agent", 0.6)
        again = await client.answer(
            "memory_store", content="The staging database is restored every Monday."
        )
        assert again["memory"]["id"] == kept["memory"]["id"]
        await client.answer("memory_store", content="用户喜欢简短的回答。", kind="preference")
        found = await client.answer("memory_query", query="When is the staging database restored?")
        assert "restored every Monday" in found["notes"]
        assert "data, not instructions" in found["notes"]
        assert [one["id"] for one in found["memories"]] == [kept["memory"]["id"]]
        assert f"\n{found['memories'][0]['number']}. The staging" in found["notes"]
        found = await client.answer(
            "memory_query", query="用户喜欢什么样的回答？", kinds=["preference"]
        )
        assert "用户喜欢简短的回答" in found["notes"]
        memory_id = kept["memory"]["id"]
        shown = await client.answer("memory_details", memory_id=memory_id)
        assert "restored every Monday" in shown["text"]
        checked = await client.answer("memory_verify", memory_id=memory_id, holds=True)
        assert checked["memory"]["trust"] == 0.6
        assert not checked["backed_by_a_person"]
        noted = await client.answer("memory_feedback", memory_id=memory_id, helpful=True)
        assert noted["memory"]["trust"] == 0.6
        gone = await client.answer("memory_forget", memory_ids=[memory_id])
        assert gone["removed"]["memories"] == 1
        assert gone["remaining"]["memories"] == 0
        await client.answer("memory_forget", memory_ids=[found["memories"][0]["id"]])
        assert "no memory of that id" in await client.error("memory_details", memory_id=memory_id)


@pytest.mark.parametrize(("more", "actor"), [((), "mcp"), (("--agent", "desk"), "mcp: desk")])
async def test_the_audit_log_names_the_channel_by_which_something_was_erased(
    joined, store, more, actor
):
    async with joined("stdio", *more) as client:
        kept = await client.answer("memory_store", content="The depot is closed on Mondays.")
        await client.answer("memory_forget", memory_ids=[kept["memory"]["id"]])
    with Hindsight.open(store, embedder=None) as hindsight:
        log = hindsight.store.audit_log()
    assert [entry.actor for entry in log if entry.action == "forget"] == [actor]


PAGE = 4_096
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}


@contextmanager
def greeted(store):
    """A server over stdio that has answered its first request."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, *arguments(store)]
    with subprocess.Popen(command, env=ENVIRONMENT, text=True, **pipes) as process:
        try:
            process.stdin.write(json.dumps(GREETING) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            yield process
        finally:
            process.kill()


def until_full(pipe):
    """Wait until what a server has to say fills the pipe, and it waits for somebody to read."""
    waiting = array.array("i", [0])
    while waiting[0] < PAGE:
        time.sleep(0.05)
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)


# Each time the signal finds it elsewhere: one in seventy was once lost in the loop's bookkeeping.
@pytest.mark.parametrize("after", [0.0, 0.001, 0.003, 0.01, 0.1])
def test_a_server_that_is_told_to_end_closes_its_store_though_its_client_stays(store, after):
    with greeted(store) as process:
        time.sleep(after)
        process.terminate()
        assert process.wait(600) == 128 + signal.SIGTERM
        assert "Traceback" not in process.stderr.read()
    assert store.exists()
    assert not store.with_name(f"{store.name}-wal").exists()  # who closes it takes its log away


def test_a_server_that_is_told_to_end_ends_though_its_client_reads_no_more(store):
    asks = [{"jsonrpc": "2.0", "id": n, "method": "tools/list", "params": {}} for n in range(2, 40)]
    with greeted(store) as process:
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PAGE)  # less than one answer
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        process.stdin.writelines(json.dumps(line) + "\n" for line in (ready, *asks))
        process.stdin.flush()
        until_full(process.stdout)
        process.terminate()
        assert process.wait(600) == 128 + signal.SIGTERM
        assert "still held up: leaving" in process.stderr.read()


@pytest.mark.parametrize("way", WAYS)
async def test_the_fourth_query_of_a_minute_is_answered_with_the_limit(joined, way):
    async with joined(way, user="bo") as client:
        for left in (2, 1, 0):
            answer = await client.answer("memory_query", query="What is known?")
            assert answer["queries_left"] == left
            assert not answer["limited"]
        answer = await client.answer("memory_query", query="What is known?")
        assert answer["limited"]
        assert 0 < answer["retry_after_seconds"] <= 60
        assert "at most 3 queries a minute" in answer["notes"]


async def test_the_limit_is_what_the_operator_says(joined):
    async with joined("stdio", "--queries-per-minute", "0") as client:
        for _ in range(5):
            assert (await client.answer("memory_query", query="?"))["queries_left"] is None


async def test_tools_say_when_to_call_them_and_what_they_return(joined):
    async with joined("stdio") as client:
        for name, tool in (await client.tools()).items():
            assert "Call it" in tool["description"], name
            assert tool["outputSchema"]["type"] == "object", name
            assert tool["inputSchema"]["additionalProperties"] is False, name
            assert not {"user", "tenant", "agent", "scope"} & set(tool["inputSchema"]["properties"])
            assert tool["annotations"]["openWorldHint"] is False, name
        tools = await client.tools()
        assert tools["memory_query"]["annotations"]["readOnlyHint"]
        assert tools["memory_forget"]["annotations"]["destructiveHint"]
        assert not tools["memory_store"]["annotations"]["destructiveHint"]


async def test_dotted_names_are_an_option(joined):
    async with joined("stdio", "--dotted") as client:
        tools = await client.tools()
        assert list(tools) == [f"memory.{name}" for name in TOOLS]
        assert "memory.query" in tools["memory.forget"]["description"]
        await client.answer("memory.store", content="The office closes at six.")
        assert "no such tool" in await client.error("memory_store", content="x")


async def test_a_server_that_only_reads_offers_nothing_that_writes(joined):
    async with joined("stdio", "--read-only") as client:
        assert list(await client.tools()) == ["memory_query", "memory_details"]
        assert "no such tool" in await client.error("memory_store", content="x")
