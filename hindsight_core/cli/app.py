"""Joins the commands into one program and turns errors of ours into one line and exit code 1."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from typing import Annotated, Final, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from hindsight_core import __version__
from hindsight_core.cli import (
    change,
    explaining,
    exporting,
    importing,
    inspect,
    maintaining,
    proposing,
    reflecting,
    reindexing,
    review,
    serving,
    share,
    tryout,
)
from hindsight_core.errors import HindsightError, NotFoundError

__all__ = ["COMMANDS_GROUP", "app", "main"]

COMMANDS_GROUP: Final = "hindsight_core.commands"
"""Entry points of this group add their commands: functions that take the program."""

_PROGRAM: Final = "hindsight-core"

app = typer.Typer(
    name=_PROGRAM,
    help="The memory of your agents: look at it, explain it, correct it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version"),
    ] = False,
) -> None:
    """The memory of your agents: look at it, explain it, correct it."""
    del version


inspect.register(app)
explaining.register(app)
change.register(app)
maintaining.register(app)
reflecting.register(app)
proposing.register(app)
exporting.register(app)
importing.register(app)
reindexing.register(app)
review.register(app)
serving.register(app)
share.register(app)
tryout.register(app)


def main() -> None:
    """Run the program; the console script's entry."""
    for command in entry_points(group=COMMANDS_GROUP):
        command.load()(app)
    try:
        app()
    except NotFoundError as error:
        way_out = "" if _PROGRAM in str(error) else f". '{_PROGRAM} list --all' shows the ids"
        _fail(f"{error}{way_out}; --user says whose memory is meant")
    except HindsightError as error:
        _fail(str(error))
    except OSError as error:  # a file that a person named, and that cannot be read or made
        if error.filename is None:
            raise
        _fail(f"{error.filename}: {error.strerror}")


def _fail(reason: str) -> NoReturn:
    Console(stderr=True).print(f"[bold red]error[/] {escape(reason)}", soft_wrap=True)
    sys.exit(1)
