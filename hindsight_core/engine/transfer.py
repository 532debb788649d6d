"""Exports the records of a store or of one user as JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hindsight_core.capture import BadLineError
from hindsight_core.engine.alerting import Alerts
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.export_file import Tally, head_of, head_text, line_text, read_lines
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.taking_in import Importer, ImportReport
from hindsight_core.errors import ConfigurationError, StoreError
from hindsight_core.stores.pages import count_all, pages

__all__ = ["ExportReport", "ImportReport", "Transfer"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportReport:
    """What an export wrote.

    `resumed` of the `records` an earlier try had written; another store with the same records has
    the same `hash`.
    """

    path: str
    records: int
    resumed: int
    hash: str

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return asdict(self)


class Transfer:
    """Exports and imports of one open `Hindsight`: records with all their fields, of any status.

    Runs, audit log, the gate's counts and vectors stay behind: `hindsight-core migrate` and
    `backup` carry those.
    """

    def __init__(self, core: Core, encoder: Encoder, intake: Intake, alerts: Alerts) -> None:
        self._core = core
        self._importer = Importer(core, encoder, intake, alerts)

    def export(
        self,
        path: str | Path,
        *,
        tenant: str | None = None,
        user: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ExportReport:
        """Write the records of the store, of a tenant, or of one user of it, while agents go on.

        They are written to `path` with `.part` behind it, readable by its owner alone, and get
        their name when all is there and was read back. Interrupted, the same call goes on. Raises
        `ConfigurationError` for a file that is there already, or a part of another export.
        """
        target = Path(path).expanduser()
        if target.exists():
            raise ConfigurationError(f"{target} is there already; name a new file for the export")
        if user is not None and tenant is None:
            tenant = "default"
        database = getattr(self._core.store, "database", None)
        if database is None:
            raise ConfigurationError("export: this kind of store has no tables to read")
        part = target.with_name(f"{target.name}.part")
        head = head_text(str(self._core.store.url), tenant, user)
        tally, after = self._begin(part, head)
        resumed, total = tally.records, count_all(database, tenant=tenant, user=user)
        seal = self._core.seal
        with part.open("a", encoding="utf-8") as file:
            for page in pages(database, after=after, tenant=tenant, user=user):
                for number, memory in page:
                    text = line_text(number, memory)
                    # What was changed behind our back is exported, but not vouched for.
                    mark = seal.stamp(text) if seal.is_intact(memory) else ""
                    file.write(f'{text[:-1]},"stamp":"{mark}"}}\n')
                    tally.add(memory)
                file.flush()
                if on_progress is not None:
                    on_progress(tally.records, max(total, tally.records))
            file.write(f"{tally.end}\n")
            file.flush()
            os.fsync(file.fileno())
        if sum(1 for _ in read_lines(part)) != tally.records:
            raise StoreError(f"{part} does not hold what was written to it. Look at the disk")
        part.replace(target)
        return ExportReport(
            path=str(target), records=tally.records, resumed=resumed, hash=tally.hash
        )

    def take_in(
        self,
        path: str | Path,
        *,
        tenant: str | None = None,
        user: str | None = None,
        key: bytes | None = None,
        dry_run: bool = False,
        on_bad: Callable[[BadLineError], None] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> ImportReport:
        """Store the records of an export that are not there yet; of one user where one is named.

        The whole file is read before anything is stored. A line that neither this memory's key nor
        `key` (that of the memory which wrote it) has signed is taken for words of a tool. Repeated,
        it goes on where it was interrupted. Without `on_bad` a damaged file raises `BadLineError`.
        """
        file = Path(path).expanduser()
        head_of(file)
        for line in read_lines(file, on_bad):
            if on_progress is not None:
                on_progress(line.progress / 2)
        wanted = (tenant, user) if user is None else (tenant or "default", user)
        lines = read_lines(file, None if on_bad is None else lambda _error: None)
        return self._importer.run(
            lines, wanted, key=key, dry_run=dry_run, on_progress=on_progress or (lambda _: None)
        )

    def _begin(self, part: Path, head: str) -> tuple[Tally, int]:
        """Make the file, or find out how far it goes; a line that was cut off is cut away."""
        tally, after = Tally(), 0
        if not part.exists():
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
                new.write(f"{head}\n")
            return tally, after
        whole = _cut(part)
        with part.open(encoding="utf-8") as file:
            first = file.readline().rstrip("\n")
        if whole and first != head:
            raise ConfigurationError(
                f"{part} is of another export (another store or user). Remove it, or name another "
                "file"
            )
        if not whole:
            part.write_text(f"{head}\n", encoding="utf-8")
        for line in read_lines(part, lambda _error: None):
            tally.add(line.memory)
            after = line.number
        return tally, after


def _cut(part: Path) -> bool:
    """Cut the file behind its last whole record; False when not even the head is whole."""
    with part.open("rb+") as file:
        kept = 0
        for line in file:
            if not line.endswith(b"\n") or line.startswith(b'{"end"'):
                break
            kept += len(line)
        file.truncate(kept)
    return kept > 0
