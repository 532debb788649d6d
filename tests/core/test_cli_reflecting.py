"""Reflection by the command line, over a real socket."""

import json

import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.cli.app import app
from hindsight_core.testing.scripted_server import Reply, ScriptedServer

ME = Scope(user="ana")
CARD = {
    "run": 1,
    "mistake": 1,
    "wrong": "The time was given in words.",
    "instead": "Give the time as HH:MM.",
    "fix": None,
    "notice": "The request names a time.",
    "runs": [1],
    "decidable": True,
    "confidence": 0.9,
    "domain": "booking",
}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, settings=Settings(deadline=60.0)) as hindsight:
        run = hindsight.run(ME, task="Book a table at eight", session="monday")
        run.user("Book a table at eight")
        run.after_tool(
            "book", {"time": "8pm"}, result="Error: time must be HH:MM", flagged_error=True
        )
        run.finish(ok=False)
    return path


def invoke(*args):
    return CliRunner().invoke(app, list(args))


def test_a_batch_is_run_and_its_queue_and_cards_are_shown(store):
    queue = json.loads(invoke("reflect", "queue", "--store", store, "--json").stdout)
    assert (queue["waiting"], queue["calls"]) == (1, 0)
    assert json.loads(invoke("stats", "--store", store, "--json").stdout)["reflection"] == queue
    assert "1 runs wait" in invoke("stats", "--store", store).stdout
    with ScriptedServer([json.dumps({"cards": [CARD]})]) as server:
        at = ("--model", "scripted", "--base-url", server.url)
        done = invoke("reflect", "run", *at, "--store", store, "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["runs"], report["waiting"], len(report["lessons"])) == (1, 0, 1)
    found = json.loads(invoke("reflect", "cards", "--store", store, "-u", "ana", "--json").stdout)
    assert [memory["id"] for memory in found] == report["lessons"]
    shown = invoke("reflect", "cards", "--store", store, "-u", "ana").stdout
    for word in ("booking", "unproven", "0.90"):
        assert word in shown


@pytest.mark.swallows
def test_a_batch_that_was_stopped_says_why_and_fails(store):
    with ScriptedServer([Reply(status=401, text="wrong key")], cycle=True) as server:
        at = ("--model", "scripted", "--base-url", server.url)
        done = invoke("reflect", "run", *at, "--store", store)
    assert done.exit_code == 1
    assert "1 runs wait" in done.stdout
    assert "stopped" in done.output


def test_a_session_is_summed_up_by_rules(store):
    done = invoke("summarize", "monday", "--store", store, "-u", "ana", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["value"]["intent"] == "Book a table at eight"
    assert "Book a table" in invoke("summarize", "monday", "--store", store, "-u", "ana").stdout
