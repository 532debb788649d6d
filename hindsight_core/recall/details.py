"""One memory in full, for a model that asks for more than the line it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from hindsight_core.recall.block import marked
from hindsight_core.recall.wording import Level, wording
from hindsight_core.schema import Memory
from hindsight_core.text import shorten

__all__ = ["render_details"]

_MAX: Final = 8_000


def render_details(
    memory: Memory,
    *,
    mark: str,
    now: datetime,
    sanitize: Callable[[str], str],
    origin: bool = True,
) -> str:
    """Render a memory's whole text, as data between marks like a block's, and what helps beside it.

    That is an intent, a resolution and a correction which the text does not hold itself; with
    `origin` also what a line's label says, and what was said just before it. Ids, trust and counts
    are nothing that a model can use. Texts are sanitised and cut to 8,000 characters each.
    """
    parts = [(name, sanitize(shorten(said, _MAX)).strip()) for name, said in _beside(memory)]
    lines = [sanitize(shorten(memory.content, _MAX)).strip()]
    lines += [f"{name}: {said}" for name, said in parts if said]
    if origin:
        words = wording([memory], Level.LINES)
        lines.insert(0, f"{words.label(memory, now)}{words.remarks(memory)}")
        if before := sanitize(shorten(memory.context.before, _MAX)).strip():
            lines.append(f"said after: {before}")
    return marked(lines, mark)


def _beside(memory: Memory) -> Iterator[tuple[str, str]]:
    value = memory.value
    for name, text in (
        ("intent", value.intent),
        ("resolution", value.resolution),
        ("correction", value.correction),
    ):
        if text and text not in memory.content:
            yield name, text
