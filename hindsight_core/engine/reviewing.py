"""The review of what the guard holds back: listed, shown with its reasons, admitted or refused."""

from __future__ import annotations

from hindsight_core.alerts import Alert
from hindsight_core.engine.alerting import Alerts, reason_of
from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import DECISION, Deciding, covers, who
from hindsight_core.engine.verifying import as_stored
from hindsight_core.errors import NotFoundError
from hindsight_core.guard.learnt import Decided
from hindsight_core.guard.unmask import unmask
from hindsight_core.schema import Memory, Record, Scope, Status, Time

__all__ = ["PastDecision", "Review", "Reviewed"]


class PastDecision(Record):
    """What a person decided, about which memory, and when."""

    memory_id: str
    decision: str
    by: str
    at: Time
    why: str = ""


class Reviewed(Record):
    """A memory in quarantine and what a person needs to decide on it.

    `plain` is the text as it reads when every disguise is taken off, empty where it is the same;
    `alerts` are those that hold it back; `decisions` earlier ones about this memory.
    """

    memory: Memory
    reasons: tuple[str, ...]
    plain: str = ""
    alerts: tuple[Alert, ...] = ()
    decisions: tuple[PastDecision, ...] = ()


@checked
class Review:
    """The reviews of one open `Hindsight`.

    A scope covers itself and what is inside it: that of a user all of his agents and sessions, that
    of an agent only what this agent wrote.
    """

    def __init__(self, core: Core, alerts: Alerts) -> None:
        self._core = core
        self._alerts = alerts
        self._deciding = Deciding(core)

    def scopes(self, tenant: str | None = None) -> list[Scope]:
        """The scopes in which something waits: of one tenant, or of all."""
        return self._core.store.scopes_holding(Status.QUARANTINED, tenant=tenant)

    def vouch(self, *, by: str) -> int:
        """Take the audit entries that were written without the key for good; return how many.

        Those of an older version, or of a time without a key: `doctor` names them. Raises
        `ConfigurationError` without a key, or where the log was tampered with.
        """
        return self._core.store.vouch_audit(at=self._core.clock(), by=who(by))

    def waiting(self, scope: Scope, *, limit: int = 100) -> list[Memory]:
        """The memories of a scope that are in quarantine, newest first; their `reasons` say why."""
        return self._deciding.waiting(scope)[:limit]

    def show(self, scope: Scope, memory_id: str) -> Reviewed:
        """One memory in quarantine with its reasons; raises `NotFoundError`."""
        memory = as_stored(self._core, self._get(scope, memory_id))
        held_by = [a for a in self._alerts.of_scope(memory.scope) if reason_of(a) in memory.reasons]
        plain = unmask(memory.content).plain
        return Reviewed(
            memory=memory,
            reasons=memory.reasons,
            plain=plain if plain != memory.content else "",
            alerts=tuple(held_by),
            decisions=tuple(self.decisions(scope, memory_id)),
        )

    def admit(self, scope: Scope, memory_id: str, *, by: str, why: str = "") -> Memory:
        """Let a memory out of quarantine; `by` is who decides.

        It keeps the trust of its channel (`Hindsight.verify` raises that), and the same statement
        from the same channel is not held back again. Raises `NotFoundError` when it does not wait.
        """
        memory = self._get(scope, memory_id)
        return self._deciding.decide(memory, admit=True, by=by, why=why)

    def refuse(self, scope: Scope, memory_id: str, *, by: str, why: str = "") -> Memory:
        """Archive a memory in quarantine; `by` is who decides.

        Texts like it go to quarantine from now on. Raises `NotFoundError` when it does not wait.
        """
        memory = self._get(scope, memory_id)
        return self._deciding.decide(memory, admit=False, by=by, why=why)

    def decisions(self, scope: Scope, memory_id: str | None = None) -> list[PastDecision]:
        """What was decided in a scope, newest first; of one memory, or of all."""
        records = self._core.store.kept(DECISION, tenant=scope.tenant, user=scope.user)
        found: list[PastDecision] = []
        for record in records:
            if covers(scope, record.scope) and memory_id in (None, record.about):
                said = Decided.model_validate_json(record.body)
                found.append(
                    PastDecision(
                        memory_id=record.about,
                        decision=said.decision,
                        by=said.by,
                        at=record.at,
                        why=said.why,
                    )
                )
        return found

    def _get(self, scope: Scope, memory_id: str) -> Memory:
        found = self._deciding.find(scope, memory_id)
        if found is None:
            raise NotFoundError(
                f"{memory_id!r}: no memory of that id waits in quarantine in this scope. "
                "'hindsight-core review list' shows what does"
            )
        return found
