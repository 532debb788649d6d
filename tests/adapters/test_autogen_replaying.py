"""A recorded conversation becomes one run, as a real agent would have had it."""

from autogen_hindsight.replaying import drive

from hindsight_core import Hindsight, RecordedRun, RecordedStep, Scope
from hindsight_core.events import AgentSaid, CallFlagged, RunEnded, ToolCalled, UserSaid

ME = Scope(user="replay")


def said(text: str) -> RecordedStep:
    return RecordedStep(kind="user", text=text)


def called(path: str, *, error: bool) -> RecordedStep:
    result = "404 Not Found" if error else "here"
    return RecordedStep(kind="tool", tool="查.询", args={"path": path}, result=result, error=error)


def test_all_turns_land_in_one_run_that_is_judged_and_the_gate_speaks_in_the_next(
    memory: Hindsight,
) -> None:
    steps = (
        said("Fetch it."),
        called("/v1", error=True),
        RecordedStep(kind="assistant", text="It is gone."),
        said("Try the newer one."),
        called("/v2", error=False),
        RecordedStep(kind="assistant", text="Here."),
    )
    run = RecordedRun(task="Get the report.", steps=steps, session="s")
    first = memory.explain(ME, drive(memory, ME, run)).events
    assert [e.text for e in first if isinstance(e, UserSaid)] == ["Fetch it.", "Try the newer one."]
    assert [e.text for e in first if isinstance(e, AgentSaid)] == ["It is gone.", "Here."]
    calls = [e for e in first if isinstance(e, ToolCalled)]
    assert [(e.call.tool, e.flagged_error) for e in calls] == [("查.询", True), ("查.询", False)]
    assert any(isinstance(e, RunEnded) for e in first)
    assert memory.store.runs(pending_only=True) == []
    second = memory.explain(ME, drive(memory, ME, run)).events
    flagged = [e.call.args for e in second if isinstance(e, CallFlagged)]
    assert flagged == [{"path": "/v1"}]


def test_a_run_without_words_of_a_person_is_driven_by_its_task(memory: Hindsight) -> None:
    run = RecordedRun(task="Get it.", steps=(called("/v2", error=False),), session="s")
    found = memory.explain(ME, drive(memory, ME, run)).events
    assert [e.text for e in found if isinstance(e, UserSaid)] == ["Get it."]
