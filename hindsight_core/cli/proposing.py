"""Commands about what maintenance proposes: proposals (list, find, accept, refuse)."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_core import Hindsight
from hindsight_core.cli.common import (
    AsJson,
    By,
    Everyone,
    Store,
    Tenant,
    User,
    Why,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.maintenance import Proposal
from hindsight_core.text import shorten

__all__ = ["register"]

proposals = typer.Typer(
    help="What maintenance proposes; nothing is done unless you accept it.", no_args_is_help=True
)

ProposalId = Annotated[str, typer.Argument(help="A proposal's id")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(proposals, name="proposals")


@proposals.command("list")
def list_open(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    everyone: Everyone = False,
    as_json: AsJson = False,
) -> None:
    """List the proposals that are open, with their evidence."""
    with opened(store) as hindsight:
        wanted = (
            hindsight.proposals.scopes(tenant) if everyone else [scope_of(hindsight, user, tenant)]
        )
        found = {one.id: one for scope in wanted for one in hindsight.proposals.open(scope)}
        _print(hindsight, list(found.values()), as_json=as_json)


@proposals.command()
def find(store: Store = None, as_json: AsJson = False) -> None:
    """Look for proposals now, of all users, and list those that are new."""
    with opened(store) as hindsight:
        _print(hindsight, hindsight.proposals.find(), as_json=as_json)


@proposals.command()
def accept(
    proposal_id: ProposalId,
    by: By,
    why: Why = "",
    keep: Annotated[
        str | None, typer.Option("--keep", help="Of a contradiction, the id of the one to keep")
    ] = None,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Do what is proposed."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        memory = hindsight.proposals.accept(scope, proposal_id, by=by, why=why, keep=keep)
    if as_json:
        print_json(memory)
        return
    typer.echo(f"{memory.id} is {memory.status.value}: {shorten(memory.content, 200)}")


@proposals.command()
def refuse(
    proposal_id: ProposalId,
    by: By,
    why: Why = "",
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Leave everything as it is; the same is not proposed again."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        decided = hindsight.proposals.refuse(scope, proposal_id, by=by, why=why)
    if as_json:
        print_json(decided)
        return
    typer.echo(f"{decided.id} was refused")


def _print(hindsight: Hindsight, found: list[Proposal], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} proposals",
        ("id", "kind", "user", "why", "runs", "what it is about"),
        [
            (
                one.id,
                one.kind.value,
                one.scope.user,
                one.reason,
                ", ".join(e.run_id for e in one.evidence[-3:]),
                _about(hindsight, one),
            )
            for one in found
        ],
    )


def _about(hindsight: Hindsight, one: Proposal) -> str:
    if one.text:
        return one.text
    memories = hindsight.store.get(one.scope, one.memory_ids)
    return "\n".join(f"{memory.id} {shorten(memory.content, 160)}" for memory in memories)
