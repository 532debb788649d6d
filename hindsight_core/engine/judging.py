"""What a word of somebody, or a success that was seen, does to a memory. Pure.

Trust rises in two ways only: by word of the user or an operator, and by success that our own hooks
saw in enough independent runs. That a text is repeated makes it no truer.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from hindsight_core.errors import ConfigurationError
from hindsight_core.schema import Evidence, Kind, Memory, Source, Status

__all__ = ["RUNS_TO_TRUST", "apply_feedback", "apply_observation", "apply_verdict", "earned_trust"]

RUNS_TO_TRUST: Final = 3
"""Independent runs in which a success must have been seen to count like an agent's word."""


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


def apply_observation(memory: Memory, *, ok: bool, run_id: str, at: datetime) -> Memory:
    """Take up what the tool answered when it was asked again.

    A confirmation is evidence of one more run; a refutation archives the memory. Nothing leaves
    quarantine by it: what waits for a person waits on.
    """
    change: dict[str, object] = {"updated_at": at, "revision": memory.revision + 1}
    if not ok:
        archived = Status.ARCHIVED if memory.status is Status.ACTIVE else memory.status
        reasons = (*memory.reasons, "refuted by tool")
        change |= {"status": archived, "misses": memory.misses + 1, "reasons": reasons}
        return memory.model_copy(update=change)
    evidence = (*memory.evidence, Evidence(run_id=run_id, at=at, note="asked the tool again"))
    change |= {
        "evidence": evidence,
        "verified_runs": len({one.run_id for one in evidence}),
        "hits": memory.hits + 1,
    }
    asked = memory.model_copy(update=change)
    return asked.model_copy(update={"trust": earned_trust(asked)})


def earned_trust(memory: Memory) -> float:
    """The trust of a memory after what our own hooks saw of it.

    A path, a correction that was seen to work, and what a tool confirmed when asked again rise to
    an agent's trust with `RUNS_TO_TRUST` independent runs. Never more, and nothing in quarantine.
    """
    worked = sum(1 for one in {e.run_id: e for e in memory.evidence}.values() if _saw(memory, one))
    if memory.status is not Status.ACTIVE or worked < RUNS_TO_TRUST:
        return memory.trust
    return max(memory.trust, Source.AGENT.trust)


def _saw(memory: Memory, one: Evidence) -> bool:
    """Whether a piece of evidence is a success that was seen, not only something that was said."""
    if one.run_id.startswith("verify:"):
        return True
    correction = memory.lesson.correction if memory.lesson else None
    return memory.kind is Kind.PATH or (correction is not None and correction.proven)


def apply_feedback(memory: Memory, *, good: bool, at: datetime) -> Memory:
    """Count one use of a memory that helped, or one that did not; trust stays as it is."""
    counted = {"hits": memory.hits + 1} if good else {"misses": memory.misses + 1}
    return memory.model_copy(update={**counted, "updated_at": at, "revision": memory.revision + 1})
