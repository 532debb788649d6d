"""Measure how tool outcomes are judged, on labelled results and on recorded logs, and its cost.

Protocol of `logs`: a log is a list of messages. A message by an executor (its name or role says
terminal or executor) that states an exit code or follows a code block is the result of one call of
`execute_code`, whose argument is the last code block of the three messages before; what other
speakers say is no tool result, nor is an executor's word that it was given no code. An *explicit
error* is such a message that states an exit code other than 0, or no exit code and a Python
traceback. A log with explicit errors counts as found when all of them are among the failures that
`judge_run` captures. `logs.events_per_log` is the mean number of captured failures over all logs.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hindsight_core.capture import judge_outcome, judge_run, make_call
from hindsight_core.events import Event, RunEnded, RunStarted, ToolCalled, UserSaid
from hindsight_core.schema import Scope

__all__ = ["cost", "failing_steps", "logs", "tools"]

_SCOPE = Scope(user="benchmark")
_START = datetime(2030, 1, 1, tzinfo=UTC)
_EXECUTOR = re.compile(r"terminal|executor", re.IGNORECASE)
_STATED = re.compile(r"\s*exit ?code: (-?\d+)", re.IGNORECASE)
_CODE = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_SOFT = {"soft_failure": "soft"}
_RUN = 50


def tools(data: Path) -> dict[str, float]:
    """Share of results judged right: worked or not, the class of a failure, whether it passes."""
    rows = list(_rows(data / "own_tool_results.jsonl"))
    if not rows:
        return {}
    right: dict[str, list[bool]] = {"outcome": [], "class": [], "transient": [], "retry": []}
    for row in rows:
        judged = judge_outcome(row["tool"], row["args"], raised=row["raised"], result=row["result"])
        failed = row["outcome"] == "error"
        right["outcome"].append(judged.ok is not failed)
        right["transient"].append(judged.transient == row["transient"])
        right["retry"].append(judged.retry_same_args == row["retry_same_args"])
        if failed:
            wanted = _SOFT.get(row["class"], row["class"])
            right["class"].append(str(judged.error_class) == wanted)
    return {f"tools.{name}_accuracy": _share(hits) for name, hits in right.items()}


def logs(data: Path) -> dict[str, float]:
    """Share of logs whose explicit errors are captured, and captured failures a log."""
    found: list[bool] = []
    captured = count = 0
    for row in _rows(data / "logs_who_and_when.jsonl"):
        explicit = {step for step, text in _executed(row["history"]) if _is_explicit(text)}
        failing = failing_steps(row["history"])
        count += 1
        captured += len(failing)
        if explicit:
            found.append(explicit <= failing)
    if not count:
        return {}
    return {"logs.step_recall": _share(found), "logs.events_per_log": captured / count}


def failing_steps(history: Sequence[dict[str, Any]]) -> set[int]:
    """Return the indexes of the messages whose call `judge_run` captures as failed."""
    events: list[Event] = [RunStarted(**_base("log", 0), task="", framework="autogen")]
    for step, text in _executed(history):
        call = make_call("execute_code", {"code": _code_before(history, step)}, str(step))
        events.append(ToolCalled(**_base("log", step + 1), call=call, result=text))
    judged = judge_run([*events, RunEnded(**_base("log", len(history) + 1))])
    return {int(call.key.rpartition("-")[2]) - 1 for call in judged.calls if not call.ok}


def cost(data: Path, embed: Callable[[Sequence[str]], object]) -> dict[str, float]:
    """Seconds to judge runs of 50 events over seconds to embed their user texts."""
    runs = list(_runs_of_fifty(data))
    if not runs:
        return {}
    texts = [[e.text for e in run if isinstance(e, UserSaid)] for run in runs]
    judge_run(runs[0])
    embed(texts[0])
    begin = time.perf_counter()
    for run in runs:
        judge_run(run)
    middle = time.perf_counter()
    for said in texts:
        embed(said)
    judging, embedding = middle - begin, time.perf_counter() - middle
    return {
        "judge.over_embedding": judging / embedding,
        "judge.ms_per_event": judging * 1_000 / (len(runs) * _RUN),
    }


def _runs_of_fifty(data: Path) -> Iterator[list[Event]]:
    """Join the events of recorded sessions into runs of 50."""
    events: list[Event] = []
    for number, row in enumerate(_rows(data / "own_sessions.jsonl")):
        for session in row["sessions"]:
            for said in session["events"]:
                base = _base(f"run-{number}", len(events))
                if said["type"] == "user":
                    events.append(UserSaid(**base, text=said["text"]))
                elif said["type"] == "tool":
                    call = make_call(said["name"], said["args"], str(len(events)))
                    events.append(ToolCalled(**base, call=call, result=said["result"]))
                if len(events) == _RUN:
                    yield events
                    events = []


def _executed(history: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    for step, message in enumerate(history):
        speaker = f"{message.get('name', '')} {message.get('role', '')}"
        text = str(message["content"])
        ran = _STATED.match(text) or _code_before(history, step, reach=1)
        if ran and (_EXECUTOR.search(speaker) or _STATED.match(text)):
            yield step, text


def _code_before(history: Sequence[dict[str, Any]], step: int, *, reach: int = 3) -> str:
    said = "\n".join(str(message["content"]) for message in history[max(0, step - reach) : step])
    blocks = _CODE.findall(said)
    return blocks[-1] if blocks else ""


def _is_explicit(text: str) -> bool:
    stated = _STATED.match(text)
    failed = stated is not None and int(stated[1]) != 0
    return failed or (stated is None and "Traceback (most recent call last)" in text)


def _base(run: str, step: int) -> dict[str, Any]:
    return {
        "run_id": run,
        "scope": _SCOPE,
        "key": f"{run}-{step}",
        "at": _START + timedelta(seconds=step),
    }


def _share(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)
