"""What passes the proxy is learnt from, and with a gate a known failure is spoken of in time."""

from __future__ import annotations

import sys
import textwrap
from contextlib import AsyncExitStack, asynccontextmanager

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_hindsight._watching import Watch
from protocol_kit import ENVIRONMENT, PROGRAM, SECOND, Asking

from hindsight_core import Hindsight, Kind, Place, Scope

SERVER = """
    try:
        from mcp.server.mcpserver import Context, MCPServer as Server
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        from mcp.server.fastmcp import Context, FastMCP as Server
        from mcp.server.fastmcp.exceptions import ToolError

    server = Server("tables")

    @server.tool()
    async def book(time: str, ctx: Context) -> str:
        await ctx.report_progress(1, 2)
        if ":" not in time:
            raise ToolError(f"time must be HH:MM, got {time}")
        return f"booked for {time}"

    server.run()
"""


@pytest.fixture
def behind(store, tmp_path):
    """Connects to a server of the SDK's own kind, through the proxy."""
    path = tmp_path / "tables.py"
    path.write_text(textwrap.dedent(SERVER))

    @asynccontextmanager
    async def connect(*options, person=None, mode="legacy"):
        command = [*PROGRAM[1:], "mcp-proxy", "--deadline", "120"]
        command += ["--store", str(store), *options]
        command += ["--", sys.executable, str(path)]
        transport = stdio_client(
            StdioServerParameters(command=sys.executable, args=command, env=ENVIRONMENT)
        )
        seen = []

        async def ask(context, params):
            seen.append(params.message)
            result = {"action": person, **({"content": {}} if person == "accept" else {})}
            return mcp.types.ElicitResult.model_validate(result)

        callback = ask if person else None
        async with AsyncExitStack() as stack:
            if SECOND:
                client = mcp.Client(transport, mode=mode, elicitation_callback=callback)
                session = await stack.enter_async_context(client)
            else:
                streams = await stack.enter_async_context(transport)
                session = await stack.enter_async_context(
                    mcp.ClientSession(*streams, elicitation_callback=callback)
                )
                await session.initialize()
            asking = Asking(session)
            asking.seen = seen
            yield asking

    return connect


@pytest.fixture
def learnt(store):
    """A store that holds what `fail_and_recover` teaches."""
    with Hindsight.open(str(store), embedder=None) as hindsight:
        watch = Watch(hindsight, Place(user="local", session="earlier"))
        for number, time, text in ((1, "8pm", "time must be HH:MM"), (2, "20:00", "booked")):
            params = {"name": "book", "arguments": {"time": time}}
            watch.asked({"id": number, "method": "tools/call", "params": params}, 0.0)
            result = {"content": [{"type": "text", "text": text}], "isError": number < 2}
            watch.answered({"id": number, "result": result}, 0.0)
        watch.finish()
        assert hindsight.flush()


async def fail_and_recover(behind, **more):
    """A session in which a call fails and another works."""
    async with behind(**more) as client:
        assert list(await client.tools()) == ["book"]
        progress = []

        async def on_progress(done, total, message):
            progress.append((done, total))

        said = await client.error("book", time="8pm")
        assert "time must be HH:MM" in said
        result = await client.session.call_tool(
            "book", {"time": "20:00"}, progress_callback=on_progress
        )
        assert "booked for 20:00" in result.content[0].text
        assert progress == [(1.0, 2.0)]


def known(store):
    with Hindsight.open(str(store), embedder=None) as hindsight:
        assert hindsight.flush()
        return hindsight.memories(Scope(user="local"))


MODES = ["legacy", *(["2026-07-28"] if SECOND else [])]


@pytest.mark.parametrize("mode", MODES)
async def test_a_failure_and_what_fixed_it_are_learnt_with_no_code(store, behind, mode):
    await fail_and_recover(behind, mode=mode)
    (lesson,) = [memory for memory in known(store) if memory.kind is Kind.LESSON]
    assert "20:00" in lesson.content
    assert lesson.lesson.mistake.calls[0].args == {"time": "8pm"}
    assert lesson.lesson.correction.proven


@pytest.mark.parametrize("mode", MODES)
async def test_advice_completes_the_message_of_a_known_failure(learnt, behind, mode):
    async with behind("--gate", "advise", mode=mode) as client:
        result = await client.call("book", time="8pm")
        assert result["isError"]
        first, advice = (block["text"] for block in result["content"])
        assert "time must be HH:MM" in first
        assert "What worked: time='20:00'" in advice
        assert len((await client.call("book", time="20:00"))["content"]) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_a_known_failure_is_answered_instead_of_run_where_wanted(learnt, behind, mode):
    async with behind("--gate", "block", mode=mode) as client:
        said = await client.error("book", time="8pm")
        assert "got 8pm" not in said.partition("What worked")[2]
        assert "What worked: time='20:00'" in said
        assert "booked" in (await client.call("book", time="20:00"))["content"][0]["text"]


@pytest.mark.parametrize("person", ["accept", "decline", "cancel"])
async def test_the_person_decides_where_his_client_can_ask(learnt, behind, person):
    async with behind("--gate", "confirm", person=person) as client:
        said = await client.error("book", time="8pm")
        assert len(client.seen) == 1
        assert "failed once before" in client.seen[0]
        assert ("time must be HH:MM, got 8pm" in said) == (person == "accept")
        assert ("declined" in said) == (person != "accept")
        assert "booked" in (await client.call("book", time="20:00"))["content"][0]["text"]
        assert len(client.seen) == 1


async def test_a_client_that_cannot_ask_is_told_that_the_call_was_not_run(learnt, behind):
    async with behind("--gate", "confirm") as client:
        said = await client.error("book", time="8pm")
        assert "cannot ask its user, so the call was not run" in said


async def test_without_a_gate_nothing_is_changed_whatever_is_known(learnt, behind):
    async with behind() as client:
        result = await client.call("book", time="8pm")
        assert len(result["content"]) == 1
        assert "What worked" not in result["content"][0]["text"]


async def test_what_a_user_learns_through_the_proxy_no_other_user_sees(store, behind):
    async with behind("--user", "ana") as client:
        await client.error("book", time="8pm")
        await client.call("book", time="20:00")
    async with behind("--user", "bo", "--gate", "block") as client:
        assert "got 8pm" in await client.error("book", time="8pm")
