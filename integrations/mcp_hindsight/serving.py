"""Runs the server: over stdio for the one user who started it, over HTTP for many."""

from __future__ import annotations

import signal
import ssl
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, cast

import anyio

from hindsight_core import ConfigurationError, Hindsight, StoreError
from mcp_hindsight._callers import Caller
from mcp_hindsight._doors import allowed_hosts
from mcp_hindsight._lines import ScreenedLines, WireOut
from mcp_hindsight._logs import log_to_stderr
from mcp_hindsight._sdk import serve_streams, stdio_server
from mcp_hindsight._tokens import Tokens
from mcp_hindsight.server import build_server
from mcp_hindsight.toolbox import Toolbox

__all__ = ["opened", "serve_http", "serve_stdio"]


@contextmanager
def opened(store: str | None) -> Generator[Hindsight]:
    """Open the memory for a server: a store that is down now may come up later.

    Raises `ConfigurationError` for a store that will never be one.
    """
    log_to_stderr()
    hindsight = Hindsight.open(store, lazy=True)
    try:
        try:
            _ = hindsight.store
        except StoreError as error:
            sys.stderr.write(f"the memory is not there yet, its tools will say so: {error}\n")
        else:
            hindsight.prefetch("warm up")
        yield hindsight
    finally:
        hindsight.close()


def serve_stdio(toolbox: Toolbox, caller: Caller) -> None:
    """Serve one client over stdin and stdout until it closes them."""
    server = build_server(toolbox, lambda _: caller)

    async def serve() -> None:
        out = WireOut(sys.stdout.buffer)
        # The SDK asks no more of the two than these have.
        lines = cast("Any", ScreenedLines(sys.stdin.buffer, out))
        async with stdio_server(lines, cast("Any", out)) as streams:
            with redirect_stdout(sys.stderr):  # stdout belongs to the protocol
                await serve_streams(server, streams)

    signal.signal(signal.SIGTERM, _leave)
    anyio.run(serve)


def serve_http(
    toolbox: Toolbox,
    tokens: Tokens,
    *,
    host: str,
    port: int,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    stateless: bool = False,
    certificate: tuple[Path, Path] | None = None,
    beside: Any = None,
) -> None:
    """Serve any number of clients over HTTP until the process is told to end.

    `certificate` are the files of the certificate and of its key, for TLS; `beside` is an ASGI
    application for all other paths. Raises `ConfigurationError` for an address that cannot be
    listened on.
    """
    import uvicorn

    from mcp_hindsight.http_server import http_app

    app = http_app(
        toolbox,
        tokens,
        hosts=allowed_hosts(host, hosts),
        origins=origins,
        stateless=stateless,
        beside=beside,
    )
    files = certificate or (None, None)
    try:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
            ssl_certfile=files[0],
            ssl_keyfile=files[1],
        )
        config.load()
        listener = config.bind_socket()
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(f"--tls: {error}") from error
    except SystemExit as error:  # uvicorn's way to say that the address is taken
        raise ConfigurationError(
            f"{host}:{port} cannot be listened on: it is taken, or not this machine's"
        ) from error
    with listener:
        listener.listen(config.backlog)  # who reads the address may use it at once
        shown, number = listener.getsockname()[:2]
        scheme = "https" if certificate else "http"
        place = f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{number}"
        sys.stderr.write(f"memory at {place}/mcp (streamable HTTP) and {place}/sse (SSE)\n")
        sys.stderr.flush()
        uvicorn.Server(config).run(sockets=[listener])


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    raise SystemExit(128 + number)
