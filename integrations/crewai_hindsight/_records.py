"""The store as CrewAI's memory sees it: records to list, count and delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

from crewai.memory.types import MemoryRecord, ScopeInfo

from crewai_hindsight._watching import Watcher
from hindsight_core import Memory, NotFoundError, Source

__all__ = ["Records", "as_record"]


def as_record(memory: Memory) -> MemoryRecord:
    """A memory in CrewAI's form; its kind is the category, its trust the importance."""
    return MemoryRecord(
        id=memory.id,
        content=memory.value.content,
        categories=[memory.kind.value],
        importance=memory.trust,
        created_at=memory.created_at,
        last_accessed=memory.last_referenced_at or memory.updated_at,
        source=memory.source.value,
    )


class Records:
    """CrewAI's `StorageBackend` over the store, and an embedder that is never needed.

    All records lie at the root path. `owner` is the memory that this stands behind.
    """

    def __init__(self, watcher: Watcher) -> None:
        self.owner: Callable[[], object] = lambda: None
        self.closed = False
        self._watcher = watcher
        self._hindsight = watcher.hindsight

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Embed nothing."""
        return [[] for _ in texts]

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records in an agent's name."""
        for record in records:
            with self._hindsight.guard("crewai.save"):
                scope = self._watcher.scope()
                self._hindsight.remember(scope, record.content, source=Source.AGENT)

    def update(self, record: MemoryRecord) -> None:
        """Store what a record says now in place of what it said."""
        self.delete(record_ids=[record.id])
        self.save([record])

    def search(self, *args: Any, **options: Any) -> list[tuple[MemoryRecord, float]]:
        """Find nothing by a vector: `HindsightMemory.recall` searches by the words themselves."""
        del args, options
        return []

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """The record of that id."""
        try:
            return as_record(self._hindsight.get(self._watcher.scope(), record_id))
        except NotFoundError:
            return None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Records, newest first."""
        if not _is_root(scope_prefix):
            return []
        scope = self._watcher.scope()
        found = self._hindsight.memories(scope, limit=limit, offset=offset)
        return [as_record(memory) for memory in found]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Erase the records that meet every condition, and return how many; without one, all."""
        before = self.count()
        scope = self._watcher.scope()
        if metadata_filter or not _is_root(scope_prefix):
            return 0
        if record_ids is None and categories is None and older_than is None:
            self._hindsight.forget(scope, by="crewai")
        else:
            chosen = [
                record.id
                for record in self.list_records(limit=before)
                if (record_ids is None or record.id in record_ids)
                and (not categories or record.categories[0] in categories)
                and (older_than is None or record.created_at < _aware(older_than))
            ]
            self._hindsight.forget(scope, chosen, by="crewai")
        return before - self.count()

    def reset(self, scope_prefix: str | None = None) -> None:
        """Erase all records."""
        self.delete(scope_prefix=scope_prefix)

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records there are."""
        return len(self.list_records(scope_prefix, limit=1_000_000))

    def list_scopes(self, parent: str = "/") -> list[str]:
        """No paths below the root."""
        del parent
        return []

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """The kinds of memory, with their numbers."""
        records = self.list_records(scope_prefix, limit=1_000_000)
        return dict(Counter(record.categories[0] for record in records))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """What lies at a path."""
        records = self.list_records(scope, limit=1_000_000)
        times = sorted(record.created_at for record in records)
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted(self.list_categories(scope)),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
        )


def _is_root(path: str | None) -> bool:
    return not (path or "").strip("/")


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.astimezone()
