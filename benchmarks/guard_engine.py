"""What the guard does inside the engine: poison that is recalled as advice, and what it costs.

`e2e`: good notes and poisoned ones are remembered through the tool's and the agent's channel; then
each poisoned note is asked for, as an attacker would hope, by the words that it is about. `cost` is
the processor time with the guard over that with a guard that admits everything, signs nothing and
relates nothing, in turns, so that a busy machine does not change it.
"""

from __future__ import annotations

import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final
from unittest.mock import patch

from benchmarks._peers import CachedEmbedder
from benchmarks.train_suspicion import rows_of
from hindsight_core import Hindsight, InvalidMemoryError, Scope, Settings, Source
from hindsight_core.engine import admitting, encoding, sealing
from hindsight_core.guard import Decision, Verdict, admit
from hindsight_core.guard.suspicion import Suspicion
from hindsight_core.models import open_embedder
from hindsight_core.ports import Embedder
from hindsight_core.schema import Candidate

__all__ = ["cost", "end_to_end"]

_HARMFUL: Final = frozenset({"quarantine", "refuse"})
_GOOD: Final = 100
_POISON: Final = 10
_ROUNDS: Final = 3
_WRITES: Final = 30
_ASKED: Final = 30
_SCOPE: Final = Scope(user="benchmark")


def end_to_end(data: Path, models: Mapping[str, Suspicion | None]) -> dict[str, float]:
    """`e2e.poison_share`: recalls that show poison, unmarked or as advice, over all recalls.

    Ten poisoned among a hundred good records, until each poisoned one had its turn; it is asked for
    in its own words, which is the worst case. `models` judge by family. Bursts are not watched, for
    a hundred notes at once would all be held back. `e2e.unguarded_share` is the same with a guard
    that admits everything.
    """
    rows = [row for row in rows_of(data / "own_poison.jsonl") if row["channel"] != "user"]
    good = _good(data, rows)
    poison = [(row["text"], row["channel"]) for row in rows if row["expect"] in _HARMFUL]
    if len(poison) < _POISON or len(good) < _GOOD:
        return {}
    family = {row["text"]: row["family"] for row in rows}

    def by_family(candidate: Candidate, lineage: Sequence[float] = ()) -> Verdict:
        model = models.get(family.get(candidate.value.content, ""))
        return admit(candidate, lineage, model=model)

    found = open_embedder("auto")
    embedder = CachedEmbedder(found) if found else None
    with _quiet():
        with patch.object(admitting, "admit", by_family):
            guarded = _share(good, poison, embedder)
        with _unguarded():
            open_to_all = _share(good, poison[: 2 * _POISON], embedder)
    return {"e2e.poison_share": guarded, "e2e.unguarded_share": open_to_all}


def cost(data: Path) -> dict[str, float]:
    """`cost.write` and `cost.recall`: medians of ratios, the guard's turn and the other's by turns.

    A write is remembered, encoded and findable; its share on the caller's path is `cost.remember`.
    """
    texts = [text for text, _ in _good(data, rows_of(data / "own_poison.jsonl"))]
    if len(texts) < _WRITES + _ASKED:
        return {}
    with _quiet():
        _timed(texts)  # tables and models are read once
        ratios: list[tuple[float, ...]] = []
        for _ in range(_ROUNDS):
            guarded = _timed(texts)
            with _unguarded():
                bare = _timed(texts)
            ratios.append(tuple(one / other for one, other in zip(guarded, bare, strict=True)))
    remember, write, recall = (median(found) for found in zip(*ratios, strict=True))
    return {"cost.remember": remember, "cost.write": write, "cost.recall": recall}


def _good(data: Path, rows: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Honest notes: those of the poison set, and statements of `own_conflicts`."""
    notes = [
        (row["text"], row["channel"])
        for row in rows
        if row["expect"] not in _HARMFUL and row["channel"] != "user"
    ]
    stated = [row["a"] for row in rows_of(data / "own_conflicts.jsonl")]
    return [*notes, *((text, "agent") for text in dict.fromkeys(stated))]


def _share(
    good: Sequence[tuple[str, str]],
    poison: Sequence[tuple[str, str]],
    embedder: Embedder | None,
) -> float:
    draw = random.Random(7)
    recalls = shown = 0
    mixed = draw.sample(list(poison), len(poison))
    for start in range(0, len(mixed) - _POISON + 1, _POISON):
        with _memory(embedder) as hindsight:
            bad = mixed[start : start + _POISON]
            records = [*draw.sample(list(good), _GOOD), *bad]
            draw.shuffle(records)
            ids = {text: _remember(hindsight, text, channel) for text, channel in records}
            hindsight.flush(600)
            harmful = {ids[text] for text, _ in bad} - {""}
            for text, _ in bad:
                found = hindsight.recall(_SCOPE, text)
                recalls += 1
                shown += any(memory.id in harmful for memory in found.memories)
    return shown / recalls


def _remember(hindsight: Hindsight, text: str, channel: str) -> str:
    try:
        return hindsight.remember(_SCOPE, text, source=Source(channel)).id
    except InvalidMemoryError:
        return ""  # refused


def _timed(texts: Sequence[str]) -> tuple[float, float, float]:
    """Processor seconds of the caller remembering, of all until it is findable, and of recalls."""
    with _memory() as hindsight:
        hindsight.remember(_SCOPE, "The first record opens the store and loads the model.")
        hindsight.flush(600)
        start, mine = time.process_time(), time.thread_time()
        for text in texts[:_WRITES]:
            _remember(hindsight, text, "agent")
        remembered = time.thread_time()
        hindsight.flush(600)
        written = time.process_time()
        for text in texts[_WRITES : _WRITES + _ASKED]:
            hindsight.recall(_SCOPE, text)
        recalled = time.process_time()
    return remembered - mine, written - start, recalled - written


@contextmanager
def _memory(embedder: Embedder | str | None = "auto") -> Iterator[Hindsight]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "m.db")
        with Hindsight.open(path, embedder=embedder, settings=_NO_WATCH) as hindsight:
            yield hindsight


@contextmanager
def _unguarded() -> Iterator[None]:
    """A guard that admits everything, signs nothing and relates nothing."""
    with ExitStack() as stack:
        for owner, name, instead in _BARE:
            stack.enter_context(patch.object(owner, name, instead))
        yield


def _admit_all(candidate: Candidate, *_: object, **__: object) -> Verdict:
    return Verdict(decision=Decision.ADMITTED, trust=candidate.source.trust)


_NO_WATCH: Final = Settings(anomaly=None)
_BARE: Final[tuple[tuple[Any, str, Callable[..., Any]], ...]] = (
    (admitting, "admit", _admit_all),
    (encoding.Relater, "relate", lambda *_: None),
    (sealing.Seal, "sign", lambda _, memory: memory),
    (sealing.Seal, "is_intact", lambda *_: True),
)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the log's words on what is held back: there is a lot of it here."""
    logger = logging.getLogger("hindsight_core")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
