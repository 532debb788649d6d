"""Commands that share lessons with other users or agents: share preview, grant, list, revoke."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_core.cli.common import (
    AsJson,
    By,
    MemoryId,
    Store,
    Tenant,
    User,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.errors import ConfigurationError

__all__ = ["register"]

Situation = Annotated[
    str, typer.Option("--situation", help="When it applies, in place of the user's own words")
]
Names = Annotated[
    list[str] | None, typer.Option("--remove", help="A further text to take out, wherever it is")
]

_share = typer.Typer(help="Share lessons with other users or agents of a tenant.")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    _share.command("list")(list_grants)
    for command in (preview, grant, revoke):
        _share.command()(command)
    app.add_typer(_share, name="share", no_args_is_help=True)


def preview(
    memory_id: MemoryId,
    situation: Situation = "",
    remove: Names = None,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Show what others would see of a lesson; nothing is shared by that."""
    with opened(store) as hindsight:
        shown = hindsight.sharing.preview(
            scope_of(hindsight, user, tenant), memory_id, situation=situation, names=remove or ()
        )
    if as_json:
        print_json(shown)
        return
    data = shown.model_dump(mode="json", include={"value", "query", "lesson", "path"})
    print_table("what others would see", ("field", "value"), data.items())


def grant(
    memory_id: MemoryId,
    by: By,
    to: Annotated[
        list[str] | None, typer.Option("--to", help="A user's id; may be given again")
    ] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="To all of the tenant")] = False,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", help="Only to agents of this role")
    ] = None,
    situation: Situation = "",
    remove: Names = None,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Share a lesson, as `preview` shows it, until the grant is revoked."""
    if bool(to) == everyone:
        raise ConfigurationError("share grant: name users with --to, or --everyone")
    with opened(store) as hindsight:
        given = hindsight.sharing.grant(
            scope_of(hindsight, user, tenant),
            memory_id,
            by=by,
            users=to or ["*"],
            agents=agent or (),
            situation=situation,
            names=remove or (),
        )
    if as_json:
        print_json(given)
        return
    typer.echo(f"shared under grant {given.id}; 'share revoke {given.id}' takes it back")


def list_grants(
    store: Store = None, user: User = None, tenant: Tenant = "default", as_json: AsJson = False
) -> None:
    """List what a user shares with others, newest first."""
    with opened(store) as hindsight:
        found = hindsight.sharing.grants(scope_of(hindsight, user, tenant))
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} grants",
        ("grant", "memory", "users", "agents", "by", "since"),
        [
            (g.id, g.memory_id, ", ".join(g.users), ", ".join(g.agents), g.by, f"{g.at:%Y-%m-%d}")
            for g in found
        ],
    )


def revoke(
    grant_id: Annotated[str, typer.Argument(help="A grant's id")],
    by: By,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Take a grant back, and every copy that was made under it."""
    with opened(store) as hindsight:
        removed = hindsight.sharing.revoke(scope_of(hindsight, user, tenant), grant_id, by=by)
    if as_json:
        print_json({"grant": grant_id, "copies": removed})
        return
    typer.echo(f"revoked; {removed} copies were removed")
