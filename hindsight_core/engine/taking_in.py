"""Takes the records of an export into a store: signed ones as they are, others as a tool's words.

What was edited by hand, or signed by a key that nobody here has, keeps no trust, no evidence and no
links, gets an id of its own, and passes the guard like anything that a tool returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Final, TypeVar

from hindsight_core.engine.alerting import Alerts
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.export_file import Line, Tally
from hindsight_core.engine.intake import Intake
from hindsight_core.errors import InvalidMemoryError, StaleError, StoreError
from hindsight_core.guard import is_stamped
from hindsight_core.ports import AuditEntry
from hindsight_core.schema import Candidate, Lesson, Memory, Scope, Source, Status

__all__ = ["ImportReport", "Importer"]

T = TypeVar("T")
_BATCH: Final = 200
_ACTOR: Final = "import"
_ROOM: Final = 8
"""Times the limit of a text that a whole record may be long: it holds a call's arguments, too."""


@dataclass(kw_only=True, slots=True)
class ImportReport:
    """What became of the records of an export.

    `stored` as they were; `unverified` were stored with a tool's trust, `held` of these in
    quarantine; `present` were there already (or the same statement was); `refused` by the guard or
    the store; `others` belong to users that were not asked for. `hash` is that of the records that
    were stored as they were, read back: equal to the export's when all of it was.
    """

    records: int = 0
    stored: int = 0
    unverified: int = 0
    held: int = 0
    present: int = 0
    refused: int = 0
    others: int = 0
    hash: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return asdict(self)


class Importer:
    """Imports into one open `Hindsight`."""

    def __init__(self, core: Core, encoder: Encoder, intake: Intake, alerts: Alerts) -> None:
        self._core = core
        self._encoder = encoder
        self._intake = intake
        self._alerts = alerts

    def run(
        self,
        lines: Iterable[Line],
        wanted: tuple[str | None, str | None],
        *,
        key: bytes | None,
        dry_run: bool,
        on_progress: Callable[[float], None],
    ) -> ImportReport:
        """Store what is not there yet, batch by batch; a repetition finds it there."""
        report, tally = ImportReport(), Tally()
        own = self._core.seal.key()
        keys = [one for one in (own, key) if one is not None]
        announced: set[tuple[str, str]] = set()
        with ExitStack() as expecting:
            for batch in _batches(lines):
                mine = [line for line in batch if _is_wanted(line.memory.scope, wanted)]
                report.records += len(batch)
                report.others += len(batch) - len(mine)
                signed = [ln for ln in mine if any(is_stamped(ln.text, ln.stamp, k) for k in keys)]
                others = [line for line in mine if line not in signed]
                if not dry_run:
                    for scope in {(o.memory.scope.tenant, o.memory.scope.user) for o in others}:
                        if scope not in announced:
                            announced.add(scope)
                            one = Scope(tenant=scope[0], user=scope[1])
                            expecting.enter_context(self._alerts.expecting(one, by=_ACTOR))
                self._store([line.memory for line in signed], report, tally, dry_run=dry_run)
                for line in others:
                    self._admit(line, report, dry_run=dry_run)
                on_progress(0.5 + batch[-1].progress / 2)
        report.hash = tally.hash
        if not dry_run:
            self._tell(report)
        return report

    def _store(
        self, memories: Sequence[Memory], report: ImportReport, tally: Tally, *, dry_run: bool
    ) -> None:
        """Store records as they are, and read them back."""
        known = self._known(memories)
        for memory in (one for one in memories if one.id in known):
            report.present += 1
            tally.add(known[memory.id])
        new = [memory for memory in memories if memory.id not in known]
        if dry_run:
            report.stored += len(new)
            return
        kept = self._put(new, report)
        back = self._known(kept)
        for memory in kept:
            if memory.id not in back:
                raise StoreError(f"import: the store does not hold {memory.id}, which it took")
            tally.add(back[memory.id])

    def _put(self, memories: Sequence[Memory], report: ImportReport) -> list[Memory]:
        try:
            results = self._core.store.put(memories)
        except (InvalidMemoryError, StaleError):
            if len(memories) == 1:  # an id of another user's
                report.refused += 1
                return []
            return [kept for one in memories for kept in self._put([one], report)]
        kept = [one for one, result in zip(memories, results, strict=True) if result.created]
        report.stored += len(kept)
        report.present += len(memories) - len(kept)
        return kept

    def _known(self, memories: Sequence[Memory]) -> dict[str, Memory]:
        found: dict[str, Memory] = {}
        for scope in dict.fromkeys(memory.scope for memory in memories):
            ids = [memory.id for memory in memories if memory.scope == scope]
            found.update((one.id, one) for one in self._core.store.get(scope, ids))
        return found

    def _admit(self, line: Line, report: ImportReport, *, dry_run: bool) -> None:
        """Store what nobody vouches for, as a tool's words."""
        told = line.memory
        named = f"{told.scope.model_dump_json()} {told.id}".encode(errors="replace")
        id_ = f"import-{blake2b(named, digest_size=12).hexdigest()}"
        if self._core.store.get(told.scope, [id_]):
            report.present += 1
            return
        if len(line.text) > _ROOM * self._core.settings.max_memory_bytes:
            report.refused += 1
            return
        candidate = Candidate(
            scope=told.scope,
            kind=told.kind,
            source=Source.TOOL,
            value=told.value,
            key=told.key,
            query=told.query,
            context=told.context,
            tier=told.tier,
            preference=told.preference,
            lesson=_unproven(told),
            path=told.path,
            dedupe_key=id_,
            expires_at=told.expires_at,
        )
        try:
            memory = self._intake.admit(candidate, actor=_ACTOR)
        except InvalidMemoryError:
            memory = None
        if memory is None or told.status is Status.ERASED:
            report.refused += 1
            return
        status = memory.status if memory.status is Status.QUARANTINED else told.status
        memory = memory.model_copy(update={"id": id_, "status": status})
        report.unverified += 1
        report.held += status is Status.QUARANTINED
        if not dry_run:
            self._core.store.put([memory])

    def _tell(self, report: ImportReport) -> None:
        self._core.generation += 1
        self._encoder.wake()
        counts = {name: count for name, count in report.as_dict().items() if name != "hash"}
        self._core.store.audit(
            AuditEntry(
                at=self._core.clock(),
                actor=_ACTOR,
                action="imported",
                subject="export",
                detail=", ".join(f"{name} {count}" for name, count in counts.items() if count),
            )
        )


def _unproven(memory: Memory) -> Lesson | None:
    """A lesson without the claim that a run of ours saw its correction work."""
    lesson = memory.lesson
    if lesson is None or lesson.correction is None:
        return lesson
    correction = lesson.correction.model_copy(update={"proven": False})
    return lesson.model_copy(update={"correction": correction})


def _is_wanted(scope: Scope, wanted: tuple[str | None, str | None]) -> bool:
    tenant, user = wanted
    return (tenant is None or scope.tenant == tenant) and (user is None or scope.user == user)


def _batches(lines: Iterable[T]) -> Iterator[list[T]]:
    batch: list[T] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
