"""The command that learns from what other systems recorded: import."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import typer

from hindsight_core import Hindsight, RecordedRun, Scope
from hindsight_core.capture import BadLineError, read_history
from hindsight_core.cli.common import (
    AsJson,
    Store,
    Tenant,
    User,
    print_json,
    print_table,
)
from hindsight_core.cli.exporting import ImportOptions, take_in_exports
from hindsight_core.cli.printing import progress_bar
from hindsight_core.engine import is_export
from hindsight_core.errors import ConfigurationError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("import")(import_history)


def import_history(
    files: Annotated[
        list[Path], typer.Argument(help="Recorded runs, message lists, or exports", exists=True)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be learnt, and store nothing")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Skip and count lines that cannot be read")
    ] = False,
    signed_by: Annotated[
        Path | None,
        typer.Option("--signed-by", help="Key file of who wrote an export", exists=True),
    ] = None,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Learn from an existing history: lists of messages as chat models take them, or recorded runs.

    Or take in what 'hindsight-core export' wrote: of all its users, or of the one that is named.
    The same file imported again adds nothing.
    """
    if exports := [file for file in files if is_export(file)]:
        if len(exports) < len(files):
            raise ConfigurationError("import: exports and histories, one kind at a time")
        options = ImportOptions(
            tenant=tenant if user else None,
            user=user,
            signed_by=signed_by,
            dry_run=dry_run,
            skip_bad=skip_bad,
        )
        take_in_exports(exports, store, options, as_json=as_json)
        return
    bad: list[BadLineError] = []
    with _memory(store, dry_run) as hindsight:
        scope = hindsight.scope_of(user, tenant=tenant)
        before = hindsight.health().memories
        runs = 0
        with hindsight.alerts.expecting(scope, by="import"), progress_bar(as_json) as progress:
            for file in files:
                bar = progress.add_task(file.name, total=1.0)
                for run in read_history(file, on_bad=bad.append if skip_bad else None):
                    _learn(hindsight, scope, run)
                    progress.update(bar, completed=run.progress)
                    runs += 1
                progress.update(bar, completed=1.0)
        health = hindsight.health()
        if health.errors:
            raise ConfigurationError(f"import: not everything was stored: {health.last_error}")
        learnt = {
            name: count - before.get(name, 0)
            for name, count in health.memories.items()
            if count != before.get(name, 0)
        }
        shown = hindsight.memories(scope, limit=50) if dry_run else []
    if as_json:
        contents = [memory.content for memory in shown]
        print_json({"runs": runs, "learnt": learnt, "bad_lines": len(bad), "would_store": contents})
        return
    title = "would be learnt" if dry_run else "learnt"
    print_table(f"{title} from {runs} runs", ("kind / status", "memories"), learnt.items())
    for memory in shown:
        typer.echo(f"{memory.kind.value}: {memory.content}")
    for error in bad[:10]:
        typer.secho(str(error), fg="yellow", err=True)


def _learn(hindsight: Hindsight, scope: Scope, recorded: RecordedRun) -> None:
    """Hand one recorded run to a recorder; the ids depend on what was recorded alone."""
    identity = blake2b(repr((recorded.task, recorded.steps)).encode(errors="replace"))
    run_id = f"import-{identity.hexdigest()[:32]}"
    run = hindsight.run(
        scope, task=recorded.task, framework="import", session=run_id, run_id=run_id
    )
    said = ""
    for number, step in enumerate(recorded.steps):
        turn = str(number)
        if step.kind == "user":
            run.user(step.text, turn=turn, before=said)
        elif step.kind == "assistant":
            run.agent(step.text, turn=turn)
            said = step.text
        else:
            run.after_tool(
                step.tool,
                step.args,
                call_id=step.call_id or turn,
                result=step.result,
                flagged_error=step.error,
            )
    run.finish(ok=recorded.success)


@contextmanager
def _memory(store: str | None, dry_run: bool) -> Generator[Hindsight]:
    """The memory to learn into; for a dry run one that is thrown away."""
    if not dry_run:
        with Hindsight.open(store) as hindsight:
            yield hindsight
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        Hindsight.open(f"{folder}/dry-run.db", embedder=None) as hindsight,
    ):
        yield hindsight
