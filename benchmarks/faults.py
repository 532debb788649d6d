"""Agents go on while the servers of their memory are killed, paused and restarted.

Sixteen agents in four processes, one of which is killed, too, while PostgreSQL is away. What a hook
took counts as acknowledged once the memory says that nothing it took is still on its way; what
`remember` returned from is. At the end, when all servers are back, every piece of it must be in the
store, once, and with its own user. With SQLite only processes are killed, and started anew.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles
from typing import Any

from hindsight_core import Hindsight, Scope, Where
from hindsight_core.schema import Status

PROCESSES, AGENTS = 4, 16
_ROOT = Path(__file__).parents[1]
_EVERY = Where(statuses=tuple(Status), include_superseded=True)
_FAULTS = (
    ("postgres", "kill", 0.10, 0.10),
    ("postgres", "pause", 0.28, 0.12),
    ("postgres", "restart", 0.48, 0.0),
    ("redis", "kill", 0.56, 0.08),
    ("redis", "pause", 0.70, 0.08),
    ("redis", "restart", 0.84, 0.0),
)
"""Server, fault, when it begins and how long it lasts, as shares of the time."""
_WITH_A_PROCESS = ("postgres", "kill")
"""The fault in the middle of which a process of agents is killed as well."""
_TO_DELIVER = 300
"""Seconds that processes have to end, and then what waits to arrive; what does not is lost."""


def measure(
    data: Path | None = None, *, seconds: float = 120.0, store: str = "both", **_: Any
) -> dict[str, Any]:
    """Return the figures of both stores; the data folder is not needed."""
    del data
    figures: dict[str, float] = {}
    if store in ("both", "postgres"):
        figures |= {f"postgres.{name}": value for name, value in _servers(seconds).items()}
    if store in ("both", "sqlite"):
        figures |= {f"sqlite.{name}": value for name, value in _file(seconds).items()}
    return {"figures": figures, "peers": {}}


def _servers(seconds: float) -> dict[str, float]:
    from benchmarks._fault_servers import Postgres, Redis

    servers = {"postgres": Postgres(), "redis": Redis()}
    try:
        with tempfile.TemporaryDirectory() as folder:
            place = {"url": servers["postgres"].url, "cache": servers["redis"].url}
            place["queue"] = place["cache"]
            crew = Crew(Path(folder), place, seconds)
            for server, fault, begins, lasts in _FAULTS:
                crew.wait_until(begins * seconds)
                _strike(servers[server], fault, lasts * seconds, crew)
            crew.wait_until(seconds)
            return crew.judge()
    finally:
        for one in servers.values():
            one.close()


def _strike(server: Any, fault: str, lasts: float, crew: Crew) -> None:
    with crew.fault(server.name, fault):
        if fault == "pause":
            server.pause()
            time.sleep(lasts)
            server.resume()
        else:
            server.kill()
            if (server.name, fault) == _WITH_A_PROCESS:
                time.sleep(lasts / 2)
                crew.kill(0)
                lasts /= 2
            time.sleep(lasts)
            server.start()


def _file(seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        place = {"url": f"{folder}/memory.db", "cache": "", "queue": ""}
        crew = Crew(Path(folder), place, seconds)
        for number, share in enumerate((0.25, 0.5, 0.75)):
            crew.wait_until(share * seconds)
            crew.kill(number)
        crew.wait_until(seconds)
        return crew.judge()


class Crew:
    """The processes of agents, what they wrote down, and the judgement of it."""

    def __init__(self, folder: Path, place: dict[str, str], seconds: float) -> None:
        self._folder = folder
        self._place = place
        self._environment = os.environ | {
            "HINDSIGHT_KEY": "faults" * 6,
            "HINDSIGHT_SPOOL": str(folder / "spool.db"),
            "HINDSIGHT_WAIT": "60",
            "PYTHONPATH": _path(),
        }
        self._faults: list[tuple[str, str, float, float]] = []
        names = [f"gardener{number}" for number in range(AGENTS)]
        self._agents = [names[number::PROCESSES] for number in range(PROCESSES)]
        with self._opened() as hindsight:  # the tables are there before anybody is in a hurry
            hindsight.health()
        self._seconds = seconds
        self._workers = [self._start(number) for number in range(PROCESSES)]
        while sum("ready" in line for line in self._lines()) < PROCESSES:
            if any(worker.poll() is not None for worker in self._workers):
                told = "\n".join(one.read_text() for one in sorted(folder.glob("*.err")))
                raise SystemExit(f"a process of agents ended before it began\n{told}")
            time.sleep(0.1)
        self._started = time.time()
        print("  all processes are at work", file=sys.stderr)
        ready = folder / "go.part"
        ready.write_text(str(self._started + seconds))
        ready.rename(folder / "go")

    def wait_until(self, second: float) -> None:
        """Sleep until so many seconds have passed since the start."""
        time.sleep(max(0.0, self._started + second - time.time()))

    def kill(self, number: int) -> None:
        """Kill one process and start it anew for the rest of the time."""
        self._workers[number].send_signal(signal.SIGKILL)
        self._workers[number].wait()
        self._workers[number] = self._start(number)

    def fault(self, server: str, fault: str) -> Any:
        """The context of one fault, which is written down."""
        return _Noted(self._faults, server, fault)

    def judge(self) -> dict[str, float]:
        """Wait for all to end and all that waited to arrive; compare."""
        codes = [worker.wait(self._seconds + _TO_DELIVER) for worker in self._workers]
        lines = list(self._lines())
        print(f"  they ended with {codes}; {len(lines)} lines", file=sys.stderr)
        with self._opened() as hindsight:
            until = time.monotonic() + _TO_DELIVER
            while hindsight.health().queue.get("backlog") and time.monotonic() < until:
                time.sleep(0.2)
            hindsight.flush(_TO_DELIVER)
            counts = _compare(hindsight, lines)
            health = hindsight.health()
            problems = hindsight.store.check()["problems"]
        took = sorted(line["took"] for line in lines if "took" in line)
        for number, code in enumerate(codes):
            told = (self._folder / f"{number}.err").read_text().splitlines()
            for line in told:
                if "passed over" in line or "are lost" in line or "was refused" in line:
                    print(f"  {number}: {line[:300]}", file=sys.stderr)
            if code:
                print(f"  {number} failed:", *told[-40:], sep="\n    ", file=sys.stderr)
        counts |= {
            "hooks": len(took),
            "hook_p50_ms": 1_000 * took[len(took) // 2],
            "hook_p99_ms": 1_000 * quantiles(took, n=100)[98],
            "hook_max_ms": 1_000 * took[-1],
            "processes_failed": sum(code != 0 for code in codes),
            "backlog_at_the_end": health.queue.get("backlog", 0),
            "ok_at_the_end": health.ok,
            "problems": len(problems),
        }
        return counts | self._story(lines)

    def _story(self, lines: list[dict[str, Any]]) -> dict[str, float]:
        """In how many of the faults health told of it, and the agents went on."""
        told = went_on = 0
        for server, fault, begun, ended in self._faults:
            during = [line for line in lines if begun <= line["at"] <= ended + 1.0]
            key = ("store", "backlog") if server == "postgres" else ("redis",)
            seen = [line["health"] for line in during if "health" in line]
            noticed = any(one[name] for one in seen for name in key)
            told += noticed
            hooks = sum("took" in line for line in during)
            went_on += hooks > 0
            empty = [
                line["at"] - ended
                for line in lines
                if line["at"] > ended and line.get("health", {}).get("backlog") == 0
            ]
            print(
                f"  {server} {fault}: {ended - begun:.1f} s, {hooks} hooks, health "
                f"{'told' if noticed else 'was silent'}, backlog up to "
                f"{max((one['backlog'] for one in seen), default=0)}, "
                f"none {min(empty, default=float('nan')):.1f} s afterwards",
                file=sys.stderr,
            )
        last = [line["health"] for line in lines if "health" in line]
        return {
            "faults": len(self._faults),
            "faults_told": told,
            "faults_gone_on": went_on,
            "passed_over": max((one["passed_over"] for one in last), default=0),
            "timeouts": max((one["timeouts"] for one in last), default=0),
        }

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        told = {
            **self._place,
            "agents": self._agents[number],
            "go": str(self._folder / "go"),
            "log": str(self._folder / f"{number}.log"),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks._fault_worker", json.dumps(told)],
            env=self._environment,
            cwd=_ROOT,
            stderr=(self._folder / f"{number}.err").open("ab"),
        )

    def _opened(self) -> Hindsight:
        os.environ.update(
            {
                name: value
                for name, value in self._environment.items()
                if name.startswith("HINDSIGHT_")
            }
        )
        return Hindsight.open(
            self._place["url"],
            embedder=None,
            cache=self._place["cache"],
            queue=self._place["queue"],
        )

    def _lines(self) -> Iterator[dict[str, Any]]:
        for number in range(PROCESSES):
            log = self._folder / f"{number}.log"
            late: list[dict[str, Any]] = []
            for text in log.read_text().splitlines() if log.exists() else ():
                if not text.endswith("}"):  # who was killed may have left half a line
                    continue
                line = json.loads(text)
                if "ready" in line:  # a new process knows nothing of what the one before had begun
                    yield from ({**one, "acknowledged": False} for one in late)
                    late = []
                late.append(line)
                if line["durable"]:
                    yield from ({**one, "acknowledged": True} for one in late)
                    late = []
            yield from ({**one, "acknowledged": False} for one in late)


class _Noted:
    def __init__(self, faults: list[Any], server: str, fault: str) -> None:
        self._faults, self._what = faults, (server, fault)

    def __enter__(self) -> None:
        self._begun = time.time()

    def __exit__(self, *_: object) -> None:
        self._faults.append((*self._what, self._begun, time.time()))


def _compare(hindsight: Hindsight, lines: list[dict[str, Any]]) -> dict[str, float]:
    """Count what was acknowledged, and what of it is lost, there twice, or with another user.

    What was still late when its process was killed is counted apart.
    """
    acknowledged = late = lost = twice = crossed = 0
    runs: dict[str, list[str]] = {}
    for line in lines:
        crossed += line.get("crossed", 0)
        late += bool(line.get("kind")) and not line["acknowledged"]
        if line.get("kind") and line["acknowledged"]:
            runs.setdefault(line["run"], []).append(line["kind"])
    for run, kinds in runs.items():
        found: Counter[str] = Counter()
        for event in hindsight.store.events(run):
            crossed += event.scope.user != run.partition("-")[0]
            found[
                {"user_said": "said", "tool_called": "called", "run_ended": "ended"}.get(
                    event.type, event.type
                )
            ] += 1
        for kind in kinds:
            acknowledged += 1
            lost += found[kind] < 1
            if found[kind] < 1:
                print(f"  lost: {kind} of {run}", file=sys.stderr)
            twice += found[kind] > 1
    for agent in {line["agent"] for line in lines if "agent" in line}:
        scope = Scope(user=agent)
        contents: Counter[str] = Counter()
        for offset in range(0, 1 << 20, 500):
            page = hindsight.memories(scope, _EVERY, limit=500, offset=offset)
            contents.update(memory.content for memory in page)
            if len(page) < 500:
                break
        notes = [line["noted"] for line in lines if line.get("noted") and line["agent"] == agent]
        acknowledged += len(notes)
        lost += sum(contents[note] < 1 for note in notes)
        twice += sum(count - 1 for count in contents.values())
        crossed += sum("gardener" in text and f"{agent}-" not in text for text in contents)
    return {
        "acknowledged": acknowledged,
        "late": late,
        "lost": lost,
        "twice": twice,
        "crossed": crossed,
    }


def _path() -> str:
    return os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", ""))))
