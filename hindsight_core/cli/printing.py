"""Prints what several commands show: the fields of a memory, the report of a recall."""

from __future__ import annotations

import typer

from hindsight_core.cli.common import print_table
from hindsight_core.recall import RecallReport
from hindsight_core.schema import Memory
from hindsight_core.text import shorten

__all__ = ["fields_of", "print_report"]


def fields_of(memory: Memory) -> list[tuple[str, object]]:
    """The fields of a memory that say something."""
    data = memory.model_dump(mode="json", exclude_defaults=True)
    return [(name, value) for name, value in data.items() if value not in ("", [], {}, None)]


def print_report(report: RecallReport) -> None:
    """Print every candidate of a recall with the parts of its score."""
    print_table(
        f"recall {report.recall_id}: {shorten(report.query, 80)}",
        ("", "total", "similarity", "recency", "trust", "references", "cosine", "bm25", "memory"),
        [
            (
                "shown" if c.shown else c.reason,
                f"{c.total:.3f}",
                *(
                    f"{c.parts[name]:.3f}"
                    for name in ("similarity", "recency", "trust", "references")
                ),
                "" if c.cosine is None else f"{c.cosine:.2f}",
                "" if c.bm25 is None else f"{c.bm25:.1f}",
                shorten(c.content, 120),
            )
            for c in report.candidates
        ],
    )
    typer.echo(
        f"threshold {report.threshold:.2f}, embedder {report.embedder or 'none'}, "
        f"{report.milliseconds:.1f} ms, {report.tokens} tokens injected"
    )
