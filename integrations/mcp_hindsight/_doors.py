"""What stands before the HTTP server: the check of Host and Origin, and that of bodies.

A page that a browser loaded from elsewhere must not reach a server on loopback, neither directly
(Origin) nor under a name of its own that it rebinds to 127.0.0.1 (Host).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight_core import ConfigurationError
from mcp_hindsight._lines import MAX_LINE, fault_of

__all__ = ["LOOPBACK", "Doors", "Screen", "allowed_hosts", "is_loopback"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_OPEN: Final = ("/healthz", "/readyz", "/metrics")
"""Paths that a probe asks for by address; they hold no memory and need no token."""


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    return host in (*LOOPBACK, "::1") or (host.startswith("127.") and host.count(".") == 3)


def allowed_hosts(host: str, named: Sequence[str]) -> tuple[str, ...]:
    """The names under which the server may be asked for, when it listens on `host`.

    Raises `ConfigurationError` where it can be reached from outside and nobody said under which.
    """
    if not is_loopback(host) and not named:
        raise ConfigurationError(
            f"--host {host}: the server can be reached from other machines. Say under which names "
            "with --allow-host memory.example.com (HINDSIGHT_MCP_HOSTS), and put TLS before it"
        )
    return (*LOOPBACK, *named)


class Screen:
    """ASGI middleware: a body that is no message is answered with what is wrong, 400 or 413.

    The SDK's own answers differ by version, and one of them is a 500.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        more = True
        while more and len(body) <= MAX_LINE:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
        fault = fault_of(bytes(body))
        if fault is not None:
            status = 413 if len(body) > MAX_LINE else 400
            await JSONResponse(fault, status)(scope, receive, send)
            return
        first = True

        async def replay() -> Message:
            nonlocal first
            if not first:
                return await receive()
            first = False
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self._app(scope, replay, send)


class Doors:
    """ASGI middleware: 421 for a foreign Host, 403 for a foreign Origin.

    `hosts` are names without a port, whose every port is fine, or with one. An Origin must be
    absent (no browser), one of `origins`, or name one of `hosts`.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _OPEN:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._knows(hosts[0].lower()):
            answer = JSONResponse({"error": "Host: not a name of this server"}, 421)
        elif len(origins) > 1 or not all(self._lets(origin.lower()) for origin in origins):
            answer = JSONResponse(
                {"error": "Origin: pages from there may not use this server"}, 403
            )
        else:
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)

    def _knows(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        bare = name if colon and port.isdigit() else host
        return host in self._hosts or bare in self._hosts

    def _lets(self, origin: str) -> bool:
        if origin in self._origins:
            return True
        scheme, slashes, host = origin.partition("://")
        return bool(slashes) and scheme in ("http", "https") and self._knows(host)
