"""What a memory would have prevented in recorded runs, through a framework's adapter."""

from __future__ import annotations

import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from benchmarks.gate_lookup import over_sqlite
from benchmarks.repair import calls_lost
from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.capture import read_history
from hindsight_core.testing.replay import REPLAY_DRIVERS, replay


def measure(
    data: Path, *, peers: bool = True, adapter: str = "langchain"
) -> dict[str, dict[str, Any]]:
    """Return `figures`: of each `runs_*.jsonl`, a simulated repair, and one look of the gate.

    There are no peers to this.
    """
    del peers
    (driver,) = (entry for entry in entry_points(group=REPLAY_DRIVERS) if entry.name == adapter)
    drive = driver.load()
    figures: dict[str, float] = {}
    for file in sorted(data.glob("runs_*.jsonl")):
        name = file.stem.removeprefix("runs_")
        with (
            tempfile.TemporaryDirectory() as folder,
            # A deadline that is missed on a busy machine would be measured as a memory that failed.
            Hindsight.open(f"{folder}/replay.db", settings=Settings(deadline=60)) as hindsight,
        ):
            found = replay(hindsight, Scope(user="replay"), list(read_history(file)), drive)
        figures |= {f"{name}.{key}": value for key, value in found.rates().items()}
    figures |= {"repair.calls_lost": calls_lost(drive), "gate.over_sqlite_100k": over_sqlite()}
    return {"figures": figures, "peers": {}}
