"""A run held by `with`: it ends however its block is left, and no exception is held up."""

import asyncio

import pytest

from hindsight_core import Hindsight, Scope, let_through
from hindsight_core.events import RunEnded, ToolCalled

ME = Scope(user="ana")


class HostMovesOnError(Exception):
    """By which a host steers its own flow."""


let_through(HostMovesOnError)


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def ends(hindsight, run):
    return [
        (event.ok, event.error)
        for event in hindsight.store.events(run.run_id)
        if isinstance(event, RunEnded)
    ]


def learn(run):
    run.user("From now on, never book a table before 19:00.")
    run.after_tool("book", {"time": "8pm"}, result="time must be HH:MM", flagged_error=True)
    run.after_tool("book", {"time": "20:00"}, result="booked")


def test_a_block_that_comes_to_its_end_is_judged_as_a_run_that_ended_well(hs):
    with hs.run(ME, task="Book a table") as run:
        learn(run)
    assert ends(hs, run) == [(True, "")]
    assert {memory.kind.value for memory in hs.memories(ME)} == {"preference", "lesson"}


def left_by(hs, error, *, told=None):
    """The run of a block that an exception left, which has passed on."""
    run = hs.run(ME, task="Book a table")

    def block():
        with run:
            learn(run)
            if told is not None:
                run.finish(ok=told)
            raise error

    with pytest.raises(type(error)) as caught:
        block()
    assert caught.value is error
    return run


def test_an_exception_marks_the_run_as_failed_and_passes_on(hs):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    run = left_by(hs, ValueError(f"房间已满 no room, key {key}"))
    [(ok, error)] = ends(hs, run)
    assert ok is False
    assert error.startswith("ValueError: 房间已满")
    assert key not in error
    assert {memory.kind.value for memory in hs.memories(ME)} == {"preference", "lesson"}


@pytest.mark.parametrize(
    "kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, HostMovesOnError]
)
def test_a_run_that_was_cut_short_came_to_no_outcome(hs, kind):
    assert ends(hs, left_by(hs, kind())) == [(None, "")]


def test_what_finish_was_told_inside_stands(hs):
    with hs.run(ME, task="Book a table") as run:
        learn(run)
        run.finish(ok=False, error="gave up")
        run.feedback(good=False)
    assert ends(hs, run) == [(False, "gave up")]
    assert ends(hs, left_by(hs, ValueError("after it"), told=True)) == [(True, "")]


def test_what_happens_after_finish_is_judged_as_well(hs):
    with hs.run(ME, task="Book a table") as run:
        run.user("Book a table.")
        run.finish(ok=True)
        run.user("Actually: from now on, never book a table before 19:00.")
    assert [memory.kind.value for memory in hs.memories(ME)] == ["preference"]
    assert not [one for one in hs.store.runs(pending_only=True, limit=9) if one.pending]


@pytest.mark.swallows
def test_a_run_without_a_user_is_a_block_that_does_nothing(tmp_path):
    hindsight = Hindsight.open(str(tmp_path / "m.db"), embedder=None)
    with hindsight.run(None, task="Book a table") as run:
        learn(run)
    assert hindsight.store.events(run.run_id) == []


@pytest.mark.swallows
def test_a_store_that_is_gone_breaks_neither_the_block_nor_its_exception(tmp_path, caplog):
    hindsight = Hindsight.open(str(tmp_path / "m.db"), embedder=None)
    with hindsight.run(ME, task="Book a table"):
        hindsight.close()
    left_by(hindsight, ValueError("passes on"))
    assert hindsight.health().errors["finish"] == 2
    assert "passed over in finish" in caplog.text


async def fail_in(run):
    async with run:
        error = ValueError("时间必须是 HH:MM")
        run.after_tool("book", {"time": "晚上八点"}, error=error)
        raise error


def test_async_with_does_the_same_beside_the_event_loop(hs):
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    async def main():
        beside = asyncio.create_task(tick())
        async with hs.run(ME, task="Book a table") as good:
            learn(good)
        before = ticks
        bad = hs.run(ME, task="订一张桌子")
        with pytest.raises(ValueError, match="必须"):
            await fail_in(bad)
        beside.cancel()
        assert ticks > before
        return good, bad

    good, bad = asyncio.run(main())
    assert ends(hs, good) == [(True, "")]
    assert ends(hs, bad) == [(False, "ValueError: 时间必须是 HH:MM")]


def test_a_task_that_is_cancelled_in_its_block_loses_nothing(hs):
    async def work(begun):
        async with hs.run(ME, task="Book a table") as run:
            run.after_tool("book", {"time": "20:00"}, result="booked")
            begun.set_result(run)
            await asyncio.sleep(60)

    async def main():
        begun = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(work(begun))
        run = await begun
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run

    run = asyncio.run(main())
    assert ends(hs, run) == [(None, "")]
    assert [e for e in hs.store.events(run.run_id) if isinstance(e, ToolCalled)]
