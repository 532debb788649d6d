"""Signs every record on its way into the store, and tells which were changed behind our back.

The one place where the key is held. A record that replaces a changed one is held back: whatever the
engine made of it rests on words that nobody here stored.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

from hindsight_core.errors import StoreError
from hindsight_core.guard import KEY_VARIABLE, load_key, sign, stamp, verify
from hindsight_core.ports import AuditEntry, Clock, PutResult, Store
from hindsight_core.schema import Memory, Status

__all__ = ["CHANGED", "Seal", "SealingStore", "carry_key", "hold"]

logger: Final = logging.getLogger("hindsight_core")
CHANGED: Final = "was changed outside of this memory"
"""The reason that a record carries which was held back for it."""


class Seal:
    """The key of one open `Hindsight`, read at its first use, and the changed records it met.

    The key is that of the environment, else of a file beside an embedded store. A store of many
    machines without a key in the environment is not signed, which is logged once.
    """

    def __init__(self, url: str, *, embedded: bool, clock: Clock) -> None:
        self._path = _key_path(url) if embedded else None
        self._on = embedded or bool(os.environ.get(KEY_VARIABLE))
        self._clock = clock
        self._lock = threading.Lock()
        self._key: bytes | None = None
        self.changed: set[str] = set()
        """Ids of the records that were found to be changed."""
        if not self._on:
            logger.warning(
                "records are not signed: this store serves many machines and %s is not set",
                KEY_VARIABLE,
            )

    @property
    def on(self) -> bool:
        """Whether records are signed at all."""
        return self._on

    def sign(self, memory: Memory) -> Memory:
        """The memory as it is to be stored."""
        return sign(memory, self._loaded()) if self._on else memory

    def is_intact(self, memory: Memory) -> bool:
        """Whether the memory is as it was stored."""
        return not self._on or verify(memory, self._loaded())

    def intact(self, memories: Iterable[Memory], store: Store) -> list[Memory]:
        """Those memories that are as they were stored; of the others it is told, once each."""
        kept: list[Memory] = []
        for memory in memories:
            if self.is_intact(memory):
                kept.append(memory)
            else:
                self._report(memory, store)
        return kept

    def stamp(self, line: str) -> str:
        """The signature of a line that leaves this memory; "" where nothing is signed."""
        return stamp(line, self._loaded()) if self._on else ""

    def key(self) -> bytes | None:
        """The key by which a line that comes back is known; None where nothing is signed."""
        return self._loaded() if self._on else None

    def accept(self, memory_id: str) -> None:
        """Speak no more of a changed record: somebody has looked at it."""
        with self._lock:
            self.changed.discard(memory_id)

    def _report(self, memory: Memory, store: Store) -> None:
        with self._lock:
            if memory.id in self.changed:
                return
            self.changed.add(memory.id)
        logger.warning(
            "memory %s %s: it is held back until a person has looked at it", memory.id, CHANGED
        )
        store.audit(
            AuditEntry(at=self._clock(), actor="guard", action="held back", subject=memory.id)
        )

    def _loaded(self) -> bytes:
        with self._lock:
            if self._key is None:
                self._key = load_key(self._path)
            return self._key


class SealingStore:
    """A store whose records are signed on their way in, and its audit log kept under the key."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal
        self._audit_is_keyed = False
        self.call_stats = store.call_stats  # asked before every tool call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def audit(self, entry: AuditEntry) -> None:
        self._keyed().audit(entry)

    def check(self) -> dict[str, Any]:
        return self._keyed().check()

    def vouch_audit(self, *, at: datetime, by: str) -> int:
        return self._keyed().vouch_audit(at=at, by=by)

    def put(self, memories: Sequence[Memory]) -> list[PutResult]:
        return self._store.put(self._sealed(memories))

    def settle(self, run_id: str, *, memories: Sequence[Memory], **more: Any) -> list[PutResult]:
        return self._store.settle(run_id, memories=self._sealed(memories), **more)

    def reflect(
        self, run_ids: Sequence[str], memories: Sequence[Memory], **more: Any
    ) -> Sequence[PutResult]:
        return self._store.reflect(run_ids, self._sealed(memories), **more)

    @classmethod
    def over(cls, store: Store, seal: Seal) -> Store:
        """The store with its records signed."""
        return cast("Store", cls(store, seal))

    def _sealed(self, memories: Sequence[Memory]) -> list[Memory]:
        if not self._seal.on:
            return list(memories)
        suspect = self._suspect(memories)
        return [self._seal.sign(hold(m) if m.id in suspect else m) for m in memories]

    def _keyed(self) -> Store:
        """The store with its audit log under the key; a store that never answers is not asked."""
        if not self._audit_is_keyed:
            self._store.key_audit(lambda: self._seal.key() or b"")
            self._audit_is_keyed = True
        return self._store

    def _suspect(self, memories: Sequence[Memory]) -> set[str]:
        """Ids of those memories that replace a record which was changed behind our back."""
        known = [memory for memory in memories if memory.revision > 0]
        found: set[str] = set()
        for scope, group in groupby(known, key=lambda memory: memory.scope):
            stored = self._store.get(scope, [memory.id for memory in group])
            intact = {memory.id for memory in self._seal.intact(stored, cast("Store", self))}
            found |= {memory.id for memory in stored} - intact
        return found


def hold(memory: Memory) -> Memory:
    """The memory in quarantine, since it was changed behind our back."""
    reasons = tuple(dict.fromkeys((*memory.reasons, CHANGED)))
    return memory.model_copy(update={"status": Status.QUARANTINED, "reasons": reasons})


def carry_key(source: str, target: str) -> Path | None:
    """Put the key of an embedded store beside a copy of it, and return where; None if none is so.

    Without it every record of the copy would read as changed. Raises `StoreError` where the copy
    has another key already.
    """
    old, new = _key_path(source), _key_path(target)
    if os.environ.get(KEY_VARIABLE) or old is None or new is None or not old.is_file():
        return None
    key = old.read_bytes()
    if new.is_file():
        if new.read_bytes().strip() != key.strip():
            raise StoreError(f"{new} is another key than {old}; take it away and copy once more")
        return new
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)
    return new


def _key_path(url: str) -> Path | None:
    """The file beside an embedded store that holds its key; None for a store in memory."""
    path = unquote(urlsplit(url).path)
    path = path if os.name != "nt" else path.lstrip("/")
    if not path.strip("/") or path.endswith(":memory:"):
        return None
    return Path(path).with_name(f"{Path(path).name}.key")
