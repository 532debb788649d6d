"""An MCP server and an MCP log proxy over the same memory.

`hindsight-core mcp` and `hindsight-core mcp-proxy` run them. Nothing of the SDK is loaded before a
name that needs it is used: the proxy before a local server needs no extra.
"""

from __future__ import annotations

__all__: list[str] = []
