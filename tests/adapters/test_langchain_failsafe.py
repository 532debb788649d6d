"""An error of ours never reaches the agent, and never passes in silence."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import (
    MODES,
    BrokenError,
    ErrorsBecomeMessages,
    calls,
    drive,
    make,
    thread,
    user,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from hindsight_core import Hindsight, Settings, StoreError

Swallowed = list[tuple[str, BaseException]]


@tool
def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"


@tool
def broken(key: str) -> str:
    """Always fail."""
    raise BrokenError(f"no such key {key}")


@tool
def ask(question: str) -> str:
    """Ask a person."""
    return f"they say {interrupt(question)}"


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


class FailingStore:
    """A store at which every call fails, by raising or by never coming back in time."""

    url = "failing://store"
    embedded = True

    def __init__(self, *, delay: float = 0.0) -> None:
        self.delay = delay
        self.free = threading.Event()
        self.asked = 0

    def close(self) -> None:
        """Close nothing."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def fail(*args: Any, **options: Any) -> Any:
            self.asked += 1
            self.free.wait(self.delay)
            raise StoreError(f"{name} failed")

        return fail


def open_failing(store: FailingStore, **options: Any) -> Hindsight:
    given: Any = store
    return Hindsight.open(store=given, embedder=None, lazy=True, **options)


def everything(mode: str, *middleware: Any) -> list[bytes]:
    """Runs that touch every hook; the messages of each, as bytes."""
    ids = {"id": "h1"}
    script: list[Any] = [
        calls(("lookup", {"key": "a"}), ("broken", {"key": "b"})),
        calls(("imagined", {}), ("ask", {"question": "sure?"})),
        "done",
        "thanks",
    ]
    for place, step in enumerate(script):
        if not isinstance(step, str):
            step.id = f"a{place}"
    agent = make(
        script,
        [lookup, broken, ask],
        system_prompt="You are brief.",
        middleware=[ErrorsBecomeMessages(), *middleware],
        checkpointer=InMemorySaver(),
    )
    results = [
        drive(mode, agent, {"messages": [HumanMessage("go", **ids)]}, thread()),
        drive(mode, agent, Command(resume="yes"), thread()),
        drive(mode, agent, {"messages": [HumanMessage("thanks", id="h2")]}, thread()),
    ]
    shown = [m.model_dump(exclude={"id"}) for call in agent.scripted.shown for m in call]
    return [
        *(repr([m.model_dump(exclude={"id"}) for m in r["messages"]]).encode() for r in results),
        repr(shown).encode(),
    ]


@pytest.mark.swallows
def test_with_a_store_that_raises_at_every_call_the_result_is_the_same_byte_for_byte(
    mode: str, swallowed_errors: Swallowed, caplog: pytest.LogCaptureFixture
) -> None:
    without = everything(mode)
    store = FailingStore()
    with open_failing(store) as memory, caplog.at_level(logging.WARNING):
        within = everything(mode, HindsightMiddleware(memory))
        health = memory.health()
        assert sum(health.errors.values()) == len(swallowed_errors) > 5
    assert within == without
    assert store.asked > 5
    assert not health.ok
    assert "failed" in health.last_error
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert ["failed" in r.getMessage() for r in warnings] == [True]


@pytest.mark.swallows
def test_a_store_that_hangs_costs_three_deadlines_and_not_one_a_hook(
    mode: str, swallowed_errors: Swallowed
) -> None:
    without = everything(mode)
    settings = Settings(deadline=0.2, pause=60.0)
    store = FailingStore(delay=30.0)
    with open_failing(store, settings=settings) as memory:
        within = everything(mode, HindsightMiddleware(memory))
        store.free.set()  # or its errors would come in the midst of another test
    assert within == without
    missed = [error for _, error in swallowed_errors if isinstance(error, TimeoutError)]
    assert 3 <= len(missed) <= 5  # parallel calls may miss it together


@pytest.mark.swallows
def test_an_exception_of_the_host_is_the_same_object_with_and_without_us(
    mode: str, swallowed_errors: Swallowed
) -> None:
    failure = BrokenError("the very one")

    @tool
    def fail(key: str) -> str:
        """Raise the one."""
        raise failure

    with open_failing(FailingStore()) as memory:
        agent = make(
            [calls(("fail", {"key": "a"}))], [fail], middleware=[HindsightMiddleware(memory)]
        )
        with pytest.raises(BrokenError) as raised:
            drive(mode, agent, user("go"))
        assert raised.value is failure
        assert raised.value.__cause__ is None
        agent = make([KeyError("model")], middleware=[HindsightMiddleware(memory)])
        with pytest.raises(KeyError, match="model"):
            drive(mode, agent, user("go"))


@pytest.mark.swallows
def test_what_cannot_be_read_is_counted_and_passed_over(
    mode: str, memory: Hindsight, swallowed_errors: Swallowed
) -> None:
    class Hostile:
        @property
        def user_id(self) -> str:
            raise ZeroDivisionError("not today")

    agent = make(
        [calls(("lookup", {"key": "a"})), "done"],
        [lookup],
        middleware=[HindsightMiddleware(memory)],
        context_schema=Hostile,
    )
    result = drive(mode, agent, user("go"), context=Hostile())
    assert result["messages"][-1].text == "done"
    assert memory.health().errors == {"langchain.read": len(swallowed_errors)}
    assert len(swallowed_errors) == 5


def test_arguments_and_results_that_are_no_plain_json_do_no_harm(
    mode: str, memory: Hindsight
) -> None:
    @tool
    def odd(key: Any) -> Any:
        """Return something odd."""
        return {"set": {1, 2}, "bytes": b"\x00\xff", "text": "nul \x00 lone \ud800 end"}

    agent = make(
        [calls(("odd", {"key": "\x00\ud800"})), "done"],
        [odd],
        middleware=[HindsightMiddleware(memory)],
    )
    assert drive(mode, agent, user("go \x00 \ud800"))["messages"][-1].text == "done"


def test_huge_texts_do_no_harm(mode: str, memory: Hindsight) -> None:
    @tool
    def huge(key: str) -> str:
        """Return much."""
        return "x" * 3_000_000

    agent = make(
        [calls(("huge", {"key": "y" * 300_000})), "done"],
        [huge],
        middleware=[HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("please " * 100_000))
    assert result["messages"][-1].text == "done"
    assert len(result["messages"][-2].text) == 3_000_000


def test_a_store_that_is_slow_does_not_hold_up_the_event_loop(memory: Hindsight) -> None:
    entered, free = threading.Event(), threading.Event()

    class Slow:
        """Answers only when the event loop has had its turn."""

        url = "slow://store"
        embedded = True
        waited = True

        def close(self) -> None:
            """Leave it open for the test."""

        def __getattr__(self, name: str) -> Any:
            entered.set()
            self.waited = free.wait(30) and self.waited
            return getattr(memory.store, name)

    store: Any = Slow()
    settings = Settings(deadline=60.0)
    slow = Hindsight.open(store=store, embedder=None, lazy=True, settings=settings)
    agent = make(
        [calls(("lookup", {"key": "a"})), "done"],
        [lookup],
        middleware=[HindsightMiddleware(slow, user="u")],
    )

    async def loop_is_free() -> None:
        assert await asyncio.to_thread(entered.wait, 30)
        free.set()

    async def both() -> dict[str, Any]:
        result, _ = await asyncio.gather(agent.ainvoke(user("go")), loop_is_free())
        return result

    with slow:
        assert asyncio.run(both())["messages"][-1].text == "done"
        assert store.waited
