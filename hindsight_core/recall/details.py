"""One memory in full, for a model that asks for more than the line it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hindsight_core.recall.block import CLOSE, OPEN
from hindsight_core.schema import Memory
from hindsight_core.text import shorten

__all__ = ["render_details"]

_MAX: Final = 8_000


def render_details(memory: Memory, *, mark: str, sanitize: Callable[[str], str]) -> str:
    """Render a memory with what it rests on, as data between marks like a block's.

    Texts are sanitised and cut to 8,000 characters each.
    """
    lines = [f"{name}: {sanitize(shorten(text, _MAX)).strip()}" for name, text in _parts(memory)]
    return f'{OPEN} mark="{mark}">\n' + "\n".join(lines) + f'\n{CLOSE} mark="{mark}">'


def _parts(memory: Memory) -> Iterator[tuple[str, str]]:
    value, context = memory.value, memory.context
    yield "id", memory.id
    yield "kind", memory.kind.value
    yield "status", memory.status.value
    yield "source", f"{memory.source.value} (trust {memory.trust:.2f})"
    yield "confidence", f"{memory.confidence:.2f} over {memory.hits + memory.misses} uses"
    yield "since", memory.created_at.date().isoformat()
    yield "content", memory.content
    for name, text in (
        ("intent", value.intent),
        ("resolution", value.resolution),
        ("correction", value.correction),
        ("said after", context.before),
        ("learnt in", ", ".join(one.run_id for one in memory.evidence[-5:])),
        ("contradicts", ", ".join(memory.conflicts_with)),
        ("refines", ", ".join(memory.refines)),
    ):
        if text:
            yield name, text
