"""What a memory makes of a user's earlier sessions, through a framework's adapter.

Each scenario of `own_sessions.jsonl` has a store of its own. Its sessions are replayed in order;
then the probe's task is given to an agent of the probe's user, which makes every call of the probe.
A key group is met when one item of the recalled block has all of its keywords, a call is gated when
the gate flagged it.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.capture import RecordedRun, RecordedStep, signature
from hindsight_core.events import CallFlagged
from hindsight_core.models import open_embedder
from hindsight_core.ports import Embedder
from hindsight_core.testing.replay import REPLAY_DRIVERS, Driver
from hindsight_core.text import fold

__all__ = ["Probed", "Scenario", "measure", "probe", "read_scenarios"]

_DONE: Final = "ok"
"""What every call of the probe comes back with: the gate has spoken before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """Sessions as (user, run), and the probe with its recorded expectations."""

    id: str
    language: str
    sessions: tuple[tuple[str, RecordedRun], ...]
    probe: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Probed:
    """What a probe came to: each expectation with whether it was met."""

    recalled: Mapping[str, bool]
    shown_wrongly: Mapping[str, bool]
    gated: Mapping[str, bool]
    gated_falsely: Mapping[str, bool]

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        met = (*self.recalled.values(), *self.gated.values())
        wrong = (*self.shown_wrongly.values(), *self.gated_falsely.values())
        return all(met) and not any(wrong)


def measure(
    data: Path, *, peers: bool = True, adapter: str = "langchain"
) -> dict[str, dict[str, Any]]:
    """Return `figures` by language; there are no peers to this."""
    del peers
    file = data / "own_sessions.jsonl"
    if not file.exists():
        return {"figures": {}, "peers": {}}
    (driver,) = (entry for entry in entry_points(group=REPLAY_DRIVERS) if entry.name == adapter)
    drive, embedder = driver.load(), open_embedder("auto")
    probed: dict[str, list[Probed]] = defaultdict(list)
    for scenario in read_scenarios(file):
        probed[scenario.language].append(probe(scenario, drive, embedder))
    return {
        "figures": {
            f"{language}.{name}": rate
            for language, results in probed.items()
            for name, rate in _rates(results).items()
        },
        "peers": {},
    }


def read_scenarios(file: Path) -> list[Scenario]:
    """Read a file of scenarios, one a line."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    return [
        Scenario(
            id=row["id"],
            language=row["lang"],
            sessions=tuple(
                (one["user_id"], _run(one["session_id"], map(_step, one["events"])))
                for one in row["sessions"]
            ),
            probe=row["probe"],
        )
        for row in rows
    ]


def probe(scenario: Scenario, drive: Driver, embedder: Embedder | None) -> Probed:
    """Replay a scenario in a new store and compare what its probe meets with what it should."""
    asked = scenario.probe
    with (
        tempfile.TemporaryDirectory() as folder,
        # A deadline that is missed on a busy machine would be measured as a memory that failed.
        Hindsight.open(
            f"{folder}/sessions.db", embedder=embedder, settings=Settings(deadline=60)
        ) as hindsight,
    ):
        for user, run in scenario.sessions:
            drive(hindsight, Scope(user=user), run)
        calls = [
            RecordedStep(kind="tool", tool=call["name"], args=call["args"], result=_DONE)
            for call in (*asked["must_gate"], *asked["must_not_gate"])
        ]
        said = RecordedStep(kind="user", text=asked["task"])
        scope = Scope(user=asked["user_id"])
        run_id = drive(hindsight, scope, _run(f"{scenario.id}-probe", (said, *calls)))
        told = hindsight.explain(scope, run_id)
    shown = [fold(c.content) for r in told.recalls for c in r.candidates if c.shown]
    flagged = {event.call.signature for event in told.events if isinstance(event, CallFlagged)}
    return Probed(
        recalled=_met(asked["must_recall_keys"], shown),
        shown_wrongly=_met(asked["must_not_recall_keys"], shown),
        gated=_flagged(asked["must_gate"], flagged),
        gated_falsely=_flagged(asked["must_not_gate"], flagged),
    )


def _run(session: str, steps: Iterable[RecordedStep]) -> RecordedRun:
    kept = tuple(steps)
    first = next((step.text for step in kept if step.kind == "user"), "")
    return RecordedRun(task=first, steps=kept, session=session)


def _step(event: Mapping[str, Any]) -> RecordedStep:
    if event["type"] == "tool":
        return RecordedStep(
            kind="tool",
            tool=event["name"],
            args=event["args"],
            result=event["result"],
            error=event["error"],
        )
    return RecordedStep(kind="user" if event["type"] == "user" else "assistant", text=event["text"])


def _met(groups: Sequence[Sequence[str]], shown: Sequence[str]) -> dict[str, bool]:
    def has(text: str, group: Sequence[str]) -> bool:
        return all(any(fold(one) in text for one in key.split("|")) for key in group)

    return {" & ".join(group): any(has(text, group) for text in shown) for group in groups}


def _flagged(calls: Sequence[Mapping[str, Any]], flagged: set[str]) -> dict[str, bool]:
    return {
        f"{call['name']} {json.dumps(call['args'], ensure_ascii=False)}": signature(
            call["name"], call["args"]
        )
        in flagged
        for call in calls
    }


def _rates(results: Sequence[Probed]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    wholes: Counter[str] = Counter()
    for one in results:
        for name, found in (
            ("recall", one.recalled),
            ("wrong_recall", one.shown_wrongly),
            ("gate", one.gated),
            ("false_gate", one.gated_falsely),
        ):
            counts[name] += sum(found.values())
            wholes[name] += len(found)
        counts["whole"] += one.whole
        wholes["whole"] += 1
    return {name: counts[name] / whole for name, whole in wholes.items() if whole}
