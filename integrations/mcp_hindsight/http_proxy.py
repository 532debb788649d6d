"""The proxy before a server at a URL: the same paths on loopback, each handed on to its origin.

Bodies are handed on as they are. Each request is answered on its own stream, which is what tells
the calls of many clients apart.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from hindsight_core import ConfigurationError, GateAction
from hindsight_core.errors import MissingExtraError
from mcp_hindsight._events import EventSplitter, data_of, kind_of, with_data
from mcp_hindsight._memory import Bystander
from mcp_hindsight._messages import (
    Message,
    call_of,
    completed,
    key_of,
    messages_of,
    object_of,
    refusal,
)
from mcp_hindsight._splitting import MAX_WATCHED

try:
    import anyio
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    from mcp_hindsight._doors import LOOPBACK, Doors
    from mcp_hindsight._listening import serve

    try:
        import httpx2 as httpx  # pyright: ignore[reportMissingImports] - comes with mcp 2
    except ImportError:
        import httpx
except ImportError as error:
    raise MissingExtraError("mcp", error.name or "mcp", reason=str(error)) from error

__all__ = ["proxy_app", "run_http_proxy"]

_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization te trailer "
    b"transfer-encoding upgrade host content-length accept-encoding".split()
)
"""Headers of one hop; and the encoding, since what is packed cannot be looked at."""
_SESSION: Final = "mcp-session-id"


def proxy_app(
    url: str, memory: Bystander, *, gated: bool, headers: Mapping[str, str] | None = None
) -> Starlette:
    """The ASGI application that stands before the server at `url`.

    `headers` are sent along with each request. Raises `ConfigurationError` for what is no URL.
    """
    place = urlsplit(url)
    if place.scheme not in ("http", "https") or not place.netloc:
        raise ConfigurationError(f"{url}: must be an http or https URL")
    web: Any = httpx
    client: Any = web.AsyncClient(timeout=web.Timeout(30.0, read=None), follow_redirects=False)
    origin = f"{place.scheme}://{place.netloc}"
    flagged: set[str] | None = set[str]() if gated else None

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with client:
            yield

    async def handle(request: Request) -> Response:
        body = await request.body()
        exchange = _Exchange(memory, request, flagged)
        answer = await exchange.asked(body)
        if answer is not None:
            return Response(answer, media_type="application/json")
        path = request.scope["raw_path"].decode("latin-1")
        path += f"?{request.url.query}" if request.url.query else ""
        sent = [pair for pair in request.headers.raw if pair[0].lower() not in _HOP]
        sent += [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        sent.append((b"accept-encoding", b"identity"))
        wanted = client.build_request(request.method, origin + path, headers=sent, content=body)
        try:
            found = await client.send(wanted, stream=True)
        except web.HTTPError as error:
            await exchange.lost()
            return JSONResponse({"error": f"{origin}: {type(error).__name__}"}, 502)
        kind = found.headers.get("content-type", "").partition(";")[0].strip().lower()
        streamed = exchange.seen(found.aiter_raw(), events=kind == "text/event-stream")
        response = StreamingResponse(_closing(streamed, found.aclose), found.status_code)
        response.raw_headers = [
            (name, value) for name, value in found.headers.raw if name.lower() not in _HOP
        ]
        return response

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    return Starlette(
        routes=[Route("/{path:path}", handle, methods=methods)],
        middleware=[Middleware(Doors, hosts=LOOPBACK, origins=())],
        lifespan=lifespan,
    )


class _Exchange:
    """One HTTP request and what is streamed in answer to it.

    `flagged` are the calls of all exchanges whose failure is to be completed; None without a gate.
    """

    def __init__(self, memory: Bystander, request: Request, flagged: set[str] | None) -> None:
        self._memory = memory
        self._gated = flagged is not None
        self._flagged: set[str] = set() if flagged is None else flagged
        posted = request.query_params.get("session_id")
        # What is posted for an SSE stream is answered there, where we do not write.
        self._advises_only = posted is not None and request.method == "POST"
        self._client: object = request.headers.get(_SESSION) or posted or id(self)
        self._calls: list[Message] = []

    async def asked(self, body: bytes) -> bytes | None:
        """Note what the client says; the answer to a call that is not handed on."""
        for message in messages_of(body):
            mine = self._mine(message)
            called = call_of(message) is not None
            waiting = await _aside(partial(self._memory.asked, mine, wait=called and self._gated))
            if called:
                self._calls.append(mine)
            if waiting is None or not waiting.decision.flagged:
                continue
            stops = waiting.decision.action in (GateAction.CONFIRM, GateAction.BLOCK)
            if stops and not self._advises_only:
                await _aside(partial(self._memory.forget, mine["id"]))
                return refusal(message["id"], waiting.decision.message)
            self._flagged.add(key_of(mine["id"]))
        return None

    async def lost(self) -> None:
        """The server was not reached: nothing came of the calls."""
        for message in self._calls:
            await _aside(partial(self._memory.forget, message["id"]))

    async def seen(self, chunks: AsyncIterator[bytes], *, events: bool) -> AsyncGenerator[bytes]:
        """Hand the answer on; its messages are looked at, and changed where they were flagged."""
        take = self._event if events else self._body
        splitter: Any = EventSplitter() if events else _Whole()
        async for chunk in chunks:
            if not self._gated:
                yield chunk
                for piece, whole in splitter.feed(chunk):
                    if whole:
                        await take(piece)
                continue
            for piece, whole in splitter.feed(chunk):
                yield await take(piece) if whole else piece
        rest = splitter.rest()
        if rest and not events:
            rest = await take(rest)
        if rest and self._gated:
            yield rest

    async def _event(self, event: bytes) -> bytes:
        data = data_of(event)
        if kind_of(event) == b"endpoint":  # SSE: names the session of what is posted from now on
            query = parse_qs(urlsplit(data.decode("utf-8", "replace")).query)
            self._client = next(iter(query.get("session_id", ())), self._client)
            return event
        changed = await self._body(data)
        return event if changed is data else with_data(event, changed)

    async def _body(self, data: bytes) -> bytes:
        found = list(messages_of(data))
        for message in found:
            mine = self._mine(message)
            flagged = "id" in mine and key_of(mine["id"]) in self._flagged
            wait = flagged and "method" not in mine
            advice = await _aside(partial(self._memory.answered, mine, wait=wait))
            if wait:
                self._flagged.discard(key_of(mine["id"]))
            if advice and len(found) == 1:
                return completed(message, advice)
        return data

    def _mine(self, message: Message) -> Message:
        """The message with ids that no other client has."""
        changed = dict(message)
        if message.get("id") is not None:
            changed["id"] = [self._client, message["id"]]
        params = object_of(message.get("params"))
        if "requestId" in params:
            changed["params"] = {**params, "requestId": [self._client, params["requestId"]]}
        return changed


class _Whole:
    """Keeps a body until its end, unless it is too long to be looked at."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, chunk: bytes) -> list[tuple[bytes, bool]]:
        self._held += chunk
        if len(self._held) <= MAX_WATCHED:
            return []
        passing, self._held = self._held, b""
        return [(passing, False)]

    def rest(self) -> bytes:
        return self._held


def run_http_proxy(app: Starlette, port: int) -> int:
    """Serve the application on loopback until the process is told to end; return 0."""
    serve(app, host="127.0.0.1", port=port, announce=lambda address: f"proxy at {address}")
    return 0


async def _aside(function: Callable[[], Any]) -> Any:
    return await anyio.to_thread.run_sync(function)


async def _closing(
    chunks: AsyncGenerator[bytes], close: Callable[[], Any]
) -> AsyncGenerator[bytes]:
    try:
        async for chunk in chunks:
            yield chunk
    finally:
        await close()
