"""Commands that let the memory forget and take back: maintain, restore."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_core.cli.common import (
    AsJson,
    Store,
    Tenant,
    User,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.text import shorten

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(maintain)
    app.command()(restore)


def maintain(
    store: Store = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is due")] = False,
    as_json: AsJson = False,
) -> None:
    """Archive, put into cold storage, delete, retire and restore what is due, of all users."""
    with opened(store) as hindsight:
        report = hindsight.maintain(dry_run=dry_run)
    if as_json:
        print_json(report.as_dict())
        return
    if not report.ran:
        typer.echo("another process is maintaining this store; nothing was done here")
        return
    if report.steps:
        print_table(
            "what is due" if dry_run else "what was done",
            ("action", "why", "confidence", "strength", "importance", "user", "memory"),
            [
                (
                    step.action.value,
                    step.reason,
                    f"{step.memory.confidence:.2f}",
                    f"{step.strength:.2f}",
                    f"{step.importance:.2f}",
                    step.memory.scope.user,
                    f"{step.memory.id} {shorten(step.memory.content, 100)}",
                )
                for step in report.steps
            ],
        )
    counted = ", ".join(f"{name} {count}" for name, count in report.counts.items())
    typer.echo(f"{report.looked_at} memories looked at: {counted or 'nothing is due'}")
    if report.proposed:
        typer.echo(f"{report.proposed} new proposals: see 'hindsight-core proposals list'")


def restore(
    ids: Annotated[list[str], typer.Argument(help="Ids of memories that were put away")],
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Bring back memories that were archived or are in cold storage."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        found = [hindsight.restore(scope, memory_id) for memory_id in ids]
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} restored",
        ("id", "kind", "what it says"),
        [(memory.id, memory.kind.value, shorten(memory.content, 200)) for memory in found],
    )
