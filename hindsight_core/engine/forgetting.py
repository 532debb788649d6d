"""Erasure: what is forgotten goes from every place that holds it or something made of it.

The store erases its own places. What spreads over scopes is followed here: copies that were shared
with others, what was derived from a memory, and who is named in grants.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import covers, who
from hindsight_core.engine.receiving import decline
from hindsight_core.engine.sharing import Sharing
from hindsight_core.errors import HindsightError
from hindsight_core.ports import AuditEntry, ErasureReceipt, Where
from hindsight_core.schema import Scope, Status

__all__ = ["forget"]

logger: Final = logging.getLogger("hindsight_core")
_PAGE: Final = 1_000
_INDEXED: Final = "indexed vectors"

"""The place of a receipt that a store with an index of vectors beside it has."""


def forget(
    core: Core, sharing: Sharing, scope: Scope, ids: Sequence[str] | None, by: str
) -> ErasureReceipt:
    """Erase some memories by id, or with `ids` None everything of the scope; see `Hindsight`.

    `by` stays in the audit log, which nobody can erase from: a channel or a role, or the name of
    who answers for it.
    """
    actor = who(by)
    receipt = _forget(core, sharing, scope, ids)
    for clear in core.caches:
        clear()
    backups = core.store.backups()
    if backups:
        receipt = _reach(core, receipt, ids, backups)
    detail = ", ".join(f"{name} {count}" for name, count in receipt.removed.items())
    subject = f"{len(ids)} ids" if ids is not None else "scope"
    core.store.audit(
        AuditEntry(at=receipt.at, actor=actor, action="forget", subject=subject, detail=detail)
    )
    return receipt


def _forget(
    core: Core, sharing: Sharing, scope: Scope, ids: Sequence[str] | None
) -> ErasureReceipt:
    if ids is None:
        return _everything(core, sharing, scope)
    return _some(core, sharing, scope, ids)


def _reach(
    core: Core, receipt: ErasureReceipt, ids: Sequence[str] | None, backups: Sequence[str]
) -> ErasureReceipt:
    """Erase the same in the copies that the store made of itself.

    A copy that cannot be opened or still holds something counts as remaining: it is logged, and
    has to be erased by hand.
    """
    done = left = 0
    for url in backups:
        copy = core.beside(url)
        try:
            found = _forget(copy, Sharing(copy), receipt.scope, ids)
            overwritten = copy.store.wipe(whole=True)
        except HindsightError:
            logger.warning("a backup could not be erased from: %s", url, exc_info=True)
            left += 1
        else:
            left += any(found.remaining.values()) or not overwritten
            done += 1
        finally:
            copy.close()
    return replace(
        receipt,
        removed=receipt.removed | {"backups": done},
        remaining=receipt.remaining | {"backups": left},
    )


def _some(core: Core, sharing: Sharing, scope: Scope, ids: Sequence[str]) -> ErasureReceipt:
    store, now = core.store, core.clock()
    found = store.get(scope, ids)
    own = [memory.id for memory in found]
    decline(core, found)
    derived = store.derived(scope, own)
    shared = _unshare(sharing, scope, {*own, *derived})
    beside: Any = store if hasattr(store, "unerased") else None
    indexed = beside.indexed([*own, *derived]) if beside else 0
    removed = {"memories": store.delete(scope, own, wipe=False)}
    remaining = {"memories": len(store.get(scope, own))}
    if derived:
        removed["derived"] = _delete_anywhere(core, scope, derived)
        remaining["derived"] = len(store.derived(scope, own))
    if shared:
        gone = {*own, *derived}
        removed["shared copies"] = shared
        remaining["shared copies"] = sum(
            grant.memory_id in gone for grant in sharing.grants(_user(scope))
        )
    if beside:
        remaining[_INDEXED] = beside.unerased()
        removed[_INDEXED] = max(0, indexed - remaining[_INDEXED])
    return ErasureReceipt(
        scope=scope,
        at=now,
        removed=removed,
        remaining=remaining,
        overwritten=not any(removed.values()) or store.wipe(),
    )


def _everything(core: Core, sharing: Sharing, scope: Scope) -> ErasureReceipt:
    store, now = core.store, core.clock()
    shared = sharing.withdraw(scope.tenant, sharing.grants(scope))
    derived = named = 0
    if scope.agent is None and scope.session is None:
        named = sharing.forget_receiver(scope)
    else:
        # What other scopes of the user made of this one's memories goes too.
        inside = [memory_id for place in _places(core, scope) for memory_id in _ids(core, place)]
        made = store.derived(scope, inside)
        shared += _unshare(sharing, scope, set(made))
        derived = _delete_anywhere(core, scope, made)
    receipt = store.erase(scope, at=now)
    removed = {"derived": derived, "shared copies": shared, "named in grants": named}
    remaining = {"shared copies": len(sharing.grants(scope))}
    return ErasureReceipt(
        scope=scope,
        at=now,
        removed=receipt.removed | removed,
        remaining=receipt.remaining | remaining,
        overwritten=receipt.overwritten,
    )


def _unshare(sharing: Sharing, scope: Scope, ids: set[str]) -> int:
    grants = [grant for grant in sharing.grants(_user(scope)) if grant.memory_id in ids]
    return sharing.withdraw(scope.tenant, grants)


def _delete_anywhere(core: Core, scope: Scope, ids: Sequence[str]) -> int:
    """Delete memories of a user in whatever scope of his they are."""
    if not ids:
        return 0
    return sum(core.store.delete(p, ids, wipe=False) for p in _places(core, _user(scope)))


def _places(core: Core, scope: Scope) -> Iterable[Scope]:
    """The scopes that hold a memory of any status, of `scope` and inside it."""
    found = {
        (place.agent, place.session): place
        for status in Status
        for place in core.store.scopes_holding(status, tenant=scope.tenant)
        if covers(scope, place)
    }
    return found.values()


def _ids(core: Core, place: Scope) -> Iterable[str]:
    where, start = Where(statuses=(), include_superseded=True), 0
    while page := core.store.select(place, where, limit=_PAGE, offset=start):
        start += len(page)
        yield from (memory.id for memory in page if memory.scope == place)


def _user(scope: Scope) -> Scope:
    return Scope(tenant=scope.tenant, user=scope.user)
