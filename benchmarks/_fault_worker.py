"""One process of agents for `faults`: each serves a user and writes down what it handed over.

A line is written when the hook has returned. `durable` says whether all that this process handed
over was durable then; it is acknowledged from the first line on that says so.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

from hindsight_core import Hindsight, HindsightError, RunRecorder, Scope


def main() -> None:
    """Run the agents until the time is over."""
    told = json.loads(sys.argv[1])
    with Path(told["log"]).open("a", encoding="utf-8") as log:
        with Hindsight.open(
            told["url"], embedder=None, cache=told["cache"], queue=told["queue"]
        ) as hindsight:
            log_line = Log(log, lambda: hindsight.unrecorded == 0)
            log_line(ready=True)
            go = Path(told["go"])
            while not go.exists():
                time.sleep(0.5)
            until = float(go.read_text())
            agents = [
                threading.Thread(target=work, args=(hindsight, name, until, log_line))
                for name in told["agents"]
            ]
            for agent in agents:
                agent.start()
            while time.time() < until:
                time.sleep(0.25)
                log_line()
                log_line(health=story(hindsight.health().as_dict()))
            for agent in agents:
                agent.join()
        log_line()  # closing has waited for what was late


class Log:
    """Writes lines at once, whole, with the time and whether all that came before is durable."""

    def __init__(self, file: IO[str], durable: Callable[[], bool]) -> None:
        self._file = file
        self._durable = durable
        self._lock = threading.Lock()

    def __call__(self, **what: Any) -> None:
        with self._lock:
            what |= {"at": time.time(), "durable": self._durable()}
            self._file.write(json.dumps(what) + "\n")
            self._file.flush()


def story(health: dict[str, Any]) -> dict[str, Any]:
    """What health says of the servers."""
    queue = health["queue"]
    return {
        "store": bool(health["store_error"]),
        "backlog": queue.get("backlog", 0),
        "redis": bool(health["cache_error"] or queue.get("error")),
        "timeouts": health["timeouts"],
        "passed_over": health["passed_over"],
        "refused": queue.get("refused", 0),
    }


def work(hindsight: Hindsight, name: str, until: float, log: Log) -> None:
    """One agent: say, ask, look, call, end; each hook is timed."""
    scope = Scope(user=name)
    started = time.time_ns()
    number = 0
    while time.time() < until:
        number += 1
        one = f"{name}-{started}-{number}"
        run = hindsight.run(scope, task=f"Tend the garden of {name}", run_id=one)
        for kind, hook in hooks(run, one):
            before = time.perf_counter()
            block = hook()
            took = time.perf_counter() - before
            shown = getattr(block, "text", "")
            crossed = shown.count("I always plant") - shown.count(f"I always plant {name}-")
            log(agent=name, run=one, kind=kind, took=round(took, 4), crossed=crossed)
        if number % 5 == 0:
            note = f"The shed number {one} is locked."
            try:
                hindsight.remember(scope, note)
            except HindsightError:
                continue  # not acknowledged
            log(agent=name, noted=note)
        time.sleep(0.5)


def hooks(run: RunRecorder, one: str) -> list[tuple[str, Callable[[], object]]]:
    """What an adapter would call in one run; those with a name are captured."""
    call = ("plant", {"what": one})
    return [
        ("said", partial(run.user, f"I always plant {one} first.", turn=one)),
        ("", run.context),
        ("", partial(run.before_tool, *call, call_id=one)),
        ("called", partial(run.after_tool, *call, call_id=one, result="ok")),
        ("ended", partial(run.finish, ok=True)),
    ]


if __name__ == "__main__":
    main()
