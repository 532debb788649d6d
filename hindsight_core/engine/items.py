"""Application data by namespace and key: kept as it was given, found by meaning, shown to no model.

What a program stores for itself lives beside what agents learn, in the same store and under the
same scopes, but in a part of its own: no recall of a run sees it, and no guard rewrites it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.engine.checked import checked
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.errors import InvalidMemoryError, StaleError
from hindsight_core.port_types import Where
from hindsight_core.schema import Kind, Memory, MemoryKey, MemoryValue, Scope, Source, Status

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["ITEMS", "Item", "Items"]

ITEMS: Final = "hindsight.items"
"""The agent under whose name items are kept, so that no run sees them."""
_PAGE: Final = 500
_PATIENCE: Final = 30.0
"""Seconds that a search by meaning waits for what was just put to be encoded."""
_LONGEST: Final = 10 * 365 * 24 * 60
_SILENT: Final = "unindexed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One item; `score` is a cosine where a search by meaning found it.

    `minutes` is how long it lives after its last use, None for ever.
    """

    namespace: tuple[str, ...]
    key: str
    value: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    minutes: float | None = None
    score: float | None = None


@checked
class Items:
    """The items of one user; made by `Hindsight.items`, thread-safe."""

    def __init__(
        self,
        core: Core,
        encoder: Encoder,
        scope: Scope,
        vector: Callable[[str], Matrix | None],
    ) -> None:
        self._core = core
        self._encoder = encoder
        self._vector = vector
        self._scope = scope.model_copy(update={"agent": ITEMS, "session": None})

    def get(self, namespace: tuple[str, ...], key: str, *, refresh: bool = True) -> Item | None:
        """Return an item, or None; `refresh` lets its life begin anew."""
        found = [m for m in self._find(namespace, key) if self._lives(m)]
        if found and refresh:
            self._refresh(found)
        return _item(found[0]) if found else None

    def put(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        *,
        texts: Iterable[str] | None = None,
        minutes: float | None = None,
    ) -> None:
        """Store an item, or replace it.

        `texts` are what a search by meaning reads of it besides the whole value; an empty list
        keeps the item out of such searches. Raises `InvalidMemoryError` for what is no JSON.
        """
        try:
            content = json.dumps({**value}, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InvalidMemoryError(
                "value", f"is not JSON ({error})", "Store plain data"
            ) from error
        if minutes is not None and not 0 < minutes <= _LONGEST:
            raise InvalidMemoryError(
                "minutes", f"must be more than 0 and at most {_LONGEST}", "Leave it out for ever"
            )
        said = None if texts is None else list(texts)
        silent = said is not None and not said

        def change() -> None:
            now = self._core.clock()
            old = next(iter(self._find(namespace, key)), None)
            memory = Memory(
                id=old.id if old else self._core.ids(),
                scope=self._scope,
                kind=Kind.FACT,
                source=Source.OPERATOR,
                trust=Source.OPERATOR.trust,
                key=MemoryKey(
                    subject=json.dumps([*namespace, key], ensure_ascii=False),
                    entities=tuple(_prefixes(namespace)),
                    task_type=_SILENT if silent else None,
                ),
                query="\n".join(said or ()),
                value=MemoryValue(content=content, intent="" if minutes is None else repr(minutes)),
                revision=old.revision + 1 if old else 0,
                created_at=old.created_at if old and self._lives(old) else now,
                updated_at=now,
                expires_at=_expiry(now, minutes),
                dedupe_key=_identity(namespace, key),
            )
            result = self._core.store.put([memory])[0]
            if old is None and not result.created:  # the later one replaces the earlier
                raise StaleError("somebody else put an item of this key at the same moment")

        repeat_while_stale(change)
        self._encoder.wake()

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete an item; one that is not there is no error."""
        self._core.store.delete(self._scope, [m.id for m in self._find(namespace, key)])

    def under(self, prefix: tuple[str, ...] = ()) -> list[Item]:
        """List every item under a prefix of namespaces, newest change first."""
        return [_item(memory) for memory in self._under(prefix)]

    def search(self, prefix: tuple[str, ...], query: str) -> list[Item]:
        """List the items under a prefix by likeness to a text, best first.

        Items without a score, which the embedder has not read, come last; without an embedder, or
        where it fails, that is all of them.
        """
        memories = {memory.id: memory for memory in self._under(prefix)}
        self._encoder.flush(_PATIENCE)
        vector = self._vector(query) if memories and query.strip() else None
        scores: dict[str, float] = {}
        if vector is not None:
            hits = self._core.store.nearest(self._scope, _where(prefix), vector, len(memories))
            silent = {i for i, m in memories.items() if m.key.task_type == _SILENT}
            scores = {hit.id: hit.score for hit in hits if hit.id not in silent}
        found = [memories[i] for i in scores if i in memories]
        rest = [memory for i, memory in memories.items() if i not in scores]
        scored = [replace(_item(memory), score=scores[memory.id]) for memory in found]
        return [*scored, *map(_item, rest)]

    def touch(self, items: Iterable[Item]) -> None:
        """Let the life of items begin anew, of those that have an end."""
        ending = [item for item in items if item.minutes is not None]
        self._refresh([m for item in ending for m in self._find(item.namespace, item.key)])

    def _find(self, namespace: tuple[str, ...], key: str) -> list[Memory]:
        return self._core.store.find(self._scope, [_identity(namespace, key)])

    def _under(self, prefix: tuple[str, ...]) -> Iterator[Memory]:
        offset = 0
        while page := self._core.store.select(
            self._scope, _where(prefix), limit=_PAGE, offset=offset
        ):
            # The scope sees what belongs to the user in general, too: that is no item.
            yield from (m for m in page if m.scope == self._scope and self._lives(m))
            offset += len(page)

    def _lives(self, memory: Memory) -> bool:
        return memory.expires_at is None or memory.expires_at > self._core.clock()

    def _refresh(self, memories: Iterable[Memory]) -> None:
        now = self._core.clock()
        for memory in memories:
            minutes = _minutes(memory)
            if minutes is None:
                continue
            change = {"expires_at": _expiry(now, minutes), "revision": memory.revision + 1}
            try:
                self._core.store.put([memory.model_copy(update=change)])
            except StaleError:
                continue  # it was changed at this moment, which refreshes it as well


def _where(prefix: tuple[str, ...]) -> Where:
    return Where(
        kinds=(Kind.FACT,),
        statuses=(Status.ACTIVE,),
        entities=(_mark(prefix),),
    )


def _prefixes(namespace: tuple[str, ...]) -> Iterator[str]:
    return (_mark(namespace[:length]) for length in range(len(namespace) + 1))


def _mark(prefix: tuple[str, ...]) -> str:
    return "item" + _digest(json.dumps(prefix, ensure_ascii=False))


def _identity(namespace: tuple[str, ...], key: str) -> str:
    return "item:" + _digest(json.dumps([namespace, key], ensure_ascii=False))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _expiry(now: datetime, minutes: float | None) -> datetime | None:
    return None if minutes is None else now + timedelta(minutes=minutes)


def _minutes(memory: Memory) -> float | None:
    return float(memory.value.intent) if memory.value.intent else None


def _item(memory: Memory) -> Item:
    *namespace, key = json.loads(memory.key.subject)
    return Item(
        namespace=tuple(namespace),
        key=key,
        value=json.loads(memory.content),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        minutes=_minutes(memory),
    )
