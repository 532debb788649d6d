"""Renders recalled memories as one line each, which a model can ask more about by its number.

The first of two levels: what a line leaves out, the tool `memory_details` tells. Where the model
does not have that tool, no word of a memory is left out, and only what stands around it is shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from hindsight_core.recall.block import Block, Item, fill, marked
from hindsight_core.recall.gist import covered, gist
from hindsight_core.recall.wording import Level, wording
from hindsight_core.schema import Memory

__all__ = ["render_lines"]


def render_lines(
    memories: Sequence[Memory],
    *,
    recall_id: str,
    mark: str,
    now: datetime,
    budget: int,
    sanitize: Callable[[str], str],
    number: Callable[[str], int],
    question: str,
    whole: bool,
    notes: Mapping[str, str] | None = None,
) -> Block | None:
    """Render memories, best first, or return None when not even one fits.

    `number` gives a memory the number under which the model may ask for it; `whole` says that it
    cannot ask, so that nothing is left out. Lines that share kind, source and age stand under
    one label. `budget` is in tokens as `count_tokens` counts; `mark` is nine digits that nobody can
    guess; `notes` holds a remark of the guard by memory id.
    """
    words = wording(memories, Level.LINES)
    most = max((covered(memory.content, question) for memory in memories), default=0)

    def item(memory: Memory, _place: int) -> Item:
        leads = covered(memory.content, question) >= most
        said = memory.content if whole else gist(memory, memory.content, question, leads=leads)
        remarks = words.remarks(memory, (notes or {}).get(memory.id, ""))
        given = number(memory.id)
        return Item(
            memory_id=memory.id,
            number=given,
            above=words.label(memory, now),
            prefix=f"{given}.{remarks}{words.after_number}",
            text=sanitize(said).strip(),
            shortened=said != memory.content,
        )

    return fill(
        memories,
        item,
        recall_id=recall_id,
        frame=lambda lines: marked(lines, mark),
        head=words.head,
        more="" if whole else words.more,
        budget=budget,
    )
