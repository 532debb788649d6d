"""What a model is shown, on both levels: the block of a recall, and one memory in full.

In prompts a memory goes by a small number: the same one all through a run, given when it is first
shown.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.errors import NotFoundError
from hindsight_core.events import BlockShown
from hindsight_core.guard import sanitize
from hindsight_core.recall import (
    Block,
    RecallReport,
    render,
    render_details,
    render_lines,
)
from hindsight_core.schema import Memory, Scope, Status
from hindsight_core.settings import Injection

__all__ = ["Numbers", "numbered", "show", "tell", "tell_or_say"]

_MARK: Final = 10**9
_MOST_DIGITS: Final = 6


class Numbers:
    """Small numbers of the memories that one run was shown; thread-safe.

    `events` gives those of the run so far, perhaps of a process that has ended; it is read once.
    """

    def __init__(self, events: Callable[[], Iterable[object]] = tuple) -> None:
        self._lock = threading.Lock()
        self._events = events
        self._known: dict[str, int] | None = None

    def load(self) -> None:
        """Read the numbers of earlier blocks, unless they are known already."""
        with self._lock:
            self._loaded()

    def number(self, memory_id: str) -> int:
        """The number of a memory, a new one where it has none yet."""
        with self._lock:
            known = self._loaded()
            return known.setdefault(memory_id, max(known.values(), default=0) + 1)

    def memory_id(self, number: int) -> str:
        """The id of the memory that has this number, else ""."""
        with self._lock:
            return next((one for one, has in self._loaded().items() if has == number), "")

    def _loaded(self) -> dict[str, int]:
        if self._known is None:
            self._known = {
                memory_id: number
                for event in self._events()
                if isinstance(event, BlockShown)
                for memory_id, number in zip(event.memory_ids, event.numbers, strict=False)
            }
        return self._known


def show(
    core: Core,
    memories: Sequence[Memory],
    *,
    recall_id: str,
    now: datetime,
    question: str,
    notes: Mapping[str, str],
    numbers: Numbers | None,
    details: bool,
) -> Block | None:
    """Render what was picked as `Settings.injection` says, inside the token budget.

    `details` says that the model can ask for a memory in full, so that a line may leave things out.
    """
    budget = core.settings.token_budget
    if core.settings.injection == Injection.FULL:
        return render(
            memories,
            recall_id=recall_id,
            mark=secrets.token_hex(8),
            now=now,
            budget=budget,
            sanitize=sanitize,
            notes=notes,
        )
    return render_lines(
        memories,
        recall_id=recall_id,
        mark=_mark(),
        now=now,
        budget=budget,
        sanitize=sanitize,
        number=(numbers or Numbers()).number,
        question=question,
        whole=not details,
        notes=notes,
    )


def numbered(core: Core, scope: Scope, wanted: str) -> str:
    """The id of the memory that the newest recall in a scope showed under a number, else "".

    A model asks for it by the number; where the run is known, its `Numbers` tell exactly.
    """
    if not is_number(wanted):
        return ""
    for stored in reversed(core.store.load_recalls(scope)):
        report = RecallReport.model_validate_json(stored)
        for one in () if report.inspection else report.candidates:
            if one.shown and one.number == int(wanted):
                return one.memory_id
    return ""


def is_number(wanted: str) -> bool:
    """Whether this is a number in a prompt, and no id of a store."""
    return wanted.isascii() and wanted.isdigit() and len(wanted) <= _MOST_DIGITS


def tell(core: Core, scope: Scope, wanted: str) -> str:
    """One memory in full, by its id or the number in the newest block; raises `NotFoundError`."""
    found = core.store.get(scope, [wanted])
    if not found and (memory_id := numbered(core, scope, wanted)):
        found = core.store.get(scope, [memory_id])
    if not found:
        raise NotFoundError(f"{wanted!r}: no memory of that id is visible in this scope")
    return render_details(found[0], mark=_mark(), now=core.clock(), sanitize=sanitize)


def tell_or_say(core: Core, scope: Scope, numbers: Numbers, wanted: object) -> str:
    """What the tool `memory_details` answers in a run: a memory that it was shown, or that none is.

    What was held back or forgotten meanwhile is not told any more.
    """
    asked = str(wanted).strip().strip("#.")
    memory_id = numbers.memory_id(int(asked)) if is_number(asked) else asked
    found = core.store.get(scope, [memory_id]) if memory_id else []
    told = [m for m in core.seal.intact(found, core.store) if m.status is Status.ACTIVE]
    if not told:
        return f"No note has the number {asked[:40]!r} in this conversation."
    return render_details(told[0], mark=_mark(), now=core.clock(), sanitize=sanitize, origin=False)


def _mark() -> str:
    # Digits: a model's vocabulary has them in threes, letters and digits mixed one by one.
    return f"{secrets.randbelow(_MARK):09d}"
