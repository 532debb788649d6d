"""The MCP server: the toolbox behind whichever version of the SDK is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hindsight_core import __version__
from mcp_hindsight._callers import Caller
from mcp_hindsight._describing import INSTRUCTIONS
from mcp_hindsight._sdk import Reached, make_server, result_of
from mcp_hindsight.toolbox import Reply, Toolbox

__all__ = ["build_server"]


def build_server(toolbox: Toolbox, caller: Callable[[Any], Caller]) -> Any:
    """A low-level server of the SDK over a toolbox.

    `caller` says for whom a request speaks, given the HTTP request that brought it (None over
    stdio); it must rest on the connection alone.
    """

    async def call(reached: Reached) -> Any:
        who = caller(reached.request)
        return _as_result(await toolbox.call(who, reached.name, reached.arguments))

    return make_server(
        name="hindsight",
        version=__version__,
        instructions=toolbox.as_shown(INSTRUCTIONS),
        tools=toolbox.listed,
        call=call,
    )


def _as_result(reply: Reply) -> Any:
    if reply.answer is None:
        return result_of(reply.error, error=True)
    return result_of(reply.answer.model_dump_json(), reply.answer.model_dump(mode="json"))
