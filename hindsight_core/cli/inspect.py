"""Commands that look and change nothing: list, runs, show, search, stats, doctor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from hindsight_core.cli.common import (
    AsJson,
    Limit,
    MemoryId,
    Store,
    Tenant,
    User,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.cli.printing import fields_of, print_report
from hindsight_core.cli.reflecting import print_queue
from hindsight_core.engine import MemoryAccount
from hindsight_core.events import Event, RunStarted, UserSaid
from hindsight_core.ports import Where
from hindsight_core.schema import Kind, Memory, Status
from hindsight_core.text import shorten

__all__ = ["register"]

_RUNS_READ = 10_000


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("list")(list_memories)
    for command in (runs, show, search, stats, doctor):
        app.command()(command)
    app.command("recall", hidden=True)(search)  # as it is called in code


def list_memories(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", "-k", help="Only these kinds")
    ] = None,
    status: Annotated[Status, typer.Option("--status", help="Only this status")] = Status.ACTIVE,
    everything: Annotated[
        bool, typer.Option("--all", help="Of every status, and those that newer ones replaced")
    ] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first."""
    with opened(store) as hindsight:
        statuses = tuple(Status) if everything else (status,)
        where = Where(kinds=tuple(kind or ()), statuses=statuses, include_superseded=everything)
        found = hindsight.memories(scope_of(hindsight, user, tenant), where, limit=limit)
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} memories",
        ("id", "kind", "source", "trust", "used", "what it says"),
        [_row(memory) for memory in found],
    )
    if not found and user is None:
        typer.echo("Memories of another user: name him with --user")


def runs(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """List the latest runs, whose ids `explain` takes."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        known = hindsight.store.runs(pending_only=False, limit=_RUNS_READ)
        seen = sorted((run for run in known if scope.sees(run.scope)), key=lambda run: run.last_at)
        found = [(run, _task_of(hindsight.store.events(run.run_id))) for run in seen[-limit:]]
    found.reverse()
    if as_json:
        print_json(
            [{**asdict(run), "scope": run.scope.model_dump(), "task": task} for run, task in found]
        )
        return
    print_table(
        f"{len(found)} runs",
        ("id", "last event", "judged", "task"),
        [
            (run.run_id, f"{run.last_at:%Y-%m-%d %H:%M}", not run.pending, shorten(task, 80))
            for run, task in found
        ],
    )


def _task_of(events: Sequence[Event]) -> str:
    """What a run was about: its task, or the first words of its user."""
    for event in events:
        said = event.task if isinstance(event, RunStarted) else ""
        said = event.text if isinstance(event, UserSaid) else said
        if said:
            return said
    return ""


def show(
    memory_id: MemoryId,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Show one memory with its evidence."""
    with opened(store) as hindsight:
        memory = hindsight.get(scope_of(hindsight, user, tenant), memory_id)
    if as_json:
        print_json(memory)
        return
    print_table(memory.content, ("field", "value"), fields_of(memory))


def search(
    query: Annotated[str, typer.Argument(help="What to look for")],
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    limit: Limit = 10,
    as_json: AsJson = False,
) -> None:
    """Search as an agent would, and show the scores; counts as no use of what is found."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        found = hindsight.recall(scope, query, top_k=limit, inspect=True)
    if as_json:
        print_json(found.report)
        return
    print_report(found.report)


def stats(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Count what the store holds, and show what runs did with a user's memories."""
    with opened(store) as hindsight:
        health = hindsight.health()
        reflection = hindsight.reflection.state()
        ledger = hindsight.ledger(scope_of(hindsight, user, tenant))[:limit]
    if as_json:
        print_json(
            {
                **health.as_dict(),
                "reflection": reflection.as_dict(),
                "ledger": [one.as_dict() for one in ledger],
            }
        )
        return
    print_table(health.store, ("kind / status", "memories"), sorted(health.memories.items()))
    typer.echo(
        f"embedder: {health.embedder or 'none (words alone)'}; "
        f"runs not judged: {health.pending_runs}; without a vector: {health.unencoded}"
    )
    print_queue(reflection)
    _print_ledger(ledger)


def _print_ledger(ledger: Sequence[MemoryAccount]) -> None:
    if not ledger:
        return
    print_table(
        "what runs did with what they were shown",
        ("confidence", "shown", "taken: good, bad", "repeated", "uplift", "decay", "memory"),
        [
            (
                f"{one.confidence}",
                one.account.shown,
                f"{one.account.taken}: {one.account.taken_good}, {one.account.taken_bad}",
                one.account.repeated,
                f"{one.account.uplift}" if one.account.uplift else "",
                f"{one.memory.decay:.2f}",
                shorten(one.memory.content, 120),
            )
            for one in ledger
        ],
    )


def doctor(store: Store = None, as_json: AsJson = False) -> None:
    """Look for damage and for settings that do not fit; exit code 1 when there is a problem."""
    with opened(store) as hindsight:
        health = hindsight.health()
        checked = hindsight.store.check()
    problems = [*checked["problems"], *filter(None, (health.store_error, health.embedder_error))]
    if as_json:
        print_json({**checked, "problems": problems, "health": health.as_dict()})
    else:
        rows = [(name, value) for name, value in checked.items() if name != "problems"]
        print_table(health.store, ("check", "result"), rows)
        for problem in problems:
            typer.secho(problem, fg="red", err=True)
        if not problems:
            typer.secho("no problem found", fg="green")
    if problems:
        raise typer.Exit(1)


def _row(memory: Memory) -> tuple[object, ...]:
    return (
        memory.id,
        memory.kind.value,
        memory.source.value,
        f"{memory.trust:.2f}",
        memory.references,
        shorten(memory.content, 200),
    )
