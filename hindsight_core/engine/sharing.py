"""Shares a lesson with other agents or users of a tenant: an explicit grant that can be revoked.

Scopes stay hard: what is shared is a copy without personal values, put into the scope of each who
receives it when he next recalls. The grant stands in the giver's scope, the text that was approved
in the receiver's. Revoking takes the receivers' records first and the copies after, so that none is
made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import covers, who
from hindsight_core.engine.impersonal import impersonal
from hindsight_core.engine.receiving import (
    EVERYONE,
    GRANT,
    RECEIVED,
    Received,
    copy_id,
    inbox_id,
    is_copy,
    person,
)
from hindsight_core.errors import ConfigurationError, NotFoundError
from hindsight_core.ports import AuditEntry
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Kind, Memory, Record, Scope, Status, Time

__all__ = ["EVERYONE", "Grant", "Sharing"]

_SHARED: Final = (Kind.LESSON, Kind.PATH)
_MOST_USERS: Final = 1_000


class Grant(Record):
    """That a memory is shared: with whom, by whom, since when.

    `agents` are the roles (`Scope.agent`) that may see it, empty for all of a receiver's agents.
    """

    id: str
    memory_id: str
    users: tuple[str, ...]
    agents: tuple[str, ...] = ()
    by: str
    at: Time


@checked
class Sharing:
    """The grants of one open `Hindsight`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def preview(
        self, scope: Scope, memory_id: str, *, situation: str = "", names: Iterable[str] = ()
    ) -> Memory:
        """What others would see of a memory: look at it before you grant it.

        `situation` says when it applies, in place of the user's own words; `names` are further
        texts to take out. Raises `NotFoundError`, and `ConfigurationError` for what is not shared:
        anything but an active lesson or path.
        """
        found = self._core.seal.intact(self._core.store.get(scope, [memory_id]), self._core.store)
        if not found:
            raise NotFoundError(f"{memory_id!r}: no memory of that id is visible in this scope")
        memory = found[0]
        if memory.kind not in _SHARED or memory.status is not Status.ACTIVE:
            raise ConfigurationError(
                f"sharing: {memory.id} is {memory.kind.value}, {memory.status.value}. Only active "
                "lessons and paths are shared: preferences and facts belong to their user"
            )
        if is_copy(memory):
            raise ConfigurationError("sharing: what was shared with you is not yours to share")
        return impersonal(memory, situation=situation, names=names)

    def grant(
        self,
        scope: Scope,
        memory_id: str,
        *,
        by: str,
        users: Sequence[str],
        agents: Sequence[str] = (),
        situation: str = "",
        names: Iterable[str] = (),
    ) -> Grant:
        """Share a lesson or path with users of the same tenant, or with some of their agents.

        `users` are their ids, or ("*",) for everyone; `agents` the roles that may see it. `by` is
        who answers for it. What they see is what `preview` returns; later changes of the memory are
        not shared. Raises as `preview` does.
        """
        name = who(by)
        if isinstance(users, str) or not users or len(users) > _MOST_USERS:
            raise ConfigurationError(f"sharing.users: a list of 1 to {_MOST_USERS} user ids")
        shared = self.preview(scope, memory_id, situation=situation, names=names)
        grant = Grant(
            id=self._core.ids(),
            memory_id=memory_id,
            users=tuple(dict.fromkeys(users)),
            agents=tuple(dict.fromkeys(agents)),
            by=name,
            at=self._core.clock(),
        )
        (owner,) = self._core.store.get(scope, [memory_id])
        received = Received(
            grant_id=grant.id,
            giver=person(owner.scope.user),
            agents=grant.agents,
            by=name,
            shared=shared.model_copy(update={"scope": Scope(tenant=scope.tenant, user=EVERYONE)}),
        )
        self._core.store.keep(
            [
                GuardRecord(
                    id=grant.id,
                    scope=owner.scope,
                    kind=GRANT,
                    at=grant.at,
                    about=memory_id,
                    body=grant.model_dump_json(),
                ),
                *(
                    GuardRecord(
                        id=inbox_id(grant.id, user),
                        scope=Scope(tenant=scope.tenant, user=user),
                        kind=RECEIVED,
                        at=grant.at,
                        body=received.model_dump_json(),
                    )
                    for user in grant.users
                ),
            ]
        )
        self._audit(name, "shared", grant.id, f"{len(grant.users)} receivers")
        return grant

    def grants(self, scope: Scope) -> list[Grant]:
        """What a scope shares with others, newest first."""
        records = self._core.store.kept(GRANT, tenant=scope.tenant, user=scope.user)
        return [Grant.model_validate_json(r.body) for r in records if covers(scope, r.scope)]

    def revoke(self, scope: Scope, grant_id: str, *, by: str) -> int:
        """Take a grant back, and every copy; returns how many copies there were.

        Raises `NotFoundError` when this scope has not given it.
        """
        name = who(by)
        found = next((grant for grant in self.grants(scope) if grant.id == grant_id), None)
        if found is None:
            raise NotFoundError(f"{grant_id!r}: no grant of that id was given in this scope")
        removed = self.withdraw(scope.tenant, [found])
        self._audit(name, "share revoked", grant_id, f"{removed} copies")
        return removed

    # What follows is for the engine.

    def withdraw(self, tenant: str, grants: Sequence[Grant]) -> int:
        """Take grants and their copies away; the space is overwritten by a later wipe."""
        store, removed = self._core.store, 0
        for grant in grants:
            ids = [inbox_id(grant.id, user) for user in grant.users]
            store.drop([*ids, grant.id], tenant=tenant)
            for place in self._places(tenant, grant):
                copy = copy_id(grant.id, place)
                made_of_it = store.derived(place, [copy])
                removed += store.delete(place, [copy, *made_of_it], wipe=False)
        if removed:
            store.wipe()
        return removed

    def forget_receiver(self, scope: Scope) -> int:
        """Take a user who is erased out of the grants of others; returns how many named him."""
        changed: list[GuardRecord] = []
        for record in self._core.store.kept(GRANT, tenant=scope.tenant, limit=100_000):
            grant = Grant.model_validate_json(record.body)
            if scope.user in grant.users and record.scope.user != scope.user:
                users = tuple(user for user in grant.users if user != scope.user)
                body = grant.model_copy(update={"users": users}).model_dump_json()
                changed.append(
                    GuardRecord(
                        id=record.id,
                        scope=record.scope,
                        kind=GRANT,
                        at=record.at,
                        about=record.about,
                        body=body,
                    )
                )
        if changed:
            self._core.store.keep(changed)
        return len(changed)

    def _places(self, tenant: str, grant: Grant) -> list[Scope]:
        if EVERYONE not in grant.users:
            roles = grant.agents or (None,)
            return [Scope(tenant=tenant, user=u, agent=a) for u in grant.users for a in roles]
        places = {
            (scope.user, scope.agent if grant.agents else None)
            for status in Status
            for scope in self._core.store.scopes_holding(status, tenant=tenant)
        }
        return [Scope(tenant=tenant, user=user, agent=agent) for user, agent in places]

    def _audit(self, actor: str, action: str, subject: str, detail: str) -> None:
        now = self._core.clock()
        self._core.store.audit(
            AuditEntry(at=now, actor=actor, action=action, subject=subject, detail=detail)
        )
