"""Writes are not held up by what they cause: encoding waits for a lull, unless it is waited for."""

import time
from collections.abc import Sequence

import numpy as np
import pytest

from hindsight_core import Hindsight, Kind, Scope, Source
from hindsight_core.engine import encoding
from hindsight_core.ports import IndexInfo

ME = Scope(user="ana")


class Batches:
    """Gives every text the same vector and notes how many came at once."""

    info = IndexInfo(model="batches", dimension=4, relevance=0.3, same_subject=0.6)

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        self.sizes.append(len(texts))
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

    def query(self, text: str) -> np.ndarray:
        return self.passages([text])[0]


def write(memory: Hindsight, *numbers: int) -> None:
    for number in numbers:
        memory.remember(ME, f"Shelf {number} holds bolts", kind=Kind.FACT, source=Source.USER)


def test_a_burst_is_encoded_at_once_when_somebody_waits_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "_LULL", 600.0)
    embedder = Batches()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        assert memory.flush(timeout=60)  # what opening woke
        write(memory, *range(12))
        assert embedder.sizes == []
        assert memory.flush(timeout=60)
        assert embedder.sizes == [12]
        write(memory, 20, 21, 22)  # one that waited does not hurry those that come after it
        assert embedder.sizes == [12]
        assert memory.recall(ME, "Shelf 2").memories  # found by its words, and no longer waited for
        assert memory.flush(timeout=60)
        assert sorted(embedder.sizes) == [1, 3, 12]


def test_what_a_program_wrote_before_it_closed_is_encoded(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "_LULL", 600.0)
    embedder = Batches()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        assert memory.flush(timeout=60)
        write(memory, *range(5))
    assert embedder.sizes == [5]


@pytest.mark.parametrize(("lull", "burst"), [(0.01, 60.0), (0.2, 0.05)])
def test_nobody_has_to_wait_for_it(tmp_path, monkeypatch, lull, burst):
    """After a lull, and in the midst of a burst that goes on for too long."""
    monkeypatch.setattr(encoding, "_LULL", lull)
    monkeypatch.setattr(encoding, "_LONGEST_BURST", burst)
    embedder = Batches()
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        until = time.monotonic() + 60
        number = 0
        while not embedder.sizes and time.monotonic() < until:
            if burst < lull or not number:  # the writes go on, or there was one
                memory.remember(ME, f"Shelf {number} holds nuts", source=Source.USER)
                number += 1
            time.sleep(0.005)
        assert embedder.sizes
