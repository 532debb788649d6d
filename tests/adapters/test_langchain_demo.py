"""The demo and the replay as commands: real processes, real framework, real failures."""

import json
import subprocess
import sys

import pytest

RUN = {"date": "2031-05-02"}


def command(*args: str):
    code = "from hindsight_core.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_demo_repeats_no_failure_with_memory_and_repeats_them_all_without():
    done = command("demo", "--json")
    assert done.returncode == 0, done.stderr
    with_memory, without = json.loads(done.stdout)
    assert (with_memory["memory"], without["memory"]) == (True, False)
    assert with_memory["repeated_failures"] == 0
    assert without["repeated_failures"] >= 4
    assert with_memory["calls"] < without["calls"]
    kinds = {memory["kind"] for memory in with_memory["captured"]}
    assert {"preference", "lesson"} <= kinds
    assert [ending(session) for session in with_memory["sessions"]] == [".md", ".md"]
    assert [ending(session) for session in without["sessions"]] == [".md", "csv"]
    last = with_memory["recalls"][-1]
    assert "Markdown" in last["injected"]
    assert all(one["shown"] or one["reason"] for one in last["candidates"])


def ending(session):
    return session["reports"][0][-3:]


def test_a_model_of_the_demo_that_cannot_be_reached_is_one_line_and_exit_code_1():
    done = command("demo", "--memory", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "error" in done.stderr


def test_a_base_url_without_a_model_is_refused():
    done = command("demo", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "--base-url goes with --model" in done.stderr


@pytest.fixture
def recorded(tmp_path):
    failing = {"tool": "book", "args": {"date": "2.5.", "seats": 4}, "result": "bad", "error": True}
    working = {"tool": "book", "args": {**RUN, "seats": 4}, "result": "booked", "error": False}
    rows = [
        {"task_id": "1", "task": "Book a room for the team day", "trial": trial, "success": True}
        | {"steps": [{"user": "Hello, a room please."}, failing, {"user": "Go on."}, working]}
        for trial in range(3)
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_a_replay_counts_what_recall_and_gate_would_have_prevented(recorded):
    done = command("replay", str(recorded), "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["runs.jsonl"]
    assert figures["runs"] == 3
    assert figures["calls"] == 6
    assert figures["repeats"] == 2
    assert figures["prevented3"] == 1.0
    assert figures["gate"] == 1.0
    assert figures["false_warnings"] == figures["false_gate"] == figures["residual"] == 0.0


def test_a_file_that_is_no_recording_is_one_line_and_exit_code_1(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text("not json\n", encoding="utf-8")
    done = command("replay", str(file))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "x.jsonl" in done.stderr
