"""Serves an ASGI application until the process is told to end, so that what follows still runs."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn

from hindsight_core import ConfigurationError
from hindsight_core.service import end_server_on_sigterm

__all__ = ["serve"]


def serve(
    app: Any,
    *,
    host: str,
    port: int,
    announce: Callable[[str], str],
    certificate: tuple[Path, Path] | None = None,
) -> None:
    """Listen, say so on stderr by `announce(address)`, and serve until SIGTERM or SIGINT.

    `certificate` are the files of the certificate and of its key, for TLS. Raises
    `ConfigurationError` for an address that cannot be listened on.
    """
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
        raise ConfigurationError(f"--tls-cert, --tls-key: {error}") from error
    except SystemExit as error:  # uvicorn's way to say that the address is taken
        raise ConfigurationError(
            f"{host}:{port} cannot be listened on: it is taken, or not this machine's"
        ) from error
    with listener:
        listener.listen(config.backlog)  # who reads the address may use it at once
        shown, number = listener.getsockname()[:2]
        scheme = "https" if certificate else "http"
        address = f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{number}"
        sys.stderr.write(announce(address) + "\n")
        sys.stderr.flush()
        server = uvicorn.Server(config)
        end_server_on_sigterm(server)
        server.run(sockets=[listener])
