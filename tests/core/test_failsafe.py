"""An error of ours never breaks the host, never hangs it, and never passes silently."""

import asyncio
import logging
import os
import threading
import time

import pytest

from hindsight_core.failsafe import Failsafe, in_executor, let_through, observe_swallowed

pytestmark = pytest.mark.swallows


def fail(error: BaseException) -> None:
    raise error


def test_a_result_comes_back_unchanged():
    assert Failsafe().call("add", 0, lambda a, b: a + b, 2, b=3) == 5


def test_an_error_becomes_the_default_and_is_counted_by_operation():
    failsafe = Failsafe()
    assert failsafe.call("recall", "default", fail, OSError("no disk")) == "default"
    assert failsafe.counts.by_operation == {"recall": 1}
    assert failsafe.counts.last == "recall: OSError: no disk"


def test_one_warning_is_logged_however_often_it_happens(caplog):
    failsafe = Failsafe()
    with caplog.at_level(logging.WARNING, logger="hindsight_core"):
        for operation in ("user", "context", "after_tool", "finish"):
            failsafe.call(operation, None, fail, OSError("no disk"))
    assert len(caplog.records) == 1
    assert failsafe.counts.total == 4


def test_tests_can_see_what_was_swallowed():
    seen: list[tuple[str, BaseException]] = []
    with observe_swallowed(lambda operation, error: seen.append((operation, error))):
        Failsafe().call("user", None, fail, ValueError("x"))
    Failsafe().call("user", None, fail, ValueError("y"))
    assert [(operation, str(error)) for operation, error in seen] == [("user", "x")]


class _BubbleError(Exception):
    pass


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError(), _BubbleError()])
def test_the_hosts_control_flow_passes_through(error):
    let_through(_BubbleError)
    failsafe = Failsafe()
    with pytest.raises(type(error)):
        failsafe.call("user", None, fail, error)
    assert failsafe.counts.total == 0


def test_an_error_that_is_a_timeout_of_the_call_itself_is_no_missed_deadline():
    failsafe = Failsafe()
    failsafe.call("user", None, fail, TimeoutError("from the server"))
    assert failsafe.counts.timeouts == 0
    assert failsafe.counts.by_operation == {"user": 1}


def test_a_call_that_hangs_costs_one_deadline_and_then_memory_is_passed_over():
    failsafe = Failsafe(deadline=0.05, pause=60)
    gate = threading.Event()
    for _ in range(3):
        assert failsafe.call("user", "default", gate.wait, 30) == "default"
    for _ in range(100):
        assert failsafe.call("user", "default", gate.wait, 30) == "default"
    assert failsafe.counts.timeouts == 3
    assert failsafe.counts.passed_over == 100
    gate.set()


def test_memory_comes_back_when_the_pause_is_over():
    failsafe = Failsafe(deadline=0.05, pause=0.1)
    gate = threading.Event()
    for _ in range(3):
        failsafe.call("user", None, gate.wait, 30)
    gate.set()
    time.sleep(0.15)
    failsafe._deadline = 60.0  # what comes back may take a busy machine longer than what hung
    assert failsafe.call("user", None, lambda: "back") == "back"


def test_many_threads_get_their_own_results():
    failsafe = Failsafe()
    results: dict[int, int] = {}

    def work(number: int) -> None:
        results[number] = failsafe.call("square", -1, lambda: number * number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: n * n for n in range(50)}


def test_the_async_door_does_not_block_the_loop():
    ticked = threading.Event()

    async def main() -> bool:
        loop = asyncio.get_running_loop()

        def work() -> bool:
            loop.call_soon_threadsafe(ticked.set)
            return ticked.wait(60)

        return await in_executor(work)

    assert asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_workers_of_its_own():
    failsafe = Failsafe()
    assert failsafe.call("user", None, lambda: "parent") == "parent"
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os._exit(0 if failsafe.call("user", None, lambda: "child") == "child" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.swallows
def test_what_is_recorded_while_memory_is_paused_is_done_in_its_order_and_not_passed_over():
    failsafe, goes_on, done = Failsafe(deadline=0.05, pause=60.0), threading.Event(), []
    for _ in range(3):
        failsafe.call("recall", None, goes_on.wait)
    assert failsafe.call("recall", "passed over", lambda: "asked") == "passed over"
    failsafe._deadline = 60.0
    assert (
        failsafe.keep("user", 0, lambda: done.append(1) or 7) == 7
    )  # it goes on: it is waited for
    failsafe._deadline = 0.05
    failsafe.keep("user", None, goes_on.wait)
    for number in (2, 3):
        failsafe.keep("user", None, done.append, number)
    assert done == [1]
    assert not failsafe.wait_for_kept(0.05)
    goes_on.set()
    assert failsafe.wait_for_kept(60.0)
    assert done == [1, 2, 3]


@pytest.mark.swallows
def test_an_error_of_what_was_kept_is_counted_and_the_next_goes_on():
    failsafe, hung, done = Failsafe(deadline=0.05, pause=60.0), threading.Event(), []
    for _ in range(3):
        failsafe.call("recall", None, hung.wait)
    assert failsafe.keep("user", "lost", lambda: 1 / 0) == "lost"
    failsafe.keep("user", None, done.append, 1)
    assert failsafe.wait_for_kept(60.0)
    assert (done, failsafe.counts.by_operation["user"]) == ([1], 1)
    hung.set()


def test_a_record_that_fails_after_its_call_returned_is_told_and_no_more_waited_for():
    failsafe, goes_on = Failsafe(deadline=0.05), threading.Event()

    def late():
        goes_on.wait()
        raise OSError("the disk is full")

    assert failsafe.keep("user", None, late) is None
    assert failsafe.unrecorded == 1
    goes_on.set()
    assert failsafe.wait_for_kept(60.0)
    until = time.monotonic() + 60
    while failsafe.unrecorded and time.monotonic() < until:
        time.sleep(0.01)
    assert failsafe.unrecorded == 0
    assert failsafe.counts.by_operation["user"] == 2  # the deadline, and what came of it
    assert "OSError" in failsafe.counts.last


def test_a_pause_that_begins_between_two_looks_passes_no_record_over(monkeypatch):
    failsafe = Failsafe(pause=60.0)
    monkeypatch.setattr(failsafe, "_is_paused", lambda: True)  # another thread was just too late
    assert failsafe.keep("user", "lost", lambda: "done") == "done"
    assert failsafe.call("recall", "passed over", lambda: "done") == "passed over"
