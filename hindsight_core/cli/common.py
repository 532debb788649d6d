"""What the commands share: options, opening the memory, and printing."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hindsight_core import Hindsight, Scope
from hindsight_core.engine import carry_key
from hindsight_core.errors import ConfigurationError, EmbedderMismatchError
from hindsight_core.guard import KEY_VARIABLE
from hindsight_core.ports_reflection import ChatModel
from hindsight_core.stores import is_embedded, locate, path_of

__all__ = [
    "AsJson",
    "By",
    "Everyone",
    "Limit",
    "MemoryId",
    "Store",
    "Tenant",
    "User",
    "Why",
    "carry_key_along",
    "existing",
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
Limit: TypeAlias = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many at most")
]
By: TypeAlias = Annotated[
    str, typer.Option("--by", envvar="HINDSIGHT_REVIEWER", help="Who decides, and answers for it")
]
Why: TypeAlias = Annotated[str, typer.Option("--why", help="The reason, kept with the decision")]
Everyone: TypeAlias = Annotated[
    bool, typer.Option("--everyone", help="Of every user of the tenant, not of one")
]
MemoryId: TypeAlias = Annotated[str, typer.Argument(help="A memory's id")]


def existing(store: str | None) -> str:
    """Return the URL of a store; raises `ConfigurationError` where one is named that is not there.

    A name with a slip in it must not make an empty store that looks like a lost memory.
    """
    url = locate(store)
    path = path_of(url)
    named = store is not None or os.environ.get("HINDSIGHT_URL")
    if named and path is not None and not path.exists():
        raise ConfigurationError(f"{path}: there is no store. An agent makes it at its first run")
    return url


def carry_key_along(source: str, target: str) -> None:
    """Put the key that signs the records beside a copy of a store, and say where it has to be."""
    carried = carry_key(source, target)
    if carried is not None:
        typer.echo(f"the key that signs its records is beside it: {carried.name}", err=True)
    elif is_embedded(source) and not is_embedded(target) and not os.environ.get(KEY_VARIABLE):
        typer.echo(
            f"Its records are signed: set {KEY_VARIABLE} to what {path_of(source)}.key holds, on "
            "every machine, or each of them reads as changed",
            err=True,
        )


@contextmanager
def opened(
    store: str | None, *, chat: ChatModel | None = None, create: bool = False
) -> Generator[Hindsight]:
    """Open the memory for one command and close it afterwards; `create` makes it if need be.

    Where the store was indexed by another embedder than is installed here, the command goes by
    words: who looks after a store must be able to list, export and erase from any machine.
    """
    url = locate(store) if create else existing(store)
    try:
        hindsight = Hindsight.open(url, chat=chat)
    except EmbedderMismatchError as error:
        typer.echo(f"note: {error}. Until then this command goes by words alone", err=True)
        hindsight = Hindsight.open(url, chat=chat, embedder=None)
    try:
        yield hindsight
    finally:
        hindsight.close()


def scope_of(hindsight: Hindsight, user: str | None, tenant: str) -> Scope:
    """The scope that the options name."""
    return hindsight.scope_of(user, tenant=tenant)


def print_json(value: Any) -> None:
    """Print one JSON value, in the text's own language; records in it stand as their fields."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


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
