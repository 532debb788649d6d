"""`python -m benchmarks NAME --data DIR [--json]`: measures, prints, and writes nothing else.

Without `--json` a table, ours beside the peers; with it the last line is one JSON object
`{"benchmark": NAME, "figures": {...}, "peers": {...}}`. A file that DIR lacks leaves its figures
out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

NAMES = (
    "capture",
    "conflicts",
    "faults",
    "guard",
    "latency",
    "overhead",
    "replay",
    "retrieval",
    "servers",
    "sessions",
    "tokens",
)
"""Each is a module of this package with `measure(data, **options)`."""


def main(arguments: list[str] | None = None) -> None:
    """Run one benchmark and print what it measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--data", type=Path, help="folder of the data files (not for faults)")
    parser.add_argument("--seconds", type=float, default=120.0, help="faults: how long")
    parser.add_argument("--store", choices=("both", "postgres", "sqlite"), default="both")
    parser.add_argument("--url", help="servers: an empty PostgreSQL database or schema to fill")
    parser.add_argument("--cache", help="servers: an empty Redis server")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--adapter", default="langchain", help="replay, sessions: which adapter")
    parser.add_argument(
        "--scorer",
        choices=("cross", "shipped"),
        default="cross",
        help="guard: by weights trained without the family judged, or by those of the package",
    )
    parser.add_argument("--no-peers", action="store_true", help="measure ours alone")
    chosen = parser.parse_args(arguments)
    if chosen.name != "faults" and (chosen.data is None or not chosen.data.is_dir()):
        parser.error(f"--data {chosen.data}: no such folder")
    options: dict[str, Any] = {"peers": not chosen.no_peers}
    if chosen.name in ("replay", "sessions"):
        options["adapter"] = chosen.adapter
    if chosen.name == "servers":
        options |= {"url": chosen.url, "cache": chosen.cache}
    if chosen.name == "faults":
        options |= {"seconds": chosen.seconds, "store": chosen.store}
    if chosen.name == "guard":
        options["scorer"] = chosen.scorer
    measured = import_module(f"benchmarks.{chosen.name}").measure(chosen.data, **options)
    if chosen.json:
        print(json.dumps({"benchmark": chosen.name, **measured}))
    else:
        _print_table(measured["figures"], measured["peers"])


def _print_table(figures: Mapping[str, float], peers: Mapping[str, Mapping[str, float]]) -> None:
    names = sorted({*figures, *(name for peer in peers.values() for name in peer)})
    width = max((len(name) for name in names), default=0)
    print(f"{'':{width}}  {'ours':>10}", *(f"{peer:>12}" for peer in peers))
    for name in names:
        row = [f"{name:{width}}", f"{_cell(figures.get(name)):>10}"]
        print("  ".join(row), *(f"{_cell(peer.get(name)):>12}" for peer in peers.values()))


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


if __name__ == "__main__":
    sys.exit(main())
