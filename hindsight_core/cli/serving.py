"""The command that keeps a memory running beside its agents: serve."""

from __future__ import annotations

import threading
from typing import Annotated, Final

import typer

from hindsight_core import Hindsight
from hindsight_core.cli.common import Store
from hindsight_core.errors import ConfigurationError, MissingExtraError

__all__ = ["register"]

_EVERY: Final = 5.0
"""Seconds between two looks for runs that somebody left behind."""
_GRACE: Final = 5
"""Seconds that requests have to end once the process is told to."""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(serve)


def serve(
    store: Store = None,
    host: Annotated[
        str, typer.Option("--host", envvar="HINDSIGHT_HOST", help="Address to listen at")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", envvar="HINDSIGHT_PORT", min=0, max=65_535, help="Port")
    ] = 8765,
    log_level: Annotated[str, typer.Option("--log-level", help="debug, info, warning")] = "info",
) -> None:
    """Look after a shared memory: judge runs that were left behind, maintain it.

    Health over HTTP: /healthz, /readyz, /metrics. It waits for servers that are not there yet.
    SIGTERM ends it in order, with exit code 0.
    """
    if log_level not in ("debug", "info", "warning", "error"):
        raise ConfigurationError("--log-level: one of debug, info, warning, error")
    try:
        import uvicorn

        from hindsight_core.observing.prometheus import PrometheusObserver
    except ModuleNotFoundError as error:
        raise MissingExtraError("serve", error.name or "uvicorn", reason=str(error)) from error
    from hindsight_core.service import HealthApp, end_server_on_sigterm

    observer = PrometheusObserver()
    stop = threading.Event()
    with Hindsight.open(store, lazy=True, observer=observer) as hindsight:
        worker = threading.Thread(target=_look_after, args=(hindsight, stop), daemon=True)
        worker.start()
        server = uvicorn.Server(
            uvicorn.Config(
                HealthApp(hindsight, registry=observer.registry),
                host=host,
                port=port,
                log_level=log_level,
                access_log=False,
                timeout_graceful_shutdown=_GRACE,
            )
        )
        end_server_on_sigterm(server)
        try:
            server.run()
        finally:
            stop.set()
            worker.join(timeout=10)


def _look_after(hindsight: Hindsight, stop: threading.Event) -> None:
    """Do now and again what else the next run of an agent would do."""
    from hindsight_core.service import wait_until_ready

    while not stop.is_set():
        if wait_until_ready(hindsight, stop):
            with hindsight.guard("serve"):
                hindsight.flush()
                hindsight.idle.begin()
        stop.wait(_EVERY)
