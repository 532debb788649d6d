"""Reads the ledger for people: each memory beside its account and its confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hindsight_core.ledger import Account, Posterior, read_accounts
from hindsight_core.ports import Store
from hindsight_core.schema import Memory, Scope

__all__ = ["MemoryAccount", "read_ledger"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryAccount:
    """A memory, what runs did with it, and the confidence that follows."""

    memory: Memory
    account: Account

    @property
    def confidence(self) -> Posterior:
        """The posterior that following the memory helps."""
        return Posterior(hits=self.memory.hits, misses=self.memory.misses)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        low, high = self.confidence.interval()
        return {
            **self.account.as_dict(),
            "kind": self.memory.kind.value,
            "status": self.memory.status.value,
            "content": self.memory.content,
            "decay": self.memory.decay,
            "confidence": {"mean": self.confidence.mean, "low": low, "high": high},
        }


def read_ledger(store: Store, scope: Scope) -> list[MemoryAccount]:
    """Return every memory of a scope that runs were shown, the most shown first."""
    accounts = read_accounts(store.count_uses(scope))
    known = store.get(scope, list(accounts))
    found = [MemoryAccount(memory=memory, account=accounts[memory.id]) for memory in known]
    return sorted(found, key=lambda one: (-one.account.shown, one.memory.id))
