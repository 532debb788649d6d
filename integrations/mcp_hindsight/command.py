"""The commands `mcp`, `mcp-proxy` and `mcp-token` of `hindsight-core`; see `docs/mcp.md`."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from hindsight_core import ConfigurationError, GateMode

__all__ = ["register"]

_QUERIES: Final = 3

Store = Annotated[
    str | None,
    typer.Option(
        "--store", envvar="HINDSIGHT_URL", help="Path or URL; default: the user's data folder"
    ),
]
User = Annotated[
    str | None, typer.Option("--user", "-u", help="Whose memory; over stdio by default: local")
]
Tenant = Annotated[str, typer.Option("--tenant", help="The user's tenant")]
Agent = Annotated[
    str | None, typer.Option("--agent", help="Keep what is stored to this agent alone")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("mcp")(mcp)
    app.command("mcp-proxy")(mcp_proxy)
    app.command("mcp-token")(mcp_token)


def mcp(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    agent: Agent = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve many users over HTTP (/mcp and /sse)")
    ] = False,
    host: Annotated[
        str, typer.Option(envvar="HINDSIGHT_MCP_HOST", help="Address to listen on")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="HINDSIGHT_MCP_PORT", min=0, max=65535)] = 8765,
    tokens: Annotated[
        Path | None,
        typer.Option(envvar="HINDSIGHT_MCP_TOKENS", help="TOML file of tokens and their users"),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", envvar="HINDSIGHT_MCP_TOKEN", hidden=True, help="The token of --user"
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(envvar="HINDSIGHT_MCP_HOSTS", help="Name under which it is asked for"),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(envvar="HINDSIGHT_MCP_ORIGINS", help="Web page that may use it"),
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate, for TLS")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key")] = None,
    stateless: Annotated[
        bool, typer.Option("--stateless", help="Keep no sessions: for several machines")
    ] = False,
    dotted: Annotated[
        bool, typer.Option("--dotted", help="Name the tools memory.store and so on")
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer no tool that changes the memory")
    ] = False,
    queries: Annotated[
        int, typer.Option("--queries-per-minute", min=0, help="A session's; 0: no limit")
    ] = _QUERIES,
) -> None:
    """Serve the memory to any MCP client: over stdio, or with --http over HTTP."""
    import_module("mcp_hindsight._sdk")  # says which extra is missing

    from hindsight_core.service import HealthApp
    from mcp_hindsight._callers import Caller
    from mcp_hindsight._tokens import Tokens
    from mcp_hindsight.serving import opened, serve_http, serve_stdio
    from mcp_hindsight.toolbox import Toolbox

    if bool(tls_cert) != bool(tls_key):
        raise ConfigurationError("--tls-cert and --tls-key go together")
    pairs: list[tuple[str, Caller]] = []
    if http and token:
        if user is None:
            raise ConfigurationError("HINDSIGHT_MCP_TOKEN: say with --user whose token it is")
        pairs.append((token, Caller(user=user, tenant=tenant, agent=agent)))
    known = Tokens(pairs, path=tokens) if http else None
    with opened(store) as hindsight:
        toolbox = Toolbox(hindsight, dotted=dotted, read_only=read_only, queries_per_minute=queries)
        if known is None:
            scope = hindsight.scope_of(user, tenant=tenant, agent=agent)
            caller = Caller(user=scope.user, tenant=scope.tenant, agent=scope.agent)
            serve_stdio(toolbox, caller)
            return
        serve_http(
            toolbox,
            known,
            host=host,
            port=port,
            hosts=allow_host or (),
            origins=allow_origin or (),
            stateless=stateless,
            beside=HealthApp(hindsight),
            certificate=(tls_cert, tls_key) if tls_cert and tls_key else None,
        )


def mcp_proxy(
    server: Annotated[
        list[str], typer.Argument(help="-- COMMAND... of the server, or its URL", metavar="SERVER")
    ],
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    agent: Agent = None,
    session: Annotated[
        str | None, typer.Option("--session", help="Id of the conversation; default: a new one")
    ] = None,
    gate: Annotated[
        GateMode | None,
        typer.Option("--gate", help="At calls that failed before; default: change nothing"),
    ] = None,
    idle: Annotated[
        float, typer.Option("--idle", min=1, help="Seconds without a call that end a run")
    ] = 120.0,
    deadline: Annotated[
        float, typer.Option("--deadline", min=0.1, help="Seconds that a call waits for the memory")
    ] = 2.0,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of a URL: where it is found here")
    ] = 8766,
    header: Annotated[
        list[str] | None,
        typer.Option("--header", help="Of a URL: 'Name: value' to send along, such as a token"),
    ] = None,
) -> None:
    """Stand before any MCP server: hand everything on unchanged, and learn from its calls."""
    from mcp_hindsight.proxying import Watching, leave_as, run_proxy

    watching = Watching(
        store=store,
        user=user,
        tenant=tenant,
        agent=agent,
        session=session,
        gate=gate or GateMode.OBSERVE,
        idle=idle,
        deadline=deadline,
    )
    sent = [line.partition(":") for line in header or ()]
    if not all(name.strip() and colon for name, colon, _ in sent):
        raise ConfigurationError("--header: must be 'Name: value'")
    headers = {name.strip(): value.strip() for name, _, value in sent}
    leave_as(run_proxy(server, watching, port=port, headers=headers))


def mcp_token(
    user: Annotated[str, typer.Option("--user", "-u", help="For whom it will speak")],
    tenant: Tenant = "default",
    agent: Agent = None,
) -> None:
    """Make a bearer token for a user (on stderr), and its entry for --tokens (on stdout)."""
    from mcp_hindsight._callers import Caller
    from mcp_hindsight._tokens import new_token

    scope = Caller(user=user, tenant=tenant, agent=agent).scope
    made, digest = new_token()
    entry = {"user": scope.user, "tenant": scope.tenant, "agent": scope.agent, "sha256": digest}
    lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items() if value is not None]
    typer.echo("The token, shown this once, for the user's client to send:", err=True)
    typer.echo(f"Authorization: Bearer {made}", err=True)
    typer.echo("\n".join(("[[token]]", *lines)))
