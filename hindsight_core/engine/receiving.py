"""Receives what others share: copies that are made in the receiver's own scope, when he recalls."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Evidence, Memory, Record, Scope, Source

__all__ = [
    "EVERYONE",
    "GRANT",
    "RECEIVED",
    "Received",
    "copy_id",
    "decline",
    "inbox_id",
    "is_copy",
    "person",
    "receive",
]

EVERYONE: Final = "*"
"""As the name of a user in a grant: every user of the tenant, those to come too."""
GRANT: Final = "grant"
RECEIVED: Final = "received"
DECLINED: Final = "declined"


class Received(Record):
    """What a receiver's scope holds of a grant: the text as it was approved, and for which roles.

    `giver` is a digest, so that nobody receives what is his own, and no name of the giver is kept.
    """

    grant_id: str
    giver: str
    agents: tuple[str, ...]
    by: str
    shared: Memory


def receive(core: Core, scope: Scope) -> list[Memory]:
    """Put the copies into a scope that it may see and lacks; returns those that are new."""
    store = core.store
    wanted = {memory.id: memory for memory in _due(core, scope)}
    known = {memory.id for memory in store.get(scope, list(wanted))} if wanted else set[str]()
    new = [memory for memory in wanted.values() if memory.id not in known]
    if not new:
        return []
    store.put(new)
    # Revoked meanwhile: then nobody else takes these copies away.
    still = {memory.id for memory in _due(core, scope)}
    for memory in new:
        if memory.id not in still:
            store.delete(memory.scope, [memory.id])
    return [memory for memory in new if memory.id in still]


def decline(core: Core, memories: Iterable[Memory]) -> None:
    """Make sure that copies which their receiver forgets are not made again for him."""
    now = core.clock()
    core.store.keep(
        [
            GuardRecord(id=_declined_id(m.id), scope=m.scope, kind=DECLINED, at=now)
            for m in memories
            if is_copy(m)
        ]
    )


def is_copy(memory: Memory) -> bool:
    """Whether a memory was shared with its user by somebody else."""
    return any(evidence.run_id.startswith(f"{GRANT}:") for evidence in memory.evidence)


def _due(core: Core, scope: Scope) -> list[Memory]:
    """The copies that a scope may see, as they are to be stored."""
    store, due = core.store, list[Memory]()
    own = store.kept(RECEIVED, DECLINED, tenant=scope.tenant, user=scope.user)
    declined = {record.id for record in own if record.kind == DECLINED}
    records = [
        *(record for record in own if record.kind == RECEIVED),
        *store.kept(RECEIVED, tenant=scope.tenant, user=EVERYONE),
    ]
    for record in records:
        received = Received.model_validate_json(record.body)
        if received.agents and scope.agent not in received.agents:
            continue
        if not received.agents and received.giver == person(scope.user):
            continue
        agent = scope.agent if received.agents else None
        place = Scope(tenant=scope.tenant, user=scope.user, agent=agent)
        if _declined_id(copy_id(received.grant_id, place)) not in declined:
            due.append(_copy(received, place, record))
    return due


def _copy(received: Received, place: Scope, record: GuardRecord) -> Memory:
    shared = received.shared
    name = f"{GRANT}:{received.grant_id}"
    return shared.model_copy(
        update={
            "id": copy_id(received.grant_id, place),
            "scope": place,
            "source": shared.source if shared.source is Source.TOOL else Source.AGENT,
            "trust": min(shared.trust, Source.AGENT.trust),
            "lineage": (shared.id,),
            "evidence": (Evidence(run_id=name, at=record.at, note=f"shared by {received.by}"),),
            "reasons": (f"shared by {received.by}",),
            "dedupe_key": name,
            "revision": 0,
            "references": 0,
            "last_referenced_at": None,
            "verified_runs": 0,
            "hits": 0,
            "misses": 0,
            "conflicts_with": (),
            "supersedes": (),
            "superseded_by": None,
            "refines": (),
            "created_at": record.at,
            "updated_at": record.at,
        }
    )


def inbox_id(grant_id: str, user: str) -> str:
    """The id of the record by which a user receives what a grant shares."""
    return f"{grant_id}.{_digest(user)}"


def copy_id(grant_id: str, place: Scope) -> str:
    """The id of the copy in a scope."""
    return f"{grant_id}.{_digest(place.user, place.agent or '')}"


def _declined_id(name: str) -> str:
    return f"{name}.{DECLINED}"


def person(user: str) -> str:
    """A user without his name."""
    return _digest(user)


def _digest(*names: str) -> str:
    return blake2b("\0".join(names).encode(), digest_size=8).hexdigest()
