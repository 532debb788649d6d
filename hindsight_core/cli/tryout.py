"""Commands that try the memory out through a framework: demo and replay.

The core imports no framework: each adapter brings its driver as an entry point.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hindsight_core import Hindsight, Scope
from hindsight_core.cli.common import AsJson, print_json, print_table
from hindsight_core.errors import ConfigurationError, MissingExtraError

__all__ = ["DEMOS_GROUP", "DRIVERS_GROUP", "register"]

DEMOS_GROUP: Final = "hindsight_core.demos"
"""Entry points of this group run the demo through their framework."""

DRIVERS_GROUP: Final = "hindsight_core.replay_drivers"
"""Entry points of this group replay one recorded run through their framework."""

Adapter = Annotated[str, typer.Option("--adapter", help="Through which framework")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(demo)
    app.command()(replay)


def demo(
    memory: Annotated[
        bool | None,
        typer.Option("--memory/--no-memory", help="Only with, or only without; default: both"),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A real chat model; default: a small policy, offline")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Base URL of an OpenAI-compatible endpoint for --model")
    ] = None,
    adapter: Adapter = "langchain",
    as_json: AsJson = False,
) -> None:
    """Run a real agent with tools that really fail, with memory and without, and compare."""
    if base_url and not model:
        raise ConfigurationError("demo: --base-url goes with --model")
    run_demo = _load(DEMOS_GROUP, adapter)
    variants = (True, False) if memory is None else (memory,)
    run_demo(variants=variants, model=model, base_url=base_url, as_json=as_json)


def replay(
    files: Annotated[
        list[Path], typer.Argument(help="Recorded runs, JSON lines", exists=True, dir_okay=False)
    ],
    store: Annotated[
        str | None, typer.Option("--store", help="Learn into this store; default: a temporary one")
    ] = None,
    user: Annotated[str, typer.Option("--user", "-u", help="Whose memory")] = "replay",
    adapter: Adapter = "langchain",
    as_json: AsJson = False,
) -> None:
    """Feed recorded runs through a framework; count the failures that a memory prevents."""
    from hindsight_core.capture import RecordedRun, read_history
    from hindsight_core.testing.replay import replay as measure

    drive = _load(DRIVERS_GROUP, adapter)
    results: dict[str, dict[str, float]] = {}
    for file in files:
        runs = list(read_history(file))
        with tempfile.TemporaryDirectory() as folder, _progress(as_json) as progress:
            bar = progress.add_task(file.name, total=len(runs))

            def advance(_: RecordedRun, bar: Any = bar, progress: Progress = progress) -> None:
                progress.advance(bar)

            with Hindsight.open(store or str(Path(folder) / "replay.db")) as hindsight:
                figures = measure(hindsight, Scope(user=user), runs, drive, on_run=advance)
        results[file.name] = figures.as_dict()
    if as_json:
        print_json(results)
        return
    names = next(iter(results.values()))
    print_table(
        f"replay through {adapter}",
        ("figure", *results),
        [(name, *(f"{figures[name]:.4g}" for figures in results.values())) for name in names],
    )


def _progress(quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )


def _load(group: str, adapter: str) -> Any:
    known = {entry.name: entry for entry in entry_points(group=group)}
    if adapter not in known:
        raise ConfigurationError(
            f"--adapter {adapter}: not one of {', '.join(sorted(known)) or 'those installed'}"
        )
    try:
        return known[adapter].load()
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError(adapter, error.name or adapter, reason=str(error)) from error
