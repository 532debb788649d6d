"""Commands that take a memory out of its store: export, backup; and an export back in."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import (
    Progress,
    TaskID,
)

from hindsight_core.capture import BadLineError
from hindsight_core.cli.common import (
    AsJson,
    Store,
    User,
    carry_key_along,
    existing,
    opened,
    print_json,
    print_table,
)
from hindsight_core.cli.printing import progress_bar
from hindsight_core.engine import ImportReport
from hindsight_core.errors import ConfigurationError
from hindsight_core.guard import load_key
from hindsight_core.stores import SqliteStore, locate, open_sql_store
from hindsight_core.stores.copying import back_up

__all__ = ["ImportOptions", "register", "take_in_exports"]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(export)
    app.command()(backup)


def export(
    file: Annotated[Path, typer.Argument(help="A new file of JSON lines")],
    store: Store = None,
    user: User = None,
    tenant: Annotated[
        str | None, typer.Option("--tenant", help="Of this tenant only; with --user: default")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write all memories, or those of one user, as signed JSON lines, while agents go on.

    An interrupted export goes on when the command is given again. The file holds what users said:
    it is readable by you alone.
    """
    _real(file)
    with opened(store) as hindsight, progress_bar(as_json) as progress:
        bar = progress.add_task(file.name, total=None)
        report = hindsight.transfer.export(
            file,
            tenant=tenant,
            user=user,
            on_progress=lambda done, total: progress.update(bar, completed=done, total=total),
        )
    if as_json:
        print_json(report.as_dict())
        return
    typer.secho(f"{report.records} memories in {report.path}, hash {report.hash}", fg="green")


def backup(
    file: Annotated[Path, typer.Argument(help="A new SQLite file")],
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """Copy the whole store as of one moment into a SQLite file, while agents go on.

    It is opened like any store. Of an embedded store an erasure reaches its backups as well.
    """
    _real(file)
    url = existing(store)
    with closing(open_sql_store(url)) as source:
        if isinstance(source, SqliteStore):
            source.backup(file)
        else:
            back_up(source, file)
    carry_key_along(url, locate(file))
    with closing(SqliteStore(file)) as copy:
        counts, problems = copy.count(), copy.check()["problems"]
    if as_json:
        print_json({"path": str(file), "memories": counts, "problems": problems})
    else:
        print_table(f"backed up to {file}", ("kind / status", "memories"), counts.items())
    for problem in problems:
        typer.secho(problem, fg="red", err=True)
    if problems:
        raise typer.Exit(1)


def _real(file: Path) -> None:
    if str(file) == "-":
        raise ConfigurationError(
            "-: what is written is resumed and is readable by you alone, so name a file"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportOptions:
    """What of an export is taken in, and how."""

    tenant: str | None
    user: str | None
    signed_by: Path | None
    dry_run: bool
    skip_bad: bool


def take_in_exports(
    files: list[Path], store: str | None, options: ImportOptions, *, as_json: bool
) -> None:
    """Import what `export` wrote and print what became of it."""
    bad: list[BadLineError] = []
    key = None
    if options.signed_by is not None:
        key = load_key(options.signed_by, environment={})
    with opened(store, create=True) as hindsight, progress_bar(as_json) as progress:
        reports: dict[str, ImportReport] = {}
        for file in files:
            bar = progress.add_task(file.name, total=1.0)
            reports[str(file)] = hindsight.transfer.take_in(
                file,
                tenant=options.tenant,
                user=options.user,
                key=key,
                dry_run=options.dry_run,
                on_bad=bad.append if options.skip_bad else None,
                on_progress=partial(_show, progress, bar),
            )
    if as_json:
        print_json({"files": {n: r.as_dict() for n, r in reports.items()}, "bad_lines": len(bad)})
        return
    for name, report in reports.items():
        title = "would be imported" if options.dry_run else "imported"
        print_table(f"{title} from {name}", ("what", "records"), report.as_dict().items())
        if report.unverified:
            typer.secho(
                "Records that no key here has signed are trusted like a tool's words. Name the key "
                "of the memory that wrote them (--signed-by, its file MEMORY.db.key), or look at "
                "'hindsight-core review'",
                fg="yellow",
                err=True,
            )
    for error in bad[:10]:
        typer.secho(str(error), fg="yellow", err=True)


def _show(progress: Progress, bar: TaskID, done: float) -> None:
    progress.update(bar, completed=done)
