"""What a memory adds to one turn of an agent, against one embedding of a query in the same run.

A turn is a question of a person, two requests to a scripted model over a real socket, and one tool
call between them. It is run by turns with the memory and without; every turn asks something new, so
that each query is encoded. What is remembered and asked is drawn from the texts of the folder. A
framework is a module `_overhead_NAME` of this package, and is left out where it is not installed.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._retrieval_data import read
from benchmarks.retrieval import LOCOMO, MEMDAILY
from hindsight_core import Hindsight, Kind, Settings, Source
from hindsight_core.models import default_embedder
from hindsight_core.testing.adapter_driver import AgentPlan, DrivenAgent
from hindsight_core.testing.scripted_server import ScriptedServer

FRAMEWORKS = {"autogen": "autogen_agentchat", "crewai": "crewai", "langchain": "langchain"}
"""Each framework with the module that shows that it is installed."""

TURNS = 60
_WARM_UP = 5
_KNOWN = 300


def measure(
    data: Path, *, peers: bool = True, turns: int = TURNS, adapter: str = ""
) -> dict[str, dict[str, Any]]:
    """Return `figures` for each framework that is installed, or for one; there are no peers."""
    del peers
    said, asked = _texts(data)
    figures: dict[str, float] = {}
    for name, package in FRAMEWORKS.items():
        module = f"benchmarks._overhead_{name}"
        if adapter in ("", name) and find_spec(package) and find_spec(module):
            found = _framework(import_module(module).start, said, asked[: turns + _WARM_UP])
            figures |= {f"{name}.{key}": value for key, value in found.items()}
    return {"figures": figures, "peers": {}}


def _texts(data: Path) -> tuple[list[str], list[str]]:
    """What was said and what is asked, in both languages by turns."""
    files = [data / name for name in (LOCOMO, MEMDAILY) if (data / name).exists()]
    if not files:
        raise SystemExit(
            f"overhead draws its texts from {LOCOMO} or {MEMDAILY}; {data} has neither"
        )
    conversations = [one for file in files for one in read(file)]
    said = list(dict.fromkeys(turn.text for one in conversations for turn in one.turns))
    asked = list(dict.fromkeys(query.text for one in conversations for query in one.queries))
    draw = random.Random(1)
    draw.shuffle(said)
    draw.shuffle(asked)
    return said[:_KNOWN], asked


def _framework(
    start: Callable[[AgentPlan], DrivenAgent], said: Sequence[str], asked: Sequence[str]
) -> dict[str, float]:
    embedder = default_embedder()
    if embedder is None:
        raise SystemExit("overhead needs an embedder: pip install 'hindsight-core[embed]'")
    bare: list[float] = []
    ours: list[float] = []
    encoded: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedServer([[("look_up", {"word": "pear"})], "It is a fruit."], cycle=True) as server,
        Hindsight.open(f"{folder}/overhead.db", settings=Settings(deadline=60)) as memory,
    ):
        _fill(memory, said)
        without = start(AgentPlan(url=server.url, mode="", tools=[look_up], session="bare"))
        within = start(
            AgentPlan(url=server.url, mode="", tools=[look_up], session="ours", hindsight=memory)
        )
        for text in asked:
            bare.append(_timed(lambda text=text: without.turn(text)))
            ours.append(_timed(lambda text=text: within.turn(text)))
            encoded.append(_timed(lambda text=text: embedder.query(text)))
    plain, full, one = (median(times[_WARM_UP:]) for times in (bare, ours, encoded))
    return {
        "embeddings_plus": (full - plain) / one,
        "turn_ratio": full / plain,
        "allowed_embeddings": 1 + 0.05 * plain / one,
        "bare_ms": 1_000 * plain,
        "embedding_ms": 1_000 * one,
    }


def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word}: a word of four letters"


def _fill(memory: Hindsight, said: Sequence[str]) -> None:
    scope = memory.scope_of("ann")
    for number, text in enumerate(said):
        kind = Kind.PREFERENCE if number % 2 else Kind.FACT
        memory.remember(scope, text, kind=kind, source=Source.USER)
    memory.flush()


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
