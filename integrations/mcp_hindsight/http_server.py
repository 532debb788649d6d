"""The server over HTTP: streamable HTTP at /mcp, SSE at /sse, each behind a bearer token."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_hindsight._callers import Caller
from mcp_hindsight._doors import LOOPBACK, Doors, Screen
from mcp_hindsight._sdk import (
    HTTP_PROTOCOL_SESSION,
    SseServerTransport,
    StreamableHTTPSessionManager,
    serve_streams,
)
from mcp_hindsight._tokens import Tokens
from mcp_hindsight.server import build_server
from mcp_hindsight.toolbox import Toolbox

__all__ = ["http_app"]

_CALLER: Final = "hindsight_caller"
_MESSAGES: Final = "/messages/"


class _Verifier:
    """Tells the SDK whose token it is; it binds each session to him by itself."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        caller = self._tokens.caller(token)
        if caller is None:
            return None
        owner = "\x00".join((caller.tenant, caller.user, caller.agent or ""))
        claims = {_CALLER: caller}
        return AccessToken(
            token="-",  # noqa: S106 - the token itself is not handed on
            client_id=owner,
            scopes=[],
            subject=caller.user,
            claims=claims,
        )


class _Sse:
    """The event stream of one SSE session, as an ASGI application."""

    def __init__(self, transport: SseServerTransport, server: Any) -> None:
        self._transport = transport
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._transport.connect_sse(scope, receive, send) as streams:
            await serve_streams(self._server, streams)


def http_app(
    toolbox: Toolbox,
    tokens: Tokens,
    *,
    hosts: Sequence[str] = LOOPBACK,
    origins: Sequence[str] = (),
    stateless: bool = False,
    beside: ASGIApp | None = None,
) -> Starlette:
    """The ASGI application of many users' memories.

    `hosts` and `origins` are the names under which it may be asked for and the pages that may use
    it. With `stateless` no session is kept between requests, for several machines behind a
    balancer; the quota is then a user's. `beside` answers every other path, without a token.
    """
    server = build_server(toolbox, _caller_of)
    manager = StreamableHTTPSessionManager(app=server, stateless=stateless)
    sse = SseServerTransport(_MESSAGES)
    guarded: list[BaseRoute] = [
        Route("/mcp", endpoint=_for_known(Screen(manager.handle_request))),
        Route("/sse", endpoint=_for_known(_Sse(sse, server)), methods=["GET"]),
        Mount(_MESSAGES, app=_for_known(Screen(sse.handle_post_message))),
    ]
    rest = [Mount("/", app=beside)] if beside else []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    return Starlette(
        routes=[*guarded, *rest],
        middleware=[
            Middleware(Doors, hosts=hosts, origins=origins),
            Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(_Verifier(tokens))),
        ],
        lifespan=lifespan,
    )


def _for_known(app: ASGIApp) -> ASGIApp:
    """The application for those alone whose token is known."""
    return RequireAuthMiddleware(app, [])


def _caller_of(request: Any) -> Caller:
    """For whom a request speaks: what its own token fixed, whatever session it names."""
    caller: Caller = request.scope["user"].access_token.claims[_CALLER]
    session = request.headers.get(HTTP_PROTOCOL_SESSION) or request.query_params.get("session_id")
    return replace(caller, session=session or "")
