"""Verifies a memory: by word of the user or an operator, or by asking the tool again."""

from __future__ import annotations

from collections.abc import Callable

from hindsight_core.engine.core import Core
from hindsight_core.engine.judging import apply_observation, apply_verdict
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.engine.sealing import hold
from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import AuditEntry
from hindsight_core.schema import Memory, Source

__all__ = ["as_stored", "verify_memory"]


def verify_memory(
    core: Core,
    read: Callable[[], Memory],
    *,
    ok: bool,
    by: Source,
    ask: Callable[[Memory], bool] | None,
) -> Memory:
    """Confirm or refute the memory that `read` returns; see `Hindsight.verify`."""
    if ask is not None and by is not Source.TOOL:
        raise ConfigurationError("verify.ask: only for by='tool'; a person says it with ok=")
    if ask is not None:
        ok = bool(ask(read()))

    def change() -> Memory:
        memory = as_stored(core, read())
        now = core.clock()
        if ask is not None:
            changed = apply_observation(memory, ok=ok, run_id=f"verify:{core.ids()}", at=now)
        else:
            changed = apply_verdict(memory, ok=ok, by=by, at=now)
        core.store.put([changed])
        action = "confirm" if ok else "refute"
        core.store.audit(AuditEntry(at=now, actor=by, action=action, subject=memory.id))
        return changed

    return repeat_while_stale(change)


def as_stored(core: Core, memory: Memory) -> Memory:
    """The memory, or where it was changed behind our back its held-back record, signed anew.

    For those who look at a record before they decide on it: their decision then stands on what is
    there now.
    """
    if core.seal.is_intact(memory):
        return memory
    held = hold(memory).model_copy(update={"revision": memory.revision + 1})
    core.store.put([held])
    core.seal.accept(memory.id)
    return held
