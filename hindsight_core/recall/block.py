"""The block of recalled memories that a model is shown, inside a token budget: full texts.

What is shown is data: each text is sanitised by the caller's function, the block is delimited by an
unguessable mark, and it says of itself that it may be ignored where it does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hindsight_core.recall.tokens import count_tokens
from hindsight_core.recall.wording import Level, wording
from hindsight_core.schema import Memory
from hindsight_core.text import shorten

__all__ = ["Block", "Item", "fill", "marked", "render", "strip_blocks"]

_OPEN: Final = "<hindsight-memory"
_CLOSE: Final = "</hindsight-memory"
_NAME: Final = "memory-"
_OPENED: Final = re.compile(rf"{_OPEN}|<{_NAME}([0-9]{{9}})>")
_MIN_ITEM_CHARS: Final = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """The text to put before the model, and which memories it shows.

    `lines` are the items as they stand in the text, one a memory, and `numbers` what each goes by
    in it; `left_out` are memories that were picked but did not fit into the budget.
    """

    recall_id: str
    text: str
    memory_ids: tuple[str, ...]
    tokens: int
    lines: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def numbered(self) -> dict[str, int]:
        """What each memory goes by in the text, by its id."""
        return dict(zip(self.memory_ids, self.numbers, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One memory in a block: `prefix` and `text` are its line, `above` may stand in one before it.

    Items after one another with the same `above` share it. `shortened` says that something of the
    memory is missing, which the model may ask for.
    """

    memory_id: str
    number: int
    prefix: str
    text: str
    above: str = ""
    shortened: bool = False

    @property
    def line(self) -> str:
        """The item as it stands in the block."""
        return self.prefix + self.text


def render(
    memories: Sequence[Memory],
    *,
    recall_id: str,
    mark: str,
    now: datetime,
    budget: int,
    sanitize: Callable[[str], str],
    notes: Mapping[str, str] | None = None,
) -> Block | None:
    """Render memories, best first, or return None when not even one fits.

    `budget` is in tokens as `count_tokens` counts; `mark` must be unguessable; `notes` holds a
    remark of the guard by memory id. An item that does not fit is shortened when it is the first,
    else left out.
    """
    words = wording(memories, Level.FULL)

    def item(memory: Memory, place: int) -> Item:
        remarks = words.remarks(memory, (notes or {}).get(memory.id, ""))
        return Item(
            memory_id=memory.id,
            number=place,
            prefix=f"{place}. {words.label(memory, now, remarks=remarks)} ",
            text=sanitize(memory.content).strip(),
        )

    return fill(
        memories,
        item,
        recall_id=recall_id,
        frame=lambda lines: "\n".join(
            [f'{_OPEN} mark="{mark}">', *lines, f'{_CLOSE} mark="{mark}">']
        ),
        head=words.head,
        budget=budget,
    )


def fill(
    memories: Sequence[Memory],
    item: Callable[[Memory, int], Item],
    *,
    recall_id: str,
    frame: Callable[[Sequence[str]], str],
    head: str,
    budget: int,
    more: str = "",
) -> Block | None:
    """Put items under a head as far as they fit; None when not even one does.

    `item` makes one of a memory and the place it would have, from 1; `frame` makes the block of its
    lines. `more` follows the head where an item is shortened. The first item is cut until it fits.
    """
    room = budget - count_tokens(frame([head + more]))
    items: list[Item] = []
    left_out: list[str] = []
    for memory in memories:
        made = item(memory, len(items) + 1)
        spent = count_tokens(f"{made.above}\n{made.prefix}")
        if spent + count_tokens(made.text + "\n") > room and not items:
            cut = _fit(made.text, room - spent - 1)
            made = replace(made, text=cut, shortened=bool(more))
        cost = spent + count_tokens(made.text + "\n")
        if cost > room:
            left_out.append(memory.id)
            continue
        room -= cost
        items.append(made)
    if not items:
        return None
    asks = more if any(one.shortened for one in items) else ""
    text = frame([head + asks, *_stacked(items)])
    return Block(
        recall_id=recall_id,
        text=text,
        memory_ids=tuple(one.memory_id for one in items),
        tokens=count_tokens(text),
        lines=tuple(one.line for one in items),
        numbers=tuple(one.number for one in items),
        left_out=tuple(left_out),
    )


def _stacked(items: Sequence[Item]) -> list[str]:
    rows: list[str] = []
    above = ""
    for one in items:
        if one.above != above:
            above = one.above
            rows.append(above)
        rows.append(one.line)
    return rows


def _fit(text: str, tokens: int) -> str:
    """Cut the middle out of a text until it has about that many tokens."""
    size = len(text)
    while size > _MIN_ITEM_CHARS and count_tokens(shorten(text, size)) > tokens:
        size = size * 3 // 4
    return shorten(text, size)


def marked(lines: Sequence[str], mark: str) -> str:
    """Put lines between a pair of tags that nothing inside can close: the mark is their name.

    `mark` is nine digits, which a model's vocabulary has in threes.
    """
    return "\n".join([f"<{_NAME}{mark}>", *lines, f"</{_NAME}{mark}>"])


def strip_blocks(text: str) -> str:
    """Remove every block that was rendered here from a text, so that it is never captured again.

    An opened block that is not closed runs to the end of the text.
    """
    kept: list[str] = []
    at = 0
    while opened := _OPENED.search(text, at):
        kept.append(text[at : opened.start()])
        closing = f"</{_NAME}{opened[1]}>" if opened[1] else _CLOSE
        close = text.find(closing, opened.end())
        end = text.find(">", close) if close >= 0 else -1
        if end < 0:
            return "".join(kept).strip()
        at = end + 1
    if not at:
        return text
    kept.append(text[at:])
    return "".join(kept).strip()
