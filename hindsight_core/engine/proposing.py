"""`Hindsight.proposals`: what idle maintenance proposes, for a person to accept or refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import covers, who
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.items import ITEMS
from hindsight_core.engine.summarizing import SUMMARY_SUBJECT
from hindsight_core.errors import ConfigurationError, InvalidMemoryError, NotFoundError
from hindsight_core.events import RunStarted, UserSaid
from hindsight_core.maintenance import (
    Ask,
    Proposal,
    ProposalKind,
    ProposalStatus,
    find_contradictions,
    find_patterns,
    find_stale,
)
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.recall import strip_blocks
from hindsight_core.schema import (
    Candidate,
    Kind,
    Memory,
    MemoryValue,
    Scope,
    Source,
    Status,
    check_text,
)
from hindsight_core.settings import Policy

__all__ = ["Proposals"]

_RECORD: Final = "proposal"
_MOST: Final = 10_000
_EVERY: Final = 1 << 31
_MOST_RUNS: Final = 2_000
_STATEMENTS: Final = Where(kinds=(Kind.FACT, Kind.PREFERENCE))
_POLICY: Final = Policy()
_MAX_WHY: Final = 2_000


class Proposals:
    """The proposals of one open `Hindsight`: nothing of a memory changes until one is accepted."""

    def __init__(self, core: Core, intake: Intake, encoder: Encoder) -> None:
        self._core = core
        self._intake = intake
        self._encoder = encoder

    def find(self) -> list[Proposal]:
        """Look over the whole store and keep what is new; what was decided stays decided."""
        store, now = self._core.store, self._core.clock()
        found: dict[str, Proposal] = {}
        for scope in store.scopes_holding(Status.ACTIVE):
            if scope.agent == ITEMS:
                continue
            memories = store.select(scope, _STATEMENTS, limit=_MOST)
            own = [memory for memory in memories if memory.scope == scope]
            for memory in own:
                policy = self._core.settings.policies.get(memory.kind, _POLICY)
                found.update((one.id, one) for one in find_stale([memory], now, policy))
            found.update((one.id, one) for one in find_contradictions(own, now))
        for scope, asks in self._asks().items():
            found.update((one.id, one) for one in find_patterns(scope, asks, now))
        # Every one of them: what was refused must not come back because there are many.
        known = {record.id for record in store.kept(_RECORD, tenant=None, limit=_EVERY)}
        fresh = [one for one in found.values() if one.id not in known]
        store.keep([_record(one) for one in fresh])
        return fresh

    def open(self, scope: Scope, *, limit: int = 100) -> list[Proposal]:
        """The proposals of a scope and of what is inside it that still make sense, newest first."""
        return [one for one in self._all(scope) if self._makes_sense(one)][:limit]

    def scopes(self, tenant: str | None = None) -> list[Scope]:
        """The scopes in which a proposal is open: of one tenant, or of all."""
        records = self._core.store.kept(_RECORD, tenant=tenant, limit=_EVERY)
        read = (Proposal.model_validate_json(record.body) for record in records)
        waiting = [one.scope for one in read if self._makes_sense(one)]
        return list(dict.fromkeys(waiting))

    def decided(self, scope: Scope) -> list[Proposal]:
        """The proposals of a scope that somebody accepted or refused, newest first."""
        return [one for one in self._all(scope) if one.status is not ProposalStatus.OPEN]

    def accept(
        self, scope: Scope, proposal_id: str, *, by: str, why: str = "", keep: str | None = None
    ) -> Memory:
        """Do what is proposed and return the memory that changed; `by` is who decides.

        Of a contradiction the other one is archived (`keep` names the one to keep, by default the
        first), what is stale is archived, a pattern is noted as a fact. An archived memory comes
        back by `Hindsight.restore`. Raises `NotFoundError`, `ConfigurationError`, and
        `InvalidMemoryError` when the guard refuses a pattern.
        """
        name, reason = who(by), _reason(why)
        one = self._get(scope, proposal_id)
        if keep is not None and (
            one.kind is not ProposalKind.CONTRADICTION or keep not in one.memory_ids
        ):
            raise ConfigurationError(f"keep: {keep!r} is not one of the two that contradict")
        match one.kind:
            case ProposalKind.PATTERN:
                changed = self._note(one)
            case ProposalKind.STALE:
                changed = self._archive(one, one.memory_ids[0], f"forgotten by {name}")
            case ProposalKind.CONTRADICTION:
                kept = keep or one.memory_ids[0]
                dropped = next(one_id for one_id in one.memory_ids if one_id != kept)
                changed = self._archive(one, dropped, f"{kept} kept by {name}")
        self._decide(one, ProposalStatus.ACCEPTED, name, reason)
        return changed

    def refuse(self, scope: Scope, proposal_id: str, *, by: str, why: str = "") -> Proposal:
        """Leave everything as it is; the same is not proposed again. Raises `NotFoundError`."""
        name, reason = who(by), _reason(why)
        return self._decide(self._get(scope, proposal_id), ProposalStatus.REFUSED, name, reason)

    def _all(self, scope: Scope) -> Iterator[Proposal]:
        records = self._core.store.kept(_RECORD, tenant=scope.tenant, user=scope.user, limit=_EVERY)
        for record in records:
            if covers(scope, record.scope):
                yield Proposal.model_validate_json(record.body)

    def _get(self, scope: Scope, proposal_id: str) -> Proposal:
        for one in self._all(scope):
            if one.id == proposal_id and self._makes_sense(one):
                return one
        raise NotFoundError(
            f"{proposal_id!r}: no open proposal of that id in this scope. "
            "'hindsight-core proposals list' shows those that are open"
        )

    def _makes_sense(self, one: Proposal) -> bool:
        """Whether it is open, and its memories still stand as they did."""
        if one.status is not ProposalStatus.OPEN:
            return False
        found = self._core.store.get(one.scope, one.memory_ids) if one.memory_ids else []
        stand = [m for m in found if m.status is Status.ACTIVE and m.superseded_by is None]
        if one.kind is ProposalKind.CONTRADICTION:
            return len(stand) == 2 and stand[1].id in stand[0].conflicts_with
        if one.kind is ProposalKind.STALE:
            policy = self._core.settings.policies.get(stand[0].kind, _POLICY) if stand else _POLICY
            return any(s.id == one.id for s in find_stale(stand, self._core.clock(), policy))
        return True

    def _archive(self, one: Proposal, memory_id: str, reason: str) -> Memory:
        (memory,) = self._core.store.get(one.scope, [memory_id])
        changed = memory.model_copy(
            update={
                "status": Status.ARCHIVED,
                "reasons": (*memory.reasons, reason),
                "updated_at": self._core.clock(),
                "revision": memory.revision + 1,
            }
        )
        self._core.store.put([changed])
        self._core.generation += 1
        return changed

    def _note(self, one: Proposal) -> Memory:
        """A pattern as a fact of the agent's channel: it was counted, not said."""
        candidate = Candidate(
            scope=one.scope,
            kind=Kind.FACT,
            source=Source.AGENT,
            value=MemoryValue(content=one.text),
            evidence=one.evidence,
            dedupe_key=f"pattern:{one.id}",
        )
        memory = self._intake.admit(candidate, actor="proposals")
        if memory is None:
            raise InvalidMemoryError(
                "proposal", "was refused by the guard", "'hindsight-core audit' tells why"
            )
        # Who accepted it has read it, which is what quarantine waits for.
        memory = memory.model_copy(update={"status": Status.ACTIVE, "reasons": ()})
        self._core.store.put([memory])
        self._encoder.wake([memory])
        return memory

    def _decide(self, one: Proposal, status: ProposalStatus, by: str, why: str) -> Proposal:
        # The text is not kept longer than it is needed: what is forgotten is forgotten here, too.
        evidence = tuple(e.model_copy(update={"note": ""}) for e in one.evidence)
        decided = one.model_copy(
            update={"status": status, "by": by, "why": why, "text": "", "evidence": evidence}
        )
        self._core.store.keep([_record(decided)])
        self._core.store.audit(
            AuditEntry(
                at=self._core.clock(), actor=by, action=f"proposal: {status}", subject=one.id
            )
        )
        return decided

    def _asks(self) -> dict[Scope, list[Ask]]:
        """What was asked first in each session that is kept, and in those that were summed up."""
        store = self._core.store
        found: dict[Scope, dict[str, Ask]] = {}
        for run in store.runs(pending_only=False, limit=_MOST_RUNS):
            events = store.events(run.run_id)
            start = next((e for e in events if isinstance(e, RunStarted)), None)
            said = next((e.text for e in events if isinstance(e, UserSaid) and not e.nested), "")
            nested = start is not None and start.nested
            text = strip_blocks(said or (start.task if start and not nested else "")).strip()
            if not text:
                continue
            session = (start.session if start else None) or run.run_id
            home = run.scope.model_copy(update={"session": None})
            ask = Ask(text=text, session=session, run_id=run.run_id, at=run.first_at)
            found.setdefault(home, {}).setdefault(session, ask)
        for scope in store.scopes_holding(Status.ACTIVE):
            where = Where(kinds=(Kind.FACT,), subject=SUMMARY_SUBJECT)
            for memory in store.select(scope, where, limit=_MOST):
                runs = {e.run_id for e in memory.evidence}
                asks = found.setdefault(scope, {})
                if memory.scope != scope or runs & {ask.run_id for ask in asks.values()}:
                    continue  # its session is still there
                run_id = memory.evidence[0].run_id if memory.evidence else memory.id
                at = memory.key.time or memory.created_at
                ask = Ask(text=memory.value.intent, session=memory.id, run_id=run_id, at=at)
                asks[memory.id] = ask
        return {scope: list(asks.values()) for scope, asks in found.items()}


def _record(one: Proposal) -> GuardRecord:
    return GuardRecord(
        id=one.id, scope=one.scope, kind=_RECORD, at=one.at, body=one.model_dump_json()
    )


def _reason(why: str) -> str:
    return check_text("why", why, limit=_MAX_WHY) if why.strip() else ""
