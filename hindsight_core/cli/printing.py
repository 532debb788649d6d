"""Prints what several commands show: the fields of a memory, the report of a recall, progress."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from hindsight_core.cli.common import print_table
from hindsight_core.recall import RecallReport, candidate_table
from hindsight_core.schema import Memory
from hindsight_core.text import shorten

__all__ = ["fields_of", "print_report", "progress_bar"]


def fields_of(memory: Memory) -> list[tuple[str, object]]:
    """The fields of a memory that say something."""
    data = memory.model_dump(mode="json", exclude_defaults=True)
    return [(name, value) for name, value in data.items() if value not in ("", [], {}, None)]


def print_report(report: RecallReport) -> None:
    """Print every candidate of a recall with the parts of its score, and what was asked for."""
    title = f"recall {report.recall_id}: {shorten(report.query, 80)}"
    print_table(title, *candidate_table(report))
    typer.echo(report.summary())


def progress_bar(quiet: bool) -> Progress:
    """A bar on the error stream for what takes long; none where `quiet`."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )
