"""Commands for the person who decides: review (list, show, admit, refuse, alerts, close), audit."""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_core import Hindsight, Memory, Scope
from hindsight_core.alerts import Alert
from hindsight_core.cli.common import (
    AsJson,
    By,
    Everyone,
    Limit,
    MemoryId,
    Store,
    Tenant,
    User,
    Why,
    opened,
    print_json,
    print_table,
    scope_of,
)
from hindsight_core.errors import ConfigurationError
from hindsight_core.text import shorten

__all__ = ["register"]

_review = typer.Typer(help="Look at what the guard holds back, and decide on it.")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    _review.command("list")(list_waiting)
    for command in (show, admit, refuse, alerts, close):
        _review.command()(command)
    app.add_typer(_review, name="review", no_args_is_help=True)
    app.command()(audit)


def list_waiting(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    everyone: Everyone = False,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """List what is in quarantine and why, newest first."""
    with opened(store) as hindsight:
        places = _places(hindsight, user, tenant, everyone=everyone)
        found: dict[str, Memory] = {}
        for place in places:
            found.update((m.id, m) for m in hindsight.review.waiting(place, limit=limit))
    waiting = sorted(found.values(), key=lambda memory: memory.created_at, reverse=True)[:limit]
    if as_json:
        print_json(waiting)
        return
    print_table(
        f"{len(waiting)} in quarantine",
        ("id", "user", "since", "source", "why", "what it says"),
        [
            (
                memory.id,
                memory.scope.user,
                f"{memory.created_at:%Y-%m-%d %H:%M}",
                memory.source.value,
                "; ".join(memory.reasons),
                shorten(memory.content, 200),
            )
            for memory in waiting
        ],
    )


def show(
    memory_id: MemoryId,
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Show one memory in quarantine with its reasons."""
    with opened(store) as hindsight:
        found = hindsight.review.show(scope_of(hindsight, user, tenant), memory_id)
    if as_json:
        print_json(found)
        return
    memory = found.memory
    rows = [
        ("says", memory.content),
        ("without disguise", found.plain),
        ("user", memory.scope.user),
        ("agent", memory.scope.agent or ""),
        ("source", memory.source.value),
        ("kind", memory.kind.value),
        ("since", f"{memory.created_at:%Y-%m-%d %H:%M:%S}"),
        *(("reason", reason) for reason in found.reasons),
        *(("alert", f"{alert.pattern.value} {alert.id}") for alert in found.alerts),
        *(("runs", evidence.run_id) for evidence in memory.evidence[:5]),
        *(("before", f"{d.decision} by {d.by}: {d.why}") for d in found.decisions),
    ]
    print_table(memory.id, ("field", "value"), [row for row in rows if row[1]])


def admit(
    memory_id: MemoryId,
    by: By,
    why: Why = "",
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Let a memory out of quarantine; the same statement is not held back again."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        _print_decided([hindsight.review.admit(scope, memory_id, by=by, why=why)], by, as_json)


def refuse(
    memory_id: MemoryId,
    by: By,
    why: Why = "",
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Archive a memory in quarantine; texts like it go to quarantine from now on."""
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        _print_decided([hindsight.review.refuse(scope, memory_id, by=by, why=why)], by, as_json)


def alerts(
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    everyone: Everyone = False,
    as_json: AsJson = False,
) -> None:
    """List the alerts that wait for a person: their scopes' writes go to quarantine."""
    with opened(store) as hindsight:
        if everyone:
            found = [alert for alert in hindsight.alerts.open() if alert.scope.tenant == tenant]
        else:
            found = hindsight.alerts.open(scope_of(hindsight, user, tenant))
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found)} open alerts",
        ("id", "user", "agent", "since", "what", "writes", "channel"),
        [_alert_row(alert) for alert in found],
    )


def close(
    alert_id: Annotated[str, typer.Argument(help="An alert's id")],
    by: By,
    admit_all: Annotated[bool, typer.Option("--admit-all", help="Admit all it held back")] = False,
    refuse_all: Annotated[
        bool, typer.Option("--refuse-all", help="Refuse all it held back")
    ] = False,
    why: Why = "",
    store: Store = None,
    user: User = None,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Close an alert; what it held back stays in quarantine unless all of it is decided on."""
    if admit_all and refuse_all:
        raise ConfigurationError("close: --admit-all or --refuse-all, not both")
    verdict = True if admit_all else False if refuse_all else None
    with opened(store) as hindsight:
        scope = scope_of(hindsight, user, tenant)
        changed = hindsight.alerts.close(scope, alert_id, by=by, admit=verdict, why=why)
    _print_decided(changed, by, as_json)


def audit(
    store: Store = None,
    limit: Limit = 50,
    vouch: Annotated[
        bool, typer.Option("--vouch", help="Take entries written without the key for good.")
    ] = False,
    by: Annotated[str, typer.Option(help="Who vouches, for the audit log.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show the newest entries of the audit log; 'doctor' tells whether it is whole."""
    if vouch and not by.strip():
        raise ConfigurationError("audit: --vouch needs --by, the name of who answers for it")
    with opened(store) as hindsight:
        if vouch:
            hindsight.review.vouch(by=by)
        entries = hindsight.store.audit_log(limit=limit)
    rows = [(f"{e.at:%Y-%m-%d %H:%M:%S}", e.actor, e.action, e.subject, e.detail) for e in entries]
    names = ("at", "who", "what", "subject", "detail")
    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    print_table(f"the newest {len(rows)} entries", names, rows)


def _places(hindsight: Hindsight, user: str | None, tenant: str, *, everyone: bool) -> list[Scope]:
    if not everyone:
        return [scope_of(hindsight, user, tenant)]
    return hindsight.review.scopes(tenant)


def _print_decided(memories: list[Memory], by: str, as_json: bool) -> None:
    if as_json:
        print_json(memories)
        return
    rows = [(m.id, m.status.value, shorten(m.content, 120)) for m in memories]
    print_table(f"decided by {by}", ("id", "now", "what it says"), rows)


def _alert_row(alert: Alert) -> tuple[object, ...]:
    return (
        alert.id,
        alert.scope.user,
        alert.scope.agent or "",
        f"{alert.at:%Y-%m-%d %H:%M}",
        alert.pattern.value,
        alert.count,
        alert.source,
    )
