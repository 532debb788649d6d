"""Commands that change the memory: remember, forget, verify, compact."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from hindsight_core.cli.common import (
    AsJson,
    MemoryId,
    Store,
    Tenant,
    User,
    existing,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import Kind, Source, Status
from hindsight_core.stores import open_store

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(remember)
    app.command()(forget)
    app.command()(verify)
    app.command()(compact)


def remember(
    text: Annotated[str, typer.Argument(help="What to remember")],
    kind: Annotated[Kind, typer.Option("--kind", "-k", help="What it is")] = Kind.FACT,
    operator: Annotated[
        bool, typer.Option("--operator", help="By word of an operator, not of the user")
    ] = False,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Store what the user, or an operator, wants to be remembered."""
    by = Source.OPERATOR if operator else Source.USER
    with opened(store, create=True) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        memory = hindsight.remember(scope, text, kind=kind, source=by)
    if as_json:
        print_json(memory)
        return
    print_table(
        f"remembered for user {scope.user!r}",
        ("id", "kind", "status", "content"),
        [(memory.id, memory.kind.value, memory.status.value, memory.content)],
    )
    if memory.status is Status.QUARANTINED:
        typer.echo(f"Held back: {'; '.join(memory.reasons)}. See 'hindsight-core review'", err=True)


def forget(
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Everything of this user, in every place")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask")] = False,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Erase memories for good, and print the receipt."""
    if bool(ids) == everything:
        raise ConfigurationError("forget: name some ids, or --all for everything of the user")
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        if everything and not yes:
            typer.confirm(f"Erase everything of user {scope.user!r}?", abort=True, err=True)
        for memory_id in ids or ():
            hindsight.get(scope, memory_id)  # an id that is not there is said to be so
        receipt = hindsight.forget(scope, ids or None, by="command line")
    if as_json:
        print_json(asdict(receipt) | {"scope": receipt.scope.model_dump(mode="json")})
        return
    print_table(
        f"erased for user {receipt.scope.user!r}",
        ("place", "removed", "remaining"),
        [(name, count, receipt.remaining.get(name, 0)) for name, count in receipt.removed.items()],
    )
    if not any(count for place, count in receipt.removed.items() if place != "backups"):
        typer.echo("Nothing was there: is the user spelt as the agent spells him?", err=True)
    if not receipt.overwritten:
        typer.echo("The store is large: run 'hindsight-core compact' to overwrite unused space too")


def verify(
    memory_id: MemoryId,
    refute: Annotated[
        bool, typer.Option("--refute", help="It is wrong: archive it instead of confirming it")
    ] = False,
    operator: Annotated[
        bool, typer.Option("--operator", help="By word of an operator, not of the user")
    ] = False,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Confirm or refute a memory: confirmed, it is trusted like the word of who confirmed it."""
    by = Source.OPERATOR if operator else Source.USER
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        memory = hindsight.verify(scope, memory_id, ok=not refute, by=by)
    if as_json:
        print_json(memory)
        return
    print_table(
        f"{'refuted' if refute else 'confirmed'} by the {by.value}",
        ("memory", "status", "trust", "content"),
        [(memory.id, memory.status.value, memory.trust, memory.content)],
    )


def compact(store: Store = None, as_json: AsJson = False) -> None:
    """Rewrite a store without unused space, so that nothing deleted is left in it.

    Nobody can write meanwhile: some seconds for each GB.
    """
    opened_store = open_store(existing(store))
    try:
        done = opened_store.wipe(whole=True)
    finally:
        opened_store.close()
    if as_json:
        print_json({"overwritten": done})
        return
    typer.secho(f"{opened_store.url} holds nothing any more of what was deleted", fg="green")
