"""What captures everywhere hears all threads of the process, once, until it is closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_hindsight import HindsightCallbackHandler, HindsightMiddleware, capture_everywhere
from langchain_kit import calls, events, make, user

from hindsight_core import Hindsight
from hindsight_core.events import RunEnded, RunStarted, ToolCalled, UserSaid


@tool
def book(seat: str) -> str:
    """Book a seat."""
    return f"booked {seat}"


@pytest.fixture
def everywhere(memory: Hindsight) -> Iterator[HindsightCallbackHandler]:
    handler = capture_everywhere(memory, user="ana")
    yield handler
    handler.close()


def ask(text: str = "我从来不坐夜班飞机,帮我订座位", **options: Any) -> None:
    make([calls(("book", {"seat": "aisle"})), "Done."], [book], **options).invoke(user(text))


def in_a_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def in_a_pool(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def in_a_loop(work: Callable[[], None]) -> None:
    async def program() -> None:
        await asyncio.to_thread(work)

    asyncio.run(program())


def in_a_context_of_its_own(work: Callable[[], None]) -> None:
    Context().run(work)


WAYS = [in_a_thread, in_a_pool, in_a_loop, in_a_context_of_its_own]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("everywhere")
def test_an_agent_is_heard_in_whichever_thread_and_context_it_runs(
    memory: Hindsight, way: Callable[[Callable[[], None]], None]
) -> None:
    way(ask)
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["book"]
    assert [e.ok for e in events(memory, RunEnded)] == [True]
    assert len(memory.memories(memory.scope_of("ana"))) == 1


@pytest.mark.usefixtures("everywhere")
def test_many_threads_at_once_are_each_a_run(memory: Hindsight) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: ask(f"Book seat {n}"), range(24)))
    started = {e.run_id for e in events(memory, RunStarted)}
    assert len(started) == len(events(memory, ToolCalled)) == 24
    assert {e.text for e in events(memory, UserSaid)} == {f"Book seat {n}" for n in range(24)}


def test_what_is_called_in_a_thread_holds_outside_of_it_until_it_is_closed(
    memory: Hindsight,
) -> None:
    held: list[HindsightCallbackHandler] = []
    in_a_thread(lambda: held.append(capture_everywhere(memory)))
    ask()
    assert len(events(memory, ToolCalled)) == 1
    held[0].close()
    ask()
    copy_context().run(ask)
    in_a_thread(ask)
    assert len(events(memory, ToolCalled)) == 1


def test_the_last_call_counts_and_closing_an_earlier_one_does_not_end_it(
    open_memory: Callable[..., Hindsight],
) -> None:
    one, two = open_memory("one.db"), open_memory("two.db")
    first, second = capture_everywhere(one), capture_everywhere(two)
    ask()
    first.close()
    in_a_thread(ask)
    second.close()
    assert events(one) == []
    assert len(events(two, RunStarted)) == len(events(two, ToolCalled)) == 2


def test_what_has_a_handler_of_its_own_is_left_to_that(
    memory: Hindsight, everywhere: HindsightCallbackHandler
) -> None:
    own = HindsightCallbackHandler(memory, user="bob")
    agent = make([calls(("book", {"seat": "aisle"})), "Done."], [book])
    agent.invoke(user("Book me a seat"), {"callbacks": [own]})
    agent = make([calls(("book", {"seat": "aisle"})), "Done."], [book])
    agent.invoke(user("Book me a seat"), {"callbacks": [everywhere]})
    assert [e.scope.user for e in events(memory, ToolCalled)] == ["bob", "ana"]


@pytest.mark.usefixtures("everywhere")
def test_what_the_middleware_watches_is_captured_once(memory: Hindsight) -> None:
    in_a_thread(lambda: ask(middleware=[HindsightMiddleware(memory, user="ana")]))
    assert len(events(memory, ToolCalled)) == len(events(memory, UserSaid)) == 1


def test_a_handler_that_goes_while_an_agent_runs_costs_the_agent_nothing(
    memory: Hindsight,
) -> None:
    on = threading.Event()

    def come_and_go() -> None:
        while not on.is_set():
            capture_everywhere(memory).close()

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(come_and_go)
        chain = RunnableLambda(lambda n: n + 1)
        assert [chain.invoke(n) for n in range(2_000)] == list(range(1, 2_001))
        on.set()
        coming.result()
