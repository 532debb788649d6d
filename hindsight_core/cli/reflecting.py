"""Commands about what is thought about later: reflect (run a batch, the queue, the cards)."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_core import Hindsight
from hindsight_core.cli.common import (
    AsJson,
    Limit,
    Store,
    Tenant,
    User,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.engine import ReflectionReport, ReflectionState
from hindsight_core.models import OpenAIChat
from hindsight_core.ports import Where
from hindsight_core.schema import Kind, Memory
from hindsight_core.text import shorten

__all__ = ["print_queue", "register"]

reflecting = typer.Typer(help="What a chat model makes of finished runs.", no_args_is_help=True)

Model = Annotated[
    str, typer.Option("--model", envvar="HINDSIGHT_CHAT_MODEL", help="Name of the chat model")
]
Url = Annotated[
    str | None,
    typer.Option(
        "--base-url", envvar="HINDSIGHT_CHAT_URL", help="OpenAI-compatible endpoint, ending in /v1"
    ),
]
_NOTE = "reflection, confidence "


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(reflecting, name="reflect")
    app.command()(summarize)


@reflecting.command("run")
def run(model: Model, base_url: Url = None, store: Store = None, as_json: AsJson = False) -> None:
    """Reflect on the runs that wait, now; the endpoint's key is OPENAI_API_KEY."""
    with opened(store, chat=OpenAIChat(model, base_url=base_url)) as hindsight:
        report = hindsight.reflection.run()
        waiting = hindsight.reflection.state().waiting
    if report is None:
        typer.echo("another process is reflecting on this store; nothing was done here")
        return
    if as_json:
        print_json(report.as_dict() | {"waiting": waiting})
    else:
        _print_report(report, waiting)
    if report.stopped:
        raise typer.Exit(1)


@reflecting.command()
def queue(store: Store = None, as_json: AsJson = False) -> None:
    """Show how many runs wait, and what was set aside for chat models in the last hour."""
    with opened(store) as hindsight:
        state = hindsight.reflection.state()
    if as_json:
        print_json(state.as_dict())
        return
    print_queue(state)


@reflecting.command()
def cards(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the lessons to which a chat model's cards added, with domain and conflicts."""
    with opened(store) as hindsight:
        found = _cards(hindsight, user, tenant)[:limit]
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} lessons with cards",
        ("id", "domain", "card's confidence", "runs", "correction", "conflicts", "what it says"),
        [_row(memory) for memory in found],
    )


def summarize(
    session: Annotated[str, typer.Argument(help="The session, as the agent's framework named it")],
    model: Annotated[
        str, typer.Option("--model", envvar="HINDSIGHT_CHAT_MODEL", help="Chat model; none: rules")
    ] = "",
    base_url: Url = None,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Make one record of a session: what was wanted, of what, what came of it."""
    chat = OpenAIChat(model, base_url=base_url) if model else None
    with opened(store, chat=chat) as hindsight:
        memory = hindsight.summarize(scope_of(hindsight, user, tenant), session)
    if as_json:
        print_json(memory)
        return
    rows = [
        ("id", memory.id),
        ("status", memory.status.value),
        ("intent", memory.value.intent),
        ("resolution", memory.value.resolution),
        ("entities", ", ".join(memory.key.entities)),
    ]
    print_table(memory.content, ("field", "value"), rows)


def print_queue(state: ReflectionState) -> None:
    """Print the queue of reflection in one line."""
    typer.echo(
        f"reflection: {state.waiting} runs wait; in the last hour {state.spent.calls} requests and "
        f"{state.spent.tokens} tokens were set aside"
    )


def _print_report(report: ReflectionReport, waiting: int) -> None:
    typer.echo(
        f"{report.runs} runs reflected on by {report.calls} requests: "
        f"{len(report.lessons)} lessons ({report.held} held back), "
        f"{report.refused.total()} cards refused, "
        f"{report.dropped} answers dropped; {waiting} runs wait"
    )
    if report.refused:
        print_table("cards refused", ("why", "cards"), report.refused.most_common())
    if report.stopped:
        typer.secho(f"stopped: {report.stopped}", fg="yellow", err=True)


def _cards(hindsight: Hindsight, user: str | None, tenant: str) -> list[Memory]:
    scope = scope_of(hindsight, user, tenant)
    lessons = hindsight.memories(scope, Where(kinds=(Kind.LESSON,)), limit=10_000)
    return [m for m in lessons if any(e.note.startswith(_NOTE) for e in m.evidence)]


def _row(memory: Memory) -> tuple[object, ...]:
    notes = [e.note.removeprefix(_NOTE) for e in memory.evidence if e.note.startswith(_NOTE)]
    lesson = memory.lesson
    correction = lesson.correction if lesson else None
    return (
        memory.id,
        lesson.domain if lesson else "",
        notes[-1],
        len({e.run_id for e in memory.evidence}),
        "" if correction is None else ("proven" if correction.proven else "unproven"),
        ", ".join(memory.conflicts_with),
        shorten(memory.content, 200),
    )
