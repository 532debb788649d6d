"""What is done on threads of our own leaves the host's process as it was."""

import asyncio
import gc
import os
import random
import signal
import threading
import time
import warnings
import weakref

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.failsafe import Failsafe, in_executor
from hindsight_core.workers import DaemonPool, jittered

ANA = Scope(user="ana")


def workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("hindsight-")}


def wait_until(condition) -> bool:
    until = time.monotonic() + 60.0
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


def in_child(function) -> int:
    """Run a function in a forked child; its exit code, -14 if it hung."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(120)
        os._exit(0 if function() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_pauses_leave_the_hosts_random_numbers_alone():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    assert 1.0 <= jittered(2.0) <= 2.0
    assert random.random() == expected


def test_a_memory_that_nobody_holds_any_more_is_closed_and_its_threads_end(tmp_path):
    before = workers()
    memory = Hindsight.open(str(tmp_path / "m.db"), embedder=None)
    run = memory.run(ANA)
    run.user("From now on, never book a table before 19:00.")
    run.finish(ok=True)
    assert workers() - before
    held = weakref.ref(memory)
    del memory, run
    gc.collect()
    assert held() is None
    assert wait_until(lambda: not workers() - before), workers() - before


def test_the_threads_of_a_memory_end_however_many_are_opened(tmp_path):
    before = workers()
    for number in range(20):
        with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
            memory.run(ANA).user(f"Book table {number}.")
    del memory
    gc.collect()
    assert wait_until(lambda: not workers() - before), workers() - before


def test_what_was_done_is_not_held_while_there_is_nothing_to_do():
    class Thing:
        pass

    pool, thing = DaemonPool(size=1), Thing()
    held = weakref.ref(thing)
    pool.submit(lambda thing=thing: thing).result(60)
    del thing
    gc.collect()
    assert wait_until(lambda: held() is None)


def test_a_pool_never_has_more_threads_than_it_may_and_does_everything():
    before, pool = workers(), DaemonPool(size=3)
    futures = [pool.submit(lambda n=n: time.sleep(0.001) or n) for n in range(200)]
    assert len(workers() - before) <= 3
    assert [future.result(60) for future in futures] == list(range(200))


def test_a_thread_that_ended_is_followed_by_another(monkeypatch):
    monkeypatch.setattr("hindsight_core.workers._LINGER", 0.01)
    before, pool = workers(), DaemonPool(size=1)
    for number in range(5):
        assert pool.submit(lambda number=number: number).result(60) == number
        assert wait_until(lambda: not workers() - before)


@pytest.mark.swallows
def test_where_no_thread_can_be_had_memory_is_passed_over(monkeypatch, swallowed_errors):
    def none_left(thread):
        raise RuntimeError("can't start new thread")

    failsafe = Failsafe()
    monkeypatch.setattr(threading.Thread, "start", none_left)
    assert failsafe.call("context", "default", lambda: "result") == "default"
    assert failsafe.keep("user", "default", lambda: "result") == "default"
    assert [operation for operation, _ in swallowed_errors] == ["context", "user"]
    monkeypatch.undo()
    assert failsafe.call("context", "default", lambda: "result") == "result"


def test_a_wait_that_is_cancelled_before_a_thread_was_free_loses_nothing():
    done: set[int] = set()
    gate = threading.Event()

    def work(number: int) -> None:
        gate.wait(60)
        done.add(number)

    async def main() -> None:
        waits = [asyncio.ensure_future(in_executor(work, n)) for n in range(40)]
        await asyncio.sleep(0.05)
        for wait in waits:
            wait.cancel()
        ended = await asyncio.gather(*waits, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)

    asyncio.run(main())
    gate.set()
    assert wait_until(lambda: len(done) == 40)


def test_an_answer_that_comes_after_its_loop_was_closed_disturbs_nobody(caplog):
    gate, ended = threading.Event(), threading.Event()

    def work() -> None:
        gate.wait(60)
        ended.set()

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(in_executor(work), 0.05)

    asyncio.run(main())
    gate.set()
    assert ended.wait(60)
    assert asyncio.run(in_executor(lambda: "the next loop")) == "the next loop"
    assert not caplog.records


def test_an_error_comes_through_the_async_door():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_executor(lambda: 1 // 0))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_an_async_door_of_its_own():
    async def many() -> list[int]:
        return await asyncio.gather(*(in_executor(lambda n=n: n) for n in range(40)))

    asyncio.run(many())
    assert in_child(lambda: asyncio.run(many()) == list(range(40))) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_waits_for_nothing_that_its_parent_still_does():
    failsafe, gate = Failsafe(deadline=0.05), threading.Event()
    failsafe._paused_until = time.monotonic() + 60.0
    failsafe.keep("user", None, gate.wait)
    assert failsafe.unrecorded == 1
    assert in_child(lambda: failsafe.wait_for_kept(0.1) and failsafe.unrecorded == 0) == 0
    gate.set()
    assert failsafe.wait_for_kept(60.0)
