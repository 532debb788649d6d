"""What the commands share: options, opening the memory, and printing."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hindsight_core import Hindsight, Scope
from hindsight_core.ports_reflection import ChatModel

__all__ = [
    "AsJson",
    "Store",
    "Tenant",
    "User",
    "opened",
    "print_json",
    "print_table",
    "scope_of",
]

Store: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store", envvar="HINDSIGHT_URL", help="Path or URL; default: the user's data folder"
    ),
]
User: TypeAlias = Annotated[
    str | None, typer.Option("--user", "-u", help="Whose memory; default: local")
]
Tenant: TypeAlias = Annotated[str, typer.Option("--tenant", help="The user's tenant")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON value instead")]


@contextmanager
def opened(store: str | None, *, chat: ChatModel | None = None) -> Generator[Hindsight]:
    """Open the memory for one command and close it afterwards."""
    hindsight = Hindsight.open(store, chat=chat)
    try:
        yield hindsight
    finally:
        hindsight.close()


def scope_of(hindsight: Hindsight, user: str | None, tenant: str) -> Scope:
    """The scope that the options name."""
    return hindsight.scope_of(user, tenant=tenant)


def print_json(value: Any) -> None:
    """Print one JSON value, in the text's own language."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; texts are escaped, so no memory can colour the terminal."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        # An id is there to be copied: it keeps its line, and the texts beside it are folded.
        table.add_column(column, overflow="fold", no_wrap=column == "id")
    for row in rows:
        table.add_row(*(escape(_printable(str(cell))) for cell in row))
    Console().print(table)


def _printable(text: str) -> str:
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )
