"""Runs the server: over stdio for the one user who started it, over HTTP for many."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import anyio

from hindsight_core import Hindsight, StoreError
from hindsight_core.service import end_on_sigterm
from mcp_hindsight._callers import Caller
from mcp_hindsight._doors import allowed_hosts
from mcp_hindsight._lines import ScreenedLines, WireOut
from mcp_hindsight._logs import log_to_stderr
from mcp_hindsight._sdk import serve_streams, stdio_server
from mcp_hindsight._tokens import Tokens
from mcp_hindsight.server import build_server
from mcp_hindsight.toolbox import Toolbox

__all__ = ["opened", "serve_http", "serve_stdio"]

_TERMINATED: Final = 128 + signal.SIGTERM


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
    """Serve one client over stdin and stdout until it closes them; on SIGTERM exit with 143."""
    server = build_server(toolbox, lambda _: caller)

    async def serve() -> bool:
        loop, stopped = asyncio.get_running_loop(), anyio.CancelScope()

        def stop() -> None:
            with suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(stopped.cancel)

        end_on_sigterm(stop, code=_TERMINATED)
        out = WireOut(sys.stdout.buffer)
        # The SDK asks no more of the two than these have.
        lines = cast("Any", ScreenedLines(stdin, out))
        with stopped:
            async with stdio_server(lines, cast("Any", out)) as streams:
                with redirect_stdout(sys.stderr):  # stdout belongs to the protocol
                    await serve_streams(server, streams)
        return stopped.cancel_called

    # A file of our own: one that a thread still reads must not be closed at the end.
    stdin = cast("BinaryIO", open(sys.stdin.fileno(), "rb", closefd=False))  # noqa: SIM115
    if anyio.run(serve):
        raise SystemExit(_TERMINATED)


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
    from mcp_hindsight._listening import serve
    from mcp_hindsight.http_server import http_app

    app = http_app(
        toolbox,
        tokens,
        hosts=allowed_hosts(host, hosts),
        origins=origins,
        stateless=stateless,
        beside=beside,
    )
    serve(
        app,
        host=host,
        port=port,
        announce=lambda at: f"memory at {at}/mcp (streamable HTTP) and {at}/sse (SSE)",
        certificate=certificate,
    )
