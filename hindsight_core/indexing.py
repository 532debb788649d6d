"""What of a memory is indexed: one function for the text index and for the vectors.

Who said it, when, and what came before belong to what is found, not to what is shown.
"""

from __future__ import annotations

from datetime import datetime

from hindsight_core.schema import Memory

__all__ = ["index_text"]


def index_text(memory: Memory) -> str:
    """Return the text under which a memory is found, one part a line.

    Empty parts are left out. A store that indexed a memory keeps what it indexed, so a change of
    this function takes effect for a memory when it is next written.
    """
    value, key, context = memory.value, memory.key, memory.context
    parts = (
        context.before,
        _date(context.said_at),
        f"{context.speaker}: {value.content}" if context.speaker else value.content,
        memory.query,
        value.intent,
        value.resolution,
        value.correction,
        key.subject,
        " ".join(key.entities),
    )
    return "\n".join(part for part in parts if part)


def _date(at: datetime | None) -> str:
    return f"{at.day} {at:%B %Y}" if at is not None else ""
