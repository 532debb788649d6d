"""What the proxies before a command and before a URL share: whose memory it is, and the end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hindsight_core import GateMode
from mcp_hindsight._logs import log_to_stderr
from mcp_hindsight._memory import Bystander
from mcp_hindsight._watching import Watch

__all__ = ["Watching", "leave_as", "run_proxy"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Watching:
    """Whose calls are watched and how; `idle` and `deadline` are in seconds."""

    store: str | None = None
    user: str | None = None
    tenant: str = "default"
    agent: str | None = None
    session: str | None = None
    gate: GateMode = GateMode.OBSERVE
    idle: float = 120.0
    deadline: float = 2.0

    @property
    def gated(self) -> bool:
        """Whether a message may be changed."""
        return self.gate not in (GateMode.OFF, GateMode.OBSERVE)

    def open(self) -> Watch:
        """Open the memory; raises `HindsightError` where there is none."""
        from hindsight_core import Hindsight, Place, Settings

        hindsight = Hindsight.open(
            self.store, settings=Settings(gate=self.gate, deadline=self.deadline), lazy=True
        )
        scope = hindsight.scope_of(self.user, tenant=self.tenant, agent=self.agent)
        _ = hindsight.store
        place = Place(
            user=scope.user,
            tenant=scope.tenant,
            session=self.session or hindsight.new_id(),
            agent=self.agent,
        )
        return Watch(hindsight, place, agent=self.agent, idle=self.idle)


def run_proxy(
    server: Sequence[str],
    watching: Watching,
    *,
    port: int = 0,
    headers: Mapping[str, str] | None = None,
) -> int:
    """Stand before a server until it ends; return its exit code, -n for signal n.

    `server` is a command, or one URL, whose server is then found at `port` of loopback; `headers`
    are sent along to it.
    """
    log_to_stderr()
    if len(server) == 1 and server[0].startswith(("http://", "https://")):
        from mcp_hindsight.http_proxy import proxy_app, run_http_proxy

        memory = Bystander(watching.open, patience=watching.deadline)
        app = proxy_app(server[0], memory, gated=watching.gated, headers=headers)
        try:
            return run_http_proxy(app, port)
        finally:
            memory.close()
    from mcp_hindsight.stdio_proxy import run_stdio_proxy

    return run_stdio_proxy(
        server, lambda: Bystander(watching.open, patience=watching.deadline), gated=watching.gated
    )


def leave_as(code: int) -> None:
    """End this process as the server ended: with its exit code, or by the signal that ended it."""
    sys.stdout.flush()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    # Threads that still read must not be waited for.
    os._exit(code if code >= 0 else 128 - code)
