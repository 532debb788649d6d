"""What a person's or an operator's word does to a memory: pure, from one record to the next."""

from __future__ import annotations

from datetime import datetime

from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import Memory, Source, Status

__all__ = ["apply_feedback", "apply_verdict"]


def apply_verdict(memory: Memory, *, ok: bool, by: Source, at: datetime) -> Memory:
    """Confirm or refute a memory by somebody who may.

    Confirmed, its trust rises to that of the channel that confirmed it and it leaves quarantine;
    refuted, it is archived. Raises `ConfigurationError` for a tool or an agent, which may do
    neither: that would let a text vouch for itself.
    """
    if by not in (Source.USER, Source.OPERATOR):
        raise ConfigurationError(
            f"verify.by: {by.value} may not verify a memory. Ask the user or an operator"
        )
    change: dict[str, object] = {"updated_at": at, "revision": memory.revision + 1}
    if ok:
        change |= {
            "status": Status.ACTIVE,
            "trust": max(memory.trust, by.trust),
            "hits": memory.hits + 1,
            "reasons": (),
        }
    else:
        change |= {
            "status": Status.ARCHIVED,
            "misses": memory.misses + 1,
            "reasons": (*memory.reasons, f"refuted by {by.value}"),
        }
    return memory.model_copy(update=change)


def apply_feedback(memory: Memory, *, good: bool, at: datetime) -> Memory:
    """Count one use of a memory that helped, or one that did not; trust stays as it is."""
    counted = {"hits": memory.hits + 1} if good else {"misses": memory.misses + 1}
    return memory.model_copy(update={**counted, "updated_at": at, "revision": memory.revision + 1})
