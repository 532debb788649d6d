"""What a memory adds to one turn of an agent, against one embedding of a query in the same run.

A turn is a question of a person, two requests to a scripted model over a real socket, and one tool
call between them. It is run by turns with the memory and without; every turn asks something new, so
that each query is encoded. A framework is a module `_overhead_NAME` of this package, and is left
out where it is not installed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

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
    """Return `figures` for each framework that is installed, or for one; no data is read."""
    del data, peers
    figures: dict[str, float] = {}
    for name, package in FRAMEWORKS.items():
        module = f"benchmarks._overhead_{name}"
        if adapter in ("", name) and find_spec(package) and find_spec(module):
            start = import_module(module).start
            figures |= {f"{name}.{key}": value for key, value in _framework(start, turns).items()}
    return {"figures": figures, "peers": {}}


def _framework(start: Callable[[AgentPlan], DrivenAgent], turns: int) -> dict[str, float]:
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
        _fill(memory)
        without = start(AgentPlan(url=server.url, mode="", tools=[look_up], session="bare"))
        within = start(
            AgentPlan(url=server.url, mode="", tools=[look_up], session="ours", hindsight=memory)
        )
        for number in range(turns + _WARM_UP):
            text = f"What is the word of the day number {number}, and where does it come from?"
            bare.append(_timed(lambda text=text: without.turn(text)))
            ours.append(_timed(lambda text=text: within.turn(text)))
            encoded.append(_timed(lambda text=text: embedder.query(f"{text} Say it.")))
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


def _fill(memory: Hindsight) -> None:
    scope = memory.scope_of("ann")
    for number in range(_KNOWN):
        kind = Kind.PREFERENCE if number % 2 else Kind.FACT
        text = f"Word number {number} of the day is explained with example {number % 17}."
        memory.remember(scope, text, kind=kind, source=Source.USER)
    memory.flush()


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
