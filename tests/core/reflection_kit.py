"""What the tests of reflection share: a card, runs to reflect on, a scripted model."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from hindsight_core import Hindsight, Kind, Memory, Scope, Settings
from hindsight_core.models import OpenAIChat
from hindsight_core.testing.scripted_server import ScriptedServer

ME = Scope(user="ana")
numbering = itertools.count(1)
CARD = {
    "run": 1,
    "mistake": 1,
    "wrong": "The time was given in words.",
    "instead": "Give `book_table` the time as HH:MM.",
    "fix": 2,
    "notice": "The request names a time of day.",
    "runs": [1],
    "decidable": True,
    "confidence": 0.9,
    "domain": "booking",
}


def answer(*cards: dict[str, object]) -> str:
    return json.dumps({"cards": list(cards)}, ensure_ascii=False)


def open_at(tmp_path: Path, server: ScriptedServer, **settings: object) -> Hindsight:
    chat = OpenAIChat("scripted", base_url=server.url, timeout=60.0)
    # A batch only when the test asks for one.
    plain = {
        "reflection_runs": 1_000,
        "reflection_minutes": 10_000.0,
        "reflection_backoff": 0.01,
        "maintenance": False,
        "deadline": 60.0,  # no busy machine misses it
    }
    return Hindsight.open(
        str(tmp_path / "m.db"), embedder=None, settings=Settings(**(plain | settings)), chat=chat
    )


def book(
    hindsight: Hindsight,
    *,
    fixed: bool = True,
    ok: bool = True,
    scope: Scope = ME,
    task: str = "Book a table at eight",
) -> str:
    n = next(numbering)
    run = hindsight.run(scope, task=task, session=f"s{n}")
    run.before_tool("book_table", {"time": "8pm", "seats": 4}, call_id=f"{n}a")
    failed = "Error: time must be HH:MM"
    run.after_tool(
        "book_table",
        {"time": "8pm", "seats": 4},
        call_id=f"{n}a",
        result=failed,
        flagged_error=True,
    )
    if fixed:
        run.before_tool("book_table", {"time": "20:00", "seats": 4}, call_id=f"{n}b")
        run.after_tool(
            "book_table", {"time": "20:00", "seats": 4}, call_id=f"{n}b", result="booked"
        )
    run.finish(ok=ok)
    return run.run_id


def lessons(hindsight: Hindsight, scope: Scope = ME) -> list[Memory]:
    return [m for m in hindsight.memories(scope) if m.kind is Kind.LESSON]
