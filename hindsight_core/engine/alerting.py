"""Alerts: raised once, told in the log, to the caller's own function and by health, and closed.

An alert is kept in the store, so every process holds the scope's writes back until a person closes
it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from hindsight_core.alerts import Alert
from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import Deciding, who
from hindsight_core.errors import NotFoundError
from hindsight_core.ports import AuditEntry
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Memory, Scope

__all__ = ["ALERT", "Alerts", "reason_of"]

logger: Final = logging.getLogger("hindsight_core")
ALERT: Final = "alert"
_MOST_SLACK: Final = 8

ScopeKey = tuple[str, str, str | None]


def reason_of(alert: Alert) -> str:
    """What stands among the reasons of a memory that an alert holds back."""
    return f"anomaly: {alert.pattern.value} (alert {alert.id})"


@checked
class Alerts:
    """The alerts of one open `Hindsight`; thread-safe."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._deciding = Deciding(core)
        self._lock = threading.Lock()
        self._expected: dict[ScopeKey, int] = {}

    def open(self, scope: Scope | None = None) -> list[Alert]:
        """The alerts that wait for a person, newest first: of a user, or (None) of everybody."""
        return [alert for alert in self._all(scope) if alert.is_open]

    def closed(self, scope: Scope) -> list[Alert]:
        """The alerts of a user that a person has closed, newest first."""
        return [alert for alert in self._all(scope) if not alert.is_open]

    def close(
        self, scope: Scope, alert_id: str, *, by: str, admit: bool | None = None, why: str = ""
    ) -> list[Memory]:
        """Close an alert, and decide on everything that it held back.

        With `admit` True all of it is admitted, and the scope is given twice as much room before
        the same pattern raises an alert again; with False all of it is refused; with None it stays
        in quarantine to be reviewed one by one. `by` is who decides. Returns the memories that
        changed. Raises `NotFoundError` when no such alert is open for this user.
        """
        name = who(by)
        alert = next((one for one in self.open(scope) if one.id == alert_id), None)
        if alert is None:
            raise NotFoundError(f"{alert_id!r}: no open alert of that id in this scope")
        closed = alert.model_copy(
            update={"closed_at": self._core.clock(), "closed_by": name, "admitted": admit}
        )
        self._keep(closed)
        self._log(closed, actor=name, action="alert closed")
        if admit is None:
            return []
        held = [
            memory
            for memory in self._deciding.waiting(alert.scope)
            if reason_of(alert) in memory.reasons
        ]
        return [self._deciding.decide(memory, admit=admit, by=name, why=why) for memory in held]

    @contextmanager
    def expecting(self, scope: Scope, *, by: str) -> Generator[None]:
        """Let this process write as much as it likes into a scope meanwhile: for an import.

        `by` is who answers for it; the audit log tells when it began and ended. What the content
        rules find is held back all the same.
        """
        name, key = who(by), _key(scope)
        self._audit(actor=name, action="many writes expected", subject="scope")
        with self._lock:
            self._expected[key] = self._expected.get(key, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._expected[key] -= 1
                if not self._expected[key]:
                    del self._expected[key]
            self._audit(actor=name, action="many writes done", subject="scope")

    # What follows is for the engine.

    def is_expecting(self, scope: Scope) -> bool:
        """Whether many writes were announced for this scope, or for one that holds it."""
        if not self._expected:
            return False
        tenant, user, agent = _key(scope)
        return (tenant, user, agent) in self._expected or (tenant, user, None) in self._expected

    def of_scope(self, scope: Scope, records: Sequence[GuardRecord] | None = None) -> list[Alert]:
        """All alerts of a user's agent, newest first; from `records` if they are read."""
        if records is None:
            records = self._core.store.kept(ALERT, tenant=scope.tenant, user=scope.user)
        return [
            Alert.model_validate_json(record.body)
            for record in records
            if record.kind == ALERT and _key(record.scope) == _key(scope)
        ]

    def slack(self, alerts: list[Alert], alert: Alert) -> int:
        """How many times as much room persons gave by admitting what such alerts had held back."""
        same = (alert.pattern, alert.source)
        false = [a for a in alerts if a.admitted and (a.pattern, a.source) == same]
        return min(_MOST_SLACK, 2 ** len(false))

    def raise_alert(self, alert: Alert) -> None:
        """Keep an alert and tell of it."""
        self._keep(alert)
        self._log(alert, actor="guard", action="alert raised")
        logger.warning(
            "%s: %d writes of the channel %s in one scope; its writes go to quarantine until "
            "'hindsight-core review close %s' (see 'hindsight-core review alerts')",
            alert.pattern.value,
            alert.count,
            alert.source,
            alert.id,
        )
        tell = self._core.settings.on_alert
        if tell is not None:
            with self._core.failsafe.guard("on_alert"):
                tell(alert)

    def _all(self, scope: Scope | None) -> list[Alert]:
        tenant, user = (None, None) if scope is None else (scope.tenant, scope.user)
        records = self._core.store.kept(ALERT, tenant=tenant, user=user)
        found = [Alert.model_validate_json(record.body) for record in records]
        if scope is None or scope.agent is None:
            return found
        return [alert for alert in found if alert.scope.agent == scope.agent]

    def _keep(self, alert: Alert) -> None:
        body = alert.model_dump_json()
        record = GuardRecord(id=alert.id, scope=alert.scope, kind=ALERT, at=alert.at, body=body)
        self._core.store.keep([record])

    def _log(self, alert: Alert, *, actor: str, action: str) -> None:
        detail = f"{alert.pattern.value}, {alert.count} writes, channel {alert.source}"
        self._audit(actor=actor, action=action, subject=alert.id, detail=detail)

    def _audit(self, *, actor: str, action: str, subject: str, detail: str = "") -> None:
        now = self._core.clock()
        self._core.store.audit(
            AuditEntry(at=now, actor=actor, action=action, subject=subject, detail=detail)
        )


def _key(scope: Scope) -> ScopeKey:
    return (scope.tenant, scope.user, scope.agent)
