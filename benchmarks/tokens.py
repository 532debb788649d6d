"""What the memories of a prompt cost: one line each, full texts, and the list that mem0 gives.

The same three memories of a question are rendered on both levels, so what is found is the same; a
peer gets the same turns and the same embedder. Evidence is the share of a question's relevant turns
that the prompt shows. `opened` adds what it costs to open each of those whose line is not whole.

Tokens are those of OpenAI's `o200k_base`, counted by `bpe-openai`, which brings the vocabulary in
its wheel. Where that is not installed they are estimated, as the token budget of a block is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from benchmarks._peers import CachedEmbedder, available
from benchmarks._retrieval_data import NOW, Conversation, Query, read
from benchmarks.retrieval import LOCOMO, MEMDAILY, searching
from hindsight_core.guard import sanitize
from hindsight_core.models import default_embedder
from hindsight_core.recall import count_tokens, render, render_details, render_lines
from hindsight_core.recall.gist import GAP
from hindsight_core.schema import Memory

__all__ = ["Prompt", "measure"]

TOP_K: Final = 3
"""Memories that a run is shown, ours by default and in the peers' own examples."""
_MARK: Final = "0123456789abcdef"
_MARK_OF_LINES: Final = "012345678"
_BUDGET: Final = 10_000
"""No text is left out for want of room: what is compared must be the same memories."""
_MEM0: Final = "User Memories:\n{}"
"""How mem0's own first example puts its list into the prompt."""


class Prompt:
    """What one question puts into the prompt, and what of its evidence that shows."""

    def __init__(self, text: str, found: Sequence[str], query: Query, *, opening: str = "") -> None:
        self.text = text
        self.opening = opening
        self.evidence = len(query.relevant.intersection(found)) / len(query.relevant)


def measure(data: Path, *, peers: bool = True) -> dict[str, dict[str, Any]]:
    """Return `figures` and `peers` for the files that the folder has."""
    found = default_embedder()
    if found is None:
        raise SystemExit("tokens needs an embedder: pip install 'hindsight-core[embed]'")
    embedder, count = CachedEmbedder(found), counter()
    figures: dict[str, float] = {"exact": float(count is not count_tokens)}
    others: dict[str, dict[str, float]] = {}
    for file, name in ((LOCOMO, "locomo"), (MEMDAILY, "memdaily")):
        if not (data / file).exists():
            continue
        conversations = read(data / file)
        ours = _ours(conversations, embedder)
        figures |= _figures(name, ours, count)
        if peers and find_spec("mem0"):
            listed = _listed(conversations, embedder, "mem0")
            others.setdefault("mem0", {}).update(
                {
                    f"{name}.tokens": fmean(count(prompt.text) for prompt in listed),
                    f"{name}.evidence": fmean(prompt.evidence for prompt in listed),
                }
            )
    return {"figures": figures, "peers": others}


def counter() -> Callable[[str], int]:
    """How tokens are counted: by a real vocabulary if there is one, else by an estimate."""
    if not find_spec("bpe_openai"):
        return count_tokens
    import bpe_openai

    encoding = bpe_openai.get_encoding("o200k_base")
    return lambda text: len(encoding.encode(text))


def _figures(
    name: str, ours: dict[str, list[Prompt]], count: Callable[[str], int]
) -> dict[str, float]:
    means = {way: fmean(count(one.text) for one in prompts) for way, prompts in ours.items()}
    opening = fmean(count(one.opening) if one.opening else 0 for one in ours["lines"])
    return {
        f"{name}.tokens": means["lines"],
        f"{name}.tokens_opened": means["lines"] + opening,
        f"{name}.tokens_whole": means["whole"],
        f"{name}.tokens_full": means["full"],
        f"{name}.tokens_records": means["records"],
        f"{name}.saved": 1 - means["lines"] / means["full"],
        f"{name}.saved_whole": 1 - means["whole"] / means["full"],
        f"{name}.saved_records": 1 - means["lines"] / means["records"],
        f"{name}.evidence": fmean(one.evidence for one in ours["lines"]),
        f"{name}.evidence_full": fmean(one.evidence for one in ours["full"]),
    }


def _ours(
    conversations: Sequence[Conversation], embedder: CachedEmbedder
) -> dict[str, list[Prompt]]:
    prompts: dict[str, list[Prompt]] = {"lines": [], "whole": [], "full": [], "records": []}
    for conversation in conversations:
        with searching(conversation, embedder, TOP_K) as search:
            for query in conversation.queries:
                memories = search(query.text)
                for way, prompt in _prompts(conversation, query, memories).items():
                    prompts[way].append(prompt)
    return prompts


def _prompts(
    conversation: Conversation, query: Query, memories: Sequence[Memory]
) -> dict[str, Prompt]:
    """The same memories in every way: lines with and without the tool, full texts, records."""
    prefix = len(conversation.id) + 1
    common: dict[str, Any] = {"recall_id": "r", "now": NOW, "budget": _BUDGET, "sanitize": sanitize}
    numbers = {memory.id: number for number, memory in enumerate(memories, 1)}
    lined: dict[str, Any] = {
        **common,
        "mark": _MARK_OF_LINES,
        "number": numbers.__getitem__,
        "question": query.text,
    }
    full = render(memories, mark=_MARK, **common)
    lines = render_lines(memories, whole=False, **lined)
    whole = render_lines(memories, whole=True, **lined)
    records = [render_details(memory, mark=_MARK, sanitize=sanitize) for memory in memories]
    shown = {one: block.memory_ids for one, block in (("full", full), ("lines", lines)) if block}
    ids = {way: [one[prefix:] for one in found] for way, found in shown.items()}
    opening = [
        record
        for memory, line, record in zip(
            memories, lines.lines if lines else (), records, strict=True
        )
        if GAP in line and memory.id[prefix:] in query.relevant
    ]
    texts = {way: block.text if block else "" for way, block in (("full", full), ("whole", whole))}
    return {
        "lines": Prompt(
            lines.text if lines else "", ids.get("lines", ()), query, opening="\n".join(opening)
        ),
        "whole": Prompt(texts["whole"], ids.get("lines", ()), query),
        "full": Prompt(texts["full"], ids.get("full", ()), query),
        "records": Prompt("\n".join(records), ids.get("full", ()), query),
    }


def _listed(
    conversations: Sequence[Conversation], embedder: CachedEmbedder, peer: str
) -> list[Prompt]:
    """What a peer's list of the same length puts into the prompt."""
    make = available(embedder)[peer]
    prompts: list[Prompt] = []
    for conversation in conversations:
        texts = {
            turn.id: f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
            for turn in conversation.turns
        }
        with make(conversation) as rank:
            for query in conversation.queries:
                found = rank(query.text)[:TOP_K]
                listed = "\n".join(f"- {texts[one]}" for one in found)
                prompts.append(Prompt(_MEM0.format(listed), found, query))
    return prompts
