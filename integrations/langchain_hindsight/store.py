"""`HindsightStore`: LangGraph's `BaseStore` over the memory's own store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeVar

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
)
from langgraph.store.base import Item as StoredItem
from langgraph.store.memory import InMemoryStore

from hindsight_core import Handle, Hindsight, Item, Items, in_executor

__all__ = ["HindsightStore"]

_ALL: Final = 2**31
_Made = TypeVar("_Made", bound=StoredItem)


class HindsightStore(Handle, BaseStore):
    """Keeps what a graph stores across threads, on disk, under the hard scope of its user.

    Behaves as `InMemoryStore` does, and searches by meaning where an embedder is installed. Items
    are what the program put: they are not redacted, and no run's recall shows them.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store. A memory opened here is closed by `close`, or else at exit.
        user: To whom the items belong; without one the one user of an embedded store. It is the
            same for all runs, as a graph's own code parts its users by namespace.
        tenant: The tenant.
        fields: Paths of the texts that a search by meaning reads first, such as `["text"]` or
            `["memories[*].content"]`; without them the whole value.
        ttl: How long items live, in minutes, and whether reading one begins its life anew.

    Raises:
        HindsightError: The store cannot be opened or reached.
    """

    supports_ttl = True
    __slots__ = ("_fields", "_owned", "_tenant", "_user", "hindsight", "ttl_config")

    def __init__(
        self,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
        fields: list[str] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._owned = not isinstance(hindsight, Hindsight)
        self.hindsight = (
            hindsight if isinstance(hindsight, Hindsight) else Hindsight.open(hindsight)
        )
        self._user = user
        self._tenant = tenant
        self._fields = fields or []
        self.ttl_config = ttl

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._owned:
            self.hindsight.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations; reads see the state before the batch, as in `InMemoryStore`."""
        return self._execute(list(ops), self._items())

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations on a worker thread."""
        return await in_executor(self._execute, list(ops), self._items())

    def _items(self) -> Items:
        return self.hindsight.items(self.hindsight.scope_of(self._user, tenant=self._tenant))

    def _execute(self, ops: list[Op], items: Items) -> list[Result]:
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            elif isinstance(op, GetOp):
                found = items.get(op.namespace, op.key, refresh=op.refresh_ttl)
                results.append(None if found is None else _convert(found, StoredItem))
            elif isinstance(op, SearchOp):
                results.append(_search(items, op))
            else:  # namespaces, or what the framework's own store has a word for
                results.append(_mirror(items.under()).batch([op])[0])
        for op in puts.values():
            self._put(items, op)
        return results

    def _put(self, items: Items, op: PutOp) -> None:
        if op.value is None:
            items.delete(op.namespace, op.key)
            return
        texts = _texts(op.value, self._fields if op.index is None else op.index)
        items.put(op.namespace, op.key, op.value, texts=texts, minutes=op.ttl)


def _search(items: Items, op: SearchOp) -> list[SearchItem]:
    """Rank by meaning, then let the framework's own store decide what a filter lets through."""
    if op.query:
        found = items.search(op.namespace_prefix, op.query)
    else:
        found = items.under(op.namespace_prefix)
    if op.filter:
        passes = _mirror(found).search(op.namespace_prefix, filter=op.filter, limit=_ALL)
        passed = {(item.namespace, item.key) for item in passes}
        found = [item for item in found if (item.namespace, item.key) in passed]
    found = found[op.offset : op.offset + op.limit]
    if op.refresh_ttl:
        items.touch(found)
    return [_convert(item, SearchItem, score=item.score) for item in found]


def _mirror(found: Iterable[Item]) -> InMemoryStore:
    mirror = InMemoryStore()
    mirror.batch([PutOp(item.namespace, item.key, dict(item.value)) for item in found])
    return mirror


def _convert(item: Item, made: Callable[..., _Made], **more: object) -> _Made:
    return made(
        namespace=item.namespace,
        key=item.key,
        value=dict(item.value),
        created_at=item.created_at,
        updated_at=item.updated_at,
        **more,
    )


def _texts(value: Mapping[str, Any], fields: Literal[False] | list[str]) -> list[str] | None:
    """What a search reads besides the whole value; None for nothing more, empty for nothing."""
    if fields is False:
        return []
    paths = [path for path in fields if path != "$"]
    texts = [text for path in paths for text in get_text_at_path(value, tokenize_path(path))]
    return texts or None
