"""The official SDK's two major versions as one: 1.30 and newer, and 2.x.

Only the parts that both have are used: the low-level server, the stdio, streamable HTTP and SSE
transports, and the check of bearer tokens. What differs between them is here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hindsight_core.errors import MissingExtraError

try:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.sse import SseServerTransport
    from mcp.server.stdio import stdio_server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
except ImportError as error:
    raise MissingExtraError("mcp", error.name or "mcp", reason=str(error)) from error

__all__ = [
    "HTTP_PROTOCOL_SESSION",
    "Handler",
    "Reached",
    "SseServerTransport",
    "StreamableHTTPSessionManager",
    "make_server",
    "result_of",
    "serve_streams",
    "stdio_server",
]

HTTP_PROTOCOL_SESSION: Final = "mcp-session-id"
"""The header that names a session of streamable HTTP."""

_SECOND: Final = not hasattr(Server, "call_tool")
"""Whether this is version 2, whose server takes its handlers when it is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reached:
    """One call of a tool: its name, its arguments, and the HTTP request that brought it, if any."""

    name: str
    arguments: Mapping[str, Any]
    request: Any


Handler: TypeAlias = Callable[[Reached], Awaitable[Any]]


def result_of(
    text: str, structured: Mapping[str, Any] | None = None, *, error: bool = False
) -> Any:
    """A `CallToolResult`: text for a model, and the same as data for a program."""
    return types.CallToolResult.model_validate(
        {
            "content": [{"type": "text", "text": text}],
            "structuredContent": None if structured is None else dict(structured),
            "isError": error,
        }
    )


def make_server(
    *,
    name: str,
    version: str,
    instructions: str,
    tools: Callable[[], Sequence[Mapping[str, Any]]],
    call: Handler,
) -> Any:
    """A low-level server of whichever version is installed; `call` returns a `result_of`."""

    def listed() -> list[types.Tool]:
        return [types.Tool.model_validate(tool) for tool in tools()]

    return (_second if _SECOND else _first)(name, version, instructions, listed, call)


def _first(name: str, version: str, instructions: str, listed: Any, call: Handler) -> Any:
    server: Any = Server(name, version=version, instructions=instructions)

    async def list_tools() -> list[types.Tool]:
        return listed()

    async def call_tool(tool: str, arguments: Mapping[str, Any]) -> Any:
        request = server.request_context.request
        return await call(Reached(name=tool, arguments=arguments, request=request))

    server.list_tools()(list_tools)
    # Arguments are checked by our own types, whose messages do not repeat what was sent.
    server.call_tool(validate_input=False)(call_tool)
    return server


def _second(name: str, version: str, instructions: str, listed: Any, call: Handler) -> Any:
    async def list_tools(context: Any, params: Any) -> Any:
        del context, params
        return types.ListToolsResult(tools=listed())

    async def call_tool(context: Any, params: Any) -> Any:
        arguments: Mapping[str, Any] = params.arguments or {}
        return await call(Reached(name=params.name, arguments=arguments, request=context.request))

    build: Any = Server
    return build(
        name,
        version=version,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_streams(server: Any, streams: tuple[Any, Any]) -> None:
    """Serve one connection over a pair of streams until it is closed."""
    read, write = streams[0], streams[1]
    await server.run(read, write, server.create_initialization_options())
