"""The command that explains a recall, a run or a memory: explain."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hindsight_core.cli.common import (
    AsJson,
    Store,
    Tenant,
    User,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.cli.printing import fields_of, print_report
from hindsight_core.engine import Explanation
from hindsight_core.text import shorten

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(explain)


def explain(
    wanted: Annotated[str, typer.Argument(metavar="ID", help="Id of a recall, a run or a memory")],
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Explain why a recall or a run showed what it showed, or where a memory came from."""
    with opened(store) as hindsight:
        found = hindsight.explain(scope_of(hindsight, user, tenant), wanted)
    if as_json:
        print_json(found)
        return
    if found.memory:
        print_table(found.memory.content, ("field", "value"), fields_of(found.memory))
    for report in found.recalls:
        print_report(report)
        typer.echo(report.injected or "(nothing was injected)")
    _print_account(found)
    if found.events:
        print_table(
            f"run {wanted}",
            ("at", "event", "what"),
            [
                (f"{event.at:%Y-%m-%d %H:%M:%S}", event.type, shorten(_what(event), 160))
                for event in found.events
            ],
        )


def _print_account(found: Explanation) -> None:
    if found.shown:
        print_table(
            "what the run was shown",
            ("by", "obeyed", "repeats", "memory"),
            [
                (
                    "withheld" if one.withheld else ", ".join(one.by),
                    "no occasion" if one.obeyed is None else "yes" if one.obeyed else "no",
                    one.repeats,
                    f"{one.memory_id} {shorten(one.content, 120)}",
                )
                for one in found.shown
            ],
        )
    if found.decisions:
        print_table(
            "where that had a say",
            ("call", "gate", "outcome", "changed", "memories"),
            [
                (
                    shorten(f"{one.call.tool}({one.call.args})", 100),
                    one.gate or "-",
                    one.outcome,
                    "yes" if one.changed else "no",
                    ", ".join(one.memory_ids),
                )
                for one in found.decisions
            ],
        )


def _what(event: Any) -> str:
    call = getattr(event, "call", None)
    if call is not None:
        return f"{call.tool}({call.args}) {getattr(event, 'result', '')}"
    return str(getattr(event, "text", "") or getattr(event, "task", "") or getattr(event, "ok", ""))
