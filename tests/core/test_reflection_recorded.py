"""Cards from recorded runs end as checked lessons, and cards that are made up teach nothing."""

import json
import os
import re
from pathlib import Path

import pytest

from hindsight_core import Hindsight, Kind, Scope, Settings, Source
from hindsight_core.capture import read_history, signature
from hindsight_core.models import OpenAIChat
from hindsight_core.testing.scripted_server import ScriptedServer

DATA = Path(os.environ.get("HINDSIGHT_DATA") or Path(__file__).parents[3] / "shared" / "data")
ME = Scope(user="desk")
CALL = re.compile(r"^(\d+)\. (\w+)\(.*?-> (ok|FAILED)", re.MULTILINE)
MOST = 8
SAMPLE = [
    {
        "task_id": "t1",
        "task": "Change my flight to business class.",
        "trial": 0,
        "success": True,
        "steps": [
            {"user": "Change my flight to business class."},
            {"tool": "get_booking", "args": {"booking": "B1"}, "result": '{"seat": "economy"}'},
            {
                "tool": "update_booking",
                "args": {"booking": "B1", "cabin": "business", "pay": "card_7"},
                "result": "Error: payment method not found",
                "error": True,
            },
            {
                "tool": "update_booking",
                "args": {"booking": "B1", "cabin": "business", "pay": "credit_card_7"},
                "result": '{"cabin": "business"}',
            },
        ],
    },
    {
        "task_id": "t2",
        "task": "帮我改签到五月二十日。",
        "trial": 0,
        "success": False,
        "steps": [
            {"user": "帮我改签到五月二十日。"},
            {
                "tool": "update_booking",
                "args": {"booking": "B2", "date": "20 May"},
                "result": "Error: date must be YYYY-MM-DD",
                "error": True,
            },
        ],
    },
]


@pytest.fixture(params=["own", *(["tau"] if (DATA / "runs_tau_airline.jsonl").is_file() else [])])
def recorded(request, tmp_path):
    """Runs of our own, and the recorded ones where the data folder is there."""
    path = DATA / "runs_tau_airline.jsonl"
    if request.param == "own":
        path = tmp_path / "runs.jsonl"
        path.write_text("\n".join(json.dumps(run) for run in SAMPLE), encoding="utf-8")
    runs = (run for run in read_history(path) if any(step.error for step in run.steps))
    return [run for run, _ in zip(runs, range(MOST), strict=False)]


def feed(hs, runs):
    """Replay the runs; the signatures of the calls that failed."""
    failing = set()
    for n, recorded in enumerate(runs):
        run = hs.run(ME, task=recorded.task, session=f"s{n}")
        for at, step in enumerate(recorded.steps):
            if step.kind == "user":
                run.user(step.text)
            elif step.kind == "tool":
                run.after_tool(
                    step.tool,
                    step.args,
                    call_id=f"{n}.{at}",
                    result=step.result,
                    flagged_error=bool(step.error),
                )
                if step.error:
                    failing.add(signature(step.tool, step.args))
        run.finish(ok=recorded.success)
    return failing


def runs_in(text):
    for part in re.split(r"^## Run ", text, flags=re.MULTILINE)[1:]:
        yield int(part.split()[0]), CALL.findall(part)


def careful(request):
    """A model that reads the log: a card for each first failure, with the fix that followed."""
    cards = []
    for number, calls in runs_in(request["messages"][-1]["content"]):
        failed = next((c for c in calls if c[2] == "FAILED"), None)
        if failed is None:
            continue
        fixes = [
            c for c in calls if c[1] == failed[1] and c[2] == "ok" and int(c[0]) > int(failed[0])
        ]
        cards.append(
            {
                "run": number,
                "mistake": int(failed[0]),
                "wrong": f"`{failed[1]}` was called with arguments that do not fit.",
                "instead": "Look the values up before.",
                "fix": int(fixes[0][0]) if fixes else None,
                "notice": "A booking is changed or paid.",
                "runs": [number],
                "decidable": True,
                "confidence": 0.8,
                "domain": "airline",
            }
        )
    return json.dumps({"cards": cards})


def inventive(request):
    """A model that makes things up: calls that were never made, tools that there never were."""
    cards = json.loads(careful(request))["cards"]
    for n, card in enumerate(cards):
        card |= {"instead": "Call `refund_everything` first."} if n % 2 else {"mistake": 9_000}
    return json.dumps({"cards": cards})


def open_at(tmp_path, server):
    settings = Settings(
        reflection_minutes=1e6,
        reflection_runs=999,
        rewrite_seconds=0,  # this model makes cards and nothing else
        maintenance=False,
        deadline=60.0,
    )
    chat = OpenAIChat("scripted", base_url=server.url)
    return Hindsight.open(str(tmp_path / "m.db"), embedder=None, settings=settings, chat=chat)


def test_cards_from_recorded_runs_end_as_checked_lessons(tmp_path, recorded):
    with ScriptedServer([careful], cycle=True) as server, open_at(tmp_path, server) as hs:
        failing = feed(hs, recorded)
        report = hs.reflection.run()
        assert report.runs == len(recorded)
        assert report.lessons
        reflected = [
            memory
            for memory in hs.memories(ME, limit=1_000)
            if memory.kind is Kind.LESSON and memory.lesson.domain == "airline"
        ]
        assert {memory.id for memory in reflected} == set(report.lessons)
        for memory in reflected:
            mistakes = {call.signature for call in memory.lesson.mistake.calls}
            assert mistakes <= failing
            assert memory.trust <= Source.TOOL.trust
            correction = memory.lesson.correction
            assert correction.proven == bool(correction.calls)


def test_cards_that_name_what_never_happened_teach_nothing(tmp_path, recorded):
    with ScriptedServer([inventive], cycle=True) as server, open_at(tmp_path, server) as hs:
        feed(hs, recorded)
        before = hs.memories(ME, limit=1_000)
        report = hs.reflection.run()
        assert report.lessons == []
        assert any("never happened" in reason for reason in report.refused)
        assert hs.memories(ME, limit=1_000) == before
