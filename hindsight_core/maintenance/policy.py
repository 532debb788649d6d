"""Whose words a memory holds, which decides whether time alone may put it away."""

from __future__ import annotations

from hindsight_core.schema import Kind, Memory, Source

__all__ = ["is_judged", "is_said_by_user", "is_users_rule"]


def is_users_rule(memory: Memory) -> bool:
    """Whether it is a constraint that the user or an operator set and that still holds.

    Such a one is never put away by itself, however long nobody came near it.
    """
    return (
        memory.kind is Kind.PREFERENCE and is_said_by_user(memory) and memory.superseded_by is None
    )


def is_said_by_user(memory: Memory) -> bool:
    """Whether the user or an operator said it: no age deletes it, at most it becomes cold."""
    return memory.source in (Source.USER, Source.OPERATOR)


def is_judged(memory: Memory) -> bool:
    """Whether it was put away for what it says, and not only because nobody needed it.

    What a person refuted, or what runs showed to do harm, does not come back by itself.
    """
    return any(reason.startswith(("refuted", "retire")) for reason in memory.reasons)
