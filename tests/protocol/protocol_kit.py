"""The official Python client, of either major version, before a real `hindsight-core mcp`."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import mcp
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

SECOND = hasattr(mcp, "Client")
"""Whether the installed SDK is version 2."""
HTTP_WAYS = ("http", "sse", *(("http-2026",) if SECOND else ()))
WAYS = ("stdio", *(("stdio-2026",) if SECOND else ()), *HTTP_WAYS)
"""Transports; those of 2026 speak the protocol without sessions, which only version 2 knows."""

PROGRAM = (
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'hindsight-core'; from hindsight_core.cli import main; main()",
)
TOKENS = {"ana": "ana-" + "a" * 24, "bo": "bo-" + "b" * 24, "ana@other": "other-" + "o" * 24}
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")},
    "PYTHONUNBUFFERED": "1",
}
TOOLS = ["store", "query", "forget", "verify", "details", "summarize", "feedback"]


def arguments(store: Path, *more: str) -> list[str]:
    """The command line of a server over a store."""
    return [*PROGRAM[1:], "mcp", "--store", str(store), *more]


def write_tokens(folder: Path) -> Path:
    """The file that lets `TOKENS` in: two users of one tenant, and a namesake of another."""
    path = folder / "tokens.toml"
    lines = []
    for name, token in TOKENS.items():
        user, _, tenant = name.partition("@")
        lines += ["[[token]]", f'user = "{user}"', f'token = "{token}"']
        lines += [f'tenant = "{tenant}"'] if tenant else []
    path.write_text("\n".join(lines))
    return path


@contextmanager
def http_server(store: Path, *more: str, log: Path | None = None) -> Iterator[str]:
    """A server over HTTP as a process of its own; gives its address."""
    log = log or store.with_name("server.log")
    command = [sys.executable, *arguments(store, "--http", "--port", "0")]
    command += ["--tokens", str(write_tokens(store.parent)), *more]
    with log.open("w") as out, subprocess.Popen(command, stderr=out, env=ENVIRONMENT) as process:
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            assert process.wait(600) == 0, log.read_text()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    while process.poll() is None:
        found = re.search(r"memory at (\S+)/mcp", log.read_text())
        if found:
            return found[1]
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"the server ended: {log.read_text()}")


class Asking:
    """A connected client, in the words of neither version."""

    def __init__(self, session: Any) -> None:
        self.session = session

    async def tools(self) -> dict[str, dict[str, Any]]:
        listed = await self.session.list_tools()
        return {tool.name: tool.model_dump(by_alias=True) for tool in listed.tools}

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The result as it stands on the wire."""
        result = await self.session.call_tool(name, arguments)
        return result.model_dump(by_alias=True)

    async def answer(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The typed answer of a call that must work."""
        result = await self.call(name, **arguments)
        assert not result["isError"], result["content"][0]["text"]
        return result["structuredContent"]

    async def error(self, name: str, **arguments: Any) -> str:
        """What is said of a call that must not work."""
        result = await self.call(name, **arguments)
        assert result["isError"], result["structuredContent"]
        return result["content"][0]["text"]


@asynccontextmanager
async def connected(
    way: str, *, store: Path | None = None, url: str = "", token: str = "", more: tuple = ()
) -> AsyncIterator[Asking]:
    """A client that has shaken hands: over stdio with its own server, else with that at url."""
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {token}"}
        if way.startswith("stdio"):
            parameters = StdioServerParameters(
                command=sys.executable, args=arguments(store, *more), env=ENVIRONMENT
            )
            transport = stdio_client(parameters)
        elif way == "sse":
            transport = sse_client(f"{url}/sse", headers=headers)
        else:
            http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
        if SECOND:
            mode = "2026-07-28" if way.endswith("2026") else "legacy"
            yield Asking(await stack.enter_async_context(mcp.Client(transport, mode=mode)))
            return
        streams = await stack.enter_async_context(transport)
        session = await stack.enter_async_context(mcp.ClientSession(*streams[:2]))
        await session.initialize()
        yield Asking(session)


def run(coroutine: Any) -> Any:
    """Run to the end on a loop of its own."""
    return asyncio.run(coroutine)
