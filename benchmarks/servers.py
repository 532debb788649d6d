"""What a store of many machines costs beside the embedded one, and how vectors are best cut.

`--url` names an empty PostgreSQL database (or schema) to fill; without it the figures of PostgreSQL
are left out. Recall on both stores is measured by turns in one process over the same records, with
questions that neither was asked before: `retrieve` is the search alone, without the question's
embedding, `recall` the whole call. `--cache` names an empty Redis server, and then each question is
asked twice: the second time the cache has the answer. With `qdrant-edge-py` one collection is
compared with collections by month, of which a search asks the last three.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from benchmarks._retrieval_data import read
from benchmarks.latency import _START, ME, _fill, _Known, _texts
from benchmarks.retrieval import LOCOMO
from hindsight_core import Hindsight
from hindsight_core.models import default_embedder
from hindsight_core.ports import Embedder, Where
from hindsight_core.recall import questions, retrieve
from hindsight_core.stores import locate, open_sql_store, open_store
from hindsight_core.stores.moving import move

RECORDS = 100_000
_QUARTER = timedelta(days=91)
_MONTHS = 12


def measure(
    data: Path,
    *,
    peers: bool = True,  # noqa: ARG001
    url: str | None = None,
    cache: str | None = None,
    records: int = RECORDS,
) -> dict[str, dict[str, Any]]:
    """Return `figures`; `records` is for trying it out on less."""
    embedder = default_embedder()
    if embedder is None:
        raise SystemExit("servers needs an embedder: pip install 'hindsight-core[embed]'")
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        if url:
            place = Path(name) / "embedded.db"
            figures |= _postgres(place, url, data, embedder, records, cache)
        if find_spec("qdrant_edge"):
            figures |= _months(Path(name), min(records, 60_000))
    if (data / LOCOMO).exists():
        figures["answers_older_than_three_months"] = _older(data)
    return {"figures": figures, "peers": {}}


def _postgres(
    place: Path, url: str, data: Path, embedder: Any, records: int, cache: str | None = None
) -> dict[str, float]:
    said, asked = _texts(data)
    if not place.exists():
        _fill(place, records, said, embedder.passages(said[:128]), embedder)
    started = time.perf_counter()
    with closing(open_sql_store(locate(str(place)))) as one, closing(open_sql_store(url)) as other:
        move(one, other)
    figures = {"move_seconds": time.perf_counter() - started}
    vectors = {q.text: embedder.query(q.text) for text in asked for q in questions(text)}
    known, now = _Known(embedder, vectors), _START + timedelta(days=365)
    warm, timed = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    took: dict[str, list[float]] = {}
    opened = open_sql_store(url)  # itself, so that loading the vectors is no sign of being down
    with Hindsight.open(str(place)) as embedded, Hindsight.open(store=opened) as server:
        for text in (*warm, *timed):
            for name, memory in (("embedded", embedded), ("server", server)):
                search = _time(
                    lambda text=text, memory=memory: retrieve(
                        memory.store, known, ME, text, Where(), top_k=12, now=now
                    )
                )
                whole = _time(lambda text=text, memory=memory: memory.recall(ME, f"{text} (again)"))
                if text in timed:
                    took.setdefault(f"retrieve {name}", []).append(search)
                    took.setdefault(f"recall {name}", []).append(whole)
    for step in ("retrieve", "recall"):
        one, other = median(took[f"{step} embedded"]), median(took[f"{step} server"])
        figures[f"{step}.postgres_ms"] = 1000 * other
        figures[f"{step}.postgres_over_sqlite"] = other / one
    return figures | (_cached(url, cache, known, asked, now) if cache else {})


def _cached(
    url: str, cache: str, known: Embedder, asked: Sequence[str], now: datetime
) -> dict[str, float]:
    """The p95 of what the cache answers over that of the same questions asked of the tables."""
    took: dict[str, list[float]] = {}
    with Hindsight.open(store=open_store(url, cache, None)) as memory:
        for text in asked:
            for turn in ("asked", "again"):
                search = _time(
                    lambda text=text: retrieve(
                        memory.store, known, ME, text, Where(), top_k=12, now=now
                    )
                )
                took.setdefault(f"retrieve {turn}", []).append(search)
        for text in asked:
            for turn in ("asked", "again"):
                whole = _time(lambda text=text: memory.recall(ME, f"{text} (twice)"))
                took.setdefault(f"recall {turn}", []).append(whole)
    # The first question of all has loaded the vectors.
    p95 = {name: quantiles(seconds[1:], n=20)[-1] for name, seconds in took.items()}
    return {
        f"{step}.cached_p95_over_uncached": p95[f"{step} again"] / p95[f"{step} asked"]
        for step in ("retrieve", "recall")
    }


def _months(folder: Path, count: int) -> dict[str, float]:
    """One collection of a year against twelve, of which three are asked and their best joined."""
    from hindsight_core.stores.points import Point, PointFilter
    from hindsight_core.stores.qdrant_edge import EdgePoints

    chance = np.random.default_rng(1)
    rows = chance.normal(size=(count, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    points = EdgePoints(folder / "months")
    for number in range(_MONTHS + 1):
        points.make(f"c{number}", rows.shape[1])
    users = 50
    for start in range(0, count, 1_000):
        month = start * _MONTHS // count
        made = [
            Point(n, rows[n], n % users, "fact", "active", False, n, 0.9)
            for n in range(start, min(start + 1_000, count))
        ]
        for collection in (f"c{month}", f"c{_MONTHS}"):
            points.upsert(collection, made)
    took: dict[str, list[float]] = {"one": [], "three": [], "all": []}
    for number in range(60):
        which = PointFilter(scopes=(number % users,), where=Where())
        for name, asked in (
            ("one", (_MONTHS,)),
            ("three", range(_MONTHS - 3, _MONTHS)),
            ("all", range(_MONTHS)),
        ):
            seconds = sum(
                _time(lambda c=c, which=which, n=number: points.search(f"c{c}", rows[n], which, 60))
                for c in asked
            )
            took[name].append(seconds)
    points.close()
    return {
        "months.last_three_over_one": median(took["three"]) / median(took["one"]),
        "months.all_over_one": median(took["all"]) / median(took["one"]),
    }


def _older(data: Path) -> float:
    """The share of questions whose answer was said over three months before the last turn."""
    asked = old = 0
    for one in read(data / LOCOMO):
        said = {turn.id: turn.said_at for turn in one.turns if turn.said_at is not None}
        if not said:
            continue
        last = max(said.values())
        for query in one.queries:
            times = [said[turn] for turn in query.relevant if turn in said]
            asked += bool(times)
            old += bool(times) and max(times) < last - _QUARTER
    return old / max(1, asked)


def _time(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
