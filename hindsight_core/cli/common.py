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

_ID = "id"
_WIDE = 120
"""Columns from which on a terminal has room for an id beside a text."""

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
    """Print a table; texts are escaped, so no memory can colour the terminal.

    An id is there to be copied, so it keeps its line: in a narrow terminal it stands above the text
    of the last column instead of beside it.
    """
    console = Console()
    cells = [[escape(_printable(str(cell))) for cell in row] for row in rows]
    names = list(columns)
    if _ID in names[:-1] and console.width < _WIDE:
        at = names.index(_ID)
        names.pop(at)
        names[-1] = f"{_ID}, {names[-1]}"
        for row in cells:
            row[-1] = f"{row.pop(at)}\n{row[-1]}"
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold", no_wrap=name == _ID)
    for row in cells:
        table.add_row(*row)
    console.print(table)


def _printable(text: str) -> str:
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )
