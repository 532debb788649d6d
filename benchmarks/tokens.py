"""What the memories of a prompt cost: one line each, full texts, and the list that mem0 gives.

The same three memories of a question are rendered in each way, so that what is found is the same; a
peer gets the same turns and the same embedder. Four prompts are ours: `lines` (one line a memory,
`memory_details` at hand), `whole` (the same for an agent without that tool, where nothing is left
out), `full` (full texts with what stands around them, `injection="full"`), and `bare`, the texts in
a plain list with nothing that says where they come from or that they are no instructions.

`saving` is of lines against full. `evidence` is the share of a question's relevant turns that the
prompt shows, `evidence_kept` that of lines over that of full texts, `words_kept` the share of the
words of relevant turns that their lines kept: the rest is behind the tool. `tokens_opened` adds the
cost of opening each relevant line that is not whole.

Tokens are those of OpenAI's `o200k_base`, counted by `bpe-openai`, which brings the vocabulary in
its wheel. Where that is not installed they are estimated, as the token budget of a block is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from hindsight_core.recall.gist import GAP, covered
from hindsight_core.schema import Memory

__all__ = ["Prompts", "measure", "prompts"]

TOP_K: Final = 3
"""Memories that a run is shown, ours by default and in the peers' own examples."""
_MARK: Final = "0123456789abcdef"
_MARK_OF_LINES: Final = "012345678"
"""Like those that the engine draws: 16 hexadecimal digits, nine decimal ones."""
_BUDGET: Final = 10_000
"""No text is left out for want of room: what is compared must be the same memories."""
_MEM0: Final = "User Memories:\n{}"
"""How mem0's own first example puts its list into the prompt."""


WAYS: Final = ("lines", "whole", "full", "bare")


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """What one question puts into the prompt in each way, and what of its evidence that shows.

    `words_kept` is told of each relevant memory, `opening` what the tool answers for each of those
    whose line is not whole.
    """

    texts: dict[str, str]
    evidence: dict[str, float]
    words_kept: list[float]
    opening: list[str]


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
        _tell(f"{name}: encoding and searching")
        figures |= _figures(name, _ours(conversations, embedder), count)
        if peers and find_spec("mem0"):
            _tell(f"{name}: the list of mem0")
            listed = _listed(conversations, embedder, "mem0")
            others.setdefault("mem0", {}).update(
                {
                    f"{name}.tokens_bare": fmean(count(text) for text, _ in listed),
                    f"{name}.evidence": fmean(evidence for _, evidence in listed),
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


def _figures(name: str, ours: Sequence[Prompts], count: Callable[[str], int]) -> dict[str, float]:
    tokens = {way: fmean(count(one.texts[way]) for one in ours) for way in WAYS}
    opening = fmean(sum(map(count, one.opening)) for one in ours)
    evidence = fmean(one.evidence["lines"] for one in ours)
    evidence_full = fmean(one.evidence["full"] for one in ours)
    kept = [share for one in ours for share in one.words_kept]
    return {
        f"{name}.saving": 1 - tokens["lines"] / tokens["full"],
        f"{name}.saving_whole": 1 - tokens["whole"] / tokens["full"],
        f"{name}.saving_opened": 1 - (tokens["lines"] + opening) / tokens["full"],
        f"{name}.evidence": evidence,
        f"{name}.evidence_kept": evidence / evidence_full if evidence_full else 1.0,
        f"{name}.words_kept": fmean(kept) if kept else 1.0,
        **{f"{name}.tokens_{way}": mean for way, mean in tokens.items()},
        f"{name}.tokens_opened": tokens["lines"] + opening,
    }


def _ours(conversations: Sequence[Conversation], embedder: CachedEmbedder) -> list[Prompts]:
    made: list[Prompts] = []
    for number, conversation in enumerate(conversations, 1):
        with searching(conversation, embedder, TOP_K) as search:
            made += [
                prompts(conversation, query, search(query.text)) for query in conversation.queries
            ]
        _tell(f"{number} of {len(conversations)} conversations, {len(made)} questions")
    return made


def prompts(conversation: Conversation, query: Query, memories: Sequence[Memory]) -> Prompts:
    """The same memories of one question in every way."""
    prefix = len(conversation.id) + 1
    numbers = {memory.id: number for number, memory in enumerate(memories, 1)}
    common: dict[str, Any] = {"recall_id": "r", "now": NOW, "budget": _BUDGET, "sanitize": sanitize}
    lined: dict[str, Any] = {
        **common,
        "mark": _MARK_OF_LINES,
        "number": numbers.__getitem__,
        "question": query.text,
    }
    blocks = {
        "lines": render_lines(memories, whole=False, **lined),
        "whole": render_lines(memories, whole=True, **lined),
        "full": render(memories, mark=_MARK, **common),
    }
    bare = _MEM0.format("\n".join(f"- {memory.content}" for memory in memories))
    texts = {way: block.text if block else "" for way, block in blocks.items()}
    shown = {way: block.memory_ids if block else () for way, block in blocks.items()}
    lines = dict(zip(shown["lines"], blocks["lines"].lines if blocks["lines"] else (), strict=True))
    relevant = [memory for memory in memories if memory.id[prefix:] in query.relevant]
    return Prompts(
        texts={**texts, "bare": bare if memories else ""},
        evidence={
            way: len(query.relevant.intersection(one[prefix:] for one in ids)) / len(query.relevant)
            for way, ids in shown.items()
        },
        words_kept=[
            covered(lines.get(memory.id, ""), memory.content) / words
            for memory in relevant
            if (words := covered(memory.content, memory.content))
        ],
        opening=[
            render_details(memory, mark=_MARK_OF_LINES, now=NOW, sanitize=sanitize, origin=False)
            for memory in relevant
            if GAP in lines.get(memory.id, "") and GAP not in memory.content
        ],
    )


def _tell(what: str) -> None:
    print(f"tokens: {what}", file=sys.stderr, flush=True)


def _listed(
    conversations: Sequence[Conversation], embedder: CachedEmbedder, peer: str
) -> list[tuple[str, float]]:
    """What a peer's list of the same length puts into the prompt, and its evidence."""
    make = available(embedder)[peer]
    made: list[tuple[str, float]] = []
    for conversation in conversations:
        texts = {
            turn.id: f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
            for turn in conversation.turns
        }
        with make(conversation) as rank:
            for query in conversation.queries:
                found = rank(query.text)[:TOP_K]
                listed = "\n".join(f"- {texts[one]}" for one in found)
                evidence = len(query.relevant.intersection(found)) / len(query.relevant)
                made.append((_MEM0.format(listed), evidence))
    return made
