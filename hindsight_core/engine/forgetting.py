"""Erasure: what is forgotten goes from every place that holds it or something made of it."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_core.engine.core import Core
from hindsight_core.ports import AuditEntry, ErasureReceipt
from hindsight_core.schema import Scope

__all__ = ["forget"]


def forget(core: Core, scope: Scope, ids: Sequence[str] | None) -> ErasureReceipt:
    """Erase some memories by id, or with `ids` None everything of the scope; see `Hindsight`."""
    store, now = core.store, core.clock()
    if ids is None:
        receipt = store.erase(scope, at=now)
    else:
        removed = store.delete(scope, ids, wipe=False)
        receipt = ErasureReceipt(
            scope=scope,
            at=now,
            removed={"memories": removed},
            remaining={"memories": len(store.get(scope, ids))},
            overwritten=not removed or store.wipe(),
        )
    detail = ", ".join(f"{name} {count}" for name, count in receipt.removed.items())
    subject = f"{len(ids)} ids" if ids is not None else "scope"
    store.audit(AuditEntry(at=now, actor="user", action="forget", subject=subject, detail=detail))
    return receipt
