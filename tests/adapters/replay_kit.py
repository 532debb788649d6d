"""What every driver of recorded runs has to do, whatever the framework."""

from __future__ import annotations

from hindsight_core import Hindsight, RecordedRun, RecordedStep, Scope
from hindsight_core.events import AgentSaid, CallFlagged, Event, RunEnded, ToolCalled, UserSaid
from hindsight_core.testing.replay import Driver

ME = Scope(user="replay")


def said(text: str) -> RecordedStep:
    return RecordedStep(kind="user", text=text)


def called(path: str, *, error: bool) -> RecordedStep:
    result = "404 Not Found" if error else "here"
    return RecordedStep(kind="tool", tool="查.询", args={"path": path}, result=result, error=error)


class ReplayDriver:
    """A recorded conversation becomes one run, as a real agent would have had it."""

    drive: Driver

    def events(self, memory: Hindsight, run: RecordedRun) -> tuple[Event, ...]:
        """The events of the run that the driver made of a recorded one."""
        return tuple(memory.explain(ME, type(self).drive(memory, ME, run)).events)

    def test_all_turns_land_in_one_run_that_is_judged_and_the_gate_speaks_in_the_next(
        self, memory: Hindsight
    ) -> None:
        steps = (
            said("Fetch it."),
            called("/v1", error=True),
            RecordedStep(kind="assistant", text="It is gone."),
            said("Try the newer one."),
            called("/v2", error=False),
            RecordedStep(kind="assistant", text="Here."),
        )
        run = RecordedRun(task="Fetch it.", steps=steps, session="s")
        first = self.events(memory, run)
        words = [e.text for e in first if isinstance(e, UserSaid)]
        assert words == ["Fetch it.", "Try the newer one."]
        assert [e.text for e in first if isinstance(e, AgentSaid)][-1] == "Here."
        calls = [e for e in first if isinstance(e, ToolCalled)]
        assert [(e.call.tool, bool(e.flagged_error)) for e in calls] == [
            ("查.询", True),
            ("查.询", False),
        ]
        assert any(isinstance(e, RunEnded) for e in first)
        assert memory.store.runs(pending_only=True) == []
        second = self.events(memory, run)
        assert [e.call.args for e in second if isinstance(e, CallFlagged)] == [{"path": "/v1"}]

    def test_a_run_without_words_of_a_person_is_driven_by_its_task(self, memory: Hindsight) -> None:
        run = RecordedRun(task="去取。", steps=(called("/v2", error=False),), session="s")
        assert [e.text for e in self.events(memory, run) if isinstance(e, UserSaid)] == ["去取。"]

    def test_a_call_that_is_repeated_is_replayed_as_often_as_the_framework_lets_it(
        self, memory: Hindsight
    ) -> None:
        steps = tuple(called("/v1", error=True) for _ in range(8))
        found = self.events(memory, RecordedRun(task="Get it.", steps=steps, session="s"))
        assert 4 <= sum(isinstance(e, ToolCalled) for e in found) <= 8
        assert any(isinstance(e, RunEnded) for e in found)
        assert any(m.content for m in memory.memories(ME))
