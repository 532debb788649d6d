"""Runs the demo's sessions, each in its own process over one store, and compares."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hindsight_core import Hindsight, HindsightError, RecallReport, Scope
from langchain_hindsight.demo.reporting import Variant, print_demo
from langchain_hindsight.demo.session import Result, Specification
from langchain_hindsight.demo.world import serve, stock_database

__all__ = ["run_demo"]

_BOOK: Final = "Book two rooms for the {what} on {date}, and compare the prices first."
_REPORT: Final = "Look up Ana's address and write a report on the rooms for {date}."
SESSIONS: Final = (
    (
        "From now on always write reports in Markdown, never as CSV.",
        _BOOK.format(what="team day", date="02.05.2031"),
        _REPORT.format(date="02.05.2031"),
    ),
    (_BOOK.format(what="workshop", date="09.06.2031"), _REPORT.format(date="09.06.2031")),
)
_SESSION_SECONDS: Final = 120


def run_demo(
    *,
    variants: Sequence[bool],
    model: str | None = None,
    base_url: str | None = None,
    as_json: bool = False,
) -> None:
    """Run two sessions for each variant, with memory (True) or without, and print the comparison.

    Raises `HindsightError` when a session's process fails.
    """
    found = [_run_variant(memory, model, base_url) for memory in variants]
    if as_json:
        sys.stdout.write(json.dumps([variant.as_dict() for variant in found]) + "\n")
    else:
        print_demo(found, model)


def _run_variant(memory: bool, model: str | None, base_url: str | None) -> Variant:
    with tempfile.TemporaryDirectory(prefix="hindsight-demo-") as home, serve() as desk:
        root = Path(home)
        stock_database(root / "staff.db")
        store = str(root / "memory.db") if memory else None
        sessions: list[Result] = []
        for number, messages in enumerate(SESSIONS, 1):
            folder = root / f"session-{number}"
            folder.mkdir()
            spec = Specification(
                store=store,
                desk=desk,
                database=str(root / "staff.db"),
                folder=str(folder),
                messages=list(messages),
                model=model,
                base_url=base_url,
            )
            sessions.append(_run_session(spec))
        memories, recalls = _what_is_known(store) if store else ([], [])
    return Variant(memory=memory, sessions=sessions, memories=memories, recalls=recalls)


def _run_session(spec: Specification) -> Result:
    command = [sys.executable, "-m", "langchain_hindsight.demo.session", json.dumps(spec)]
    done = subprocess.run(  # noqa: S603 - our own module, by the interpreter that runs now
        command, capture_output=True, text=True, check=False, timeout=_SESSION_SECONDS
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no word of why"]
        raise HindsightError(f"demo: the session's process failed: {last[0]}")
    result: Result = json.loads(done.stdout)
    return result


def _what_is_known(store: str) -> tuple[list[dict[str, Any]], list[RecallReport]]:
    """The memories that were captured, and the recalls that showed some, oldest first."""
    user = Scope(user="demo")
    with Hindsight.open(store) as memory:
        captured = [found.model_dump(mode="json") for found in memory.memories(user)]
        recalls = [report for report in memory.recalls(user) if report.injected]
    return captured, recalls
