"""A turn that was cancelled, or that its reader left, makes nobody's later words an agent's."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import ToolCallRequestEvent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import agent, calls, collected, events

from hindsight_core import Hindsight, Kind
from hindsight_core.events import UserSaid

TASK = "Fetch the report of the service."
WISHES = {"en": "Always answer me in French.", "zh": "以后请一直用法语回答我。"}
WAIT = calls(("wait", {"text": "a while"}))


class Gate:
    """A tool that goes on until it is told to end, and what it then asks another agent."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.done = asyncio.Event()
        self.helper: AssistantAgent | None = None

    async def wait(self, text: str) -> str:
        """Wait a while."""
        self.begun.set()
        await self.go_on.wait()
        if self.helper is not None:
            await self.helper.run(task=f"I always want {text} of Klingon.")
        self.done.set()
        return text


Leave = Callable[[AssistantAgent, Gate], Awaitable[None]]


async def read_no_further(one: AssistantAgent, gate: Gate) -> None:
    stream: AsyncIterator[Any] = one.run_stream(task=TASK)
    async for message in stream:
        if isinstance(message, ToolCallRequestEvent):
            break


async def close_the_stream(one: AssistantAgent, gate: Gate) -> None:
    async with contextlib.aclosing(one.run_stream(task=TASK)) as stream:  # type: ignore[type-var]
        async for message in stream:
            if isinstance(message, ToolCallRequestEvent):
                break


async def time_out(one: AssistantAgent, gate: Gate) -> None:
    with pytest.raises(asyncio.TimeoutError):
        async with time_limit(gate):
            await one.run(task=TASK)


async def cancel_by_token(one: AssistantAgent, gate: Gate) -> None:
    token = CancellationToken()
    with pytest.raises(asyncio.TimeoutError):  # the framework goes on waiting for the tool
        async with time_limit(gate, token):
            await one.run(task=TASK, cancellation_token=token)


@contextlib.asynccontextmanager
async def time_limit(gate: Gate, token: CancellationToken | None = None) -> AsyncIterator[None]:
    """Time is up a little after the tool was begun, however long a busy machine took to get there.

    In the very task, unlike with `wait_for` of 3.11.
    """

    async def end(limit: asyncio.Timeout) -> None:
        await gate.begun.wait()
        if token is not None:
            token.cancel()
        limit.reschedule(asyncio.get_running_loop().time() + 0.1)

    async with asyncio.timeout(None) as limit:
        ending = asyncio.create_task(end(limit))
        try:
            yield
        finally:
            ending.cancel()


async def in_this_task(two: AssistantAgent, wish: str) -> None:
    await two.run(task=wish)


async def in_a_task_of_its_own(two: AssistantAgent, wish: str) -> None:
    await asyncio.create_task(two.run(task=wish))


async def in_a_team(two: AssistantAgent, wish: str) -> None:
    end = MaxMessageTermination(2)
    await RoundRobinGroupChat([two], termination_condition=end).run(task=wish)


def made(gate: Gate, memory: Hindsight, *script: Any, name: str = "one", attached: bool) -> Any:
    ours = HindsightMemory(memory, user="u")
    one = agent(*script, name=name, tools=[gate.wait], memory=[ours])
    return attach(one) if attached else one


def wishes(memory: Hindsight) -> list[str]:
    return [m.content for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.PREFERENCE]


LEAVES = [read_no_further, close_the_stream, time_out, cancel_by_token]
LATERS = [in_this_task, in_a_task_of_its_own, in_a_team]


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize("later", LATERS)
@pytest.mark.parametrize("leave", LEAVES)
async def test_what_a_person_says_after_a_turn_that_was_left_is_learnt(
    leave: Leave, later: Any, wish: str, memory: Hindsight
) -> None:
    gate = Gate()
    one = made(gate, memory, WAIT, attached=True)
    await leave(one, gate)
    await later(made(gate, memory, "D'accord.", name="two", attached=True), wish)
    assert [(e.text, e.nested) for e in events(memory, UserSaid)] == [(TASK, False), (wish, False)]
    assert len(wishes(memory)) == 1


@pytest.mark.parametrize("again", ["its agent goes on", "its agent is gone", "its task has ended"])
@pytest.mark.parametrize("leave", LEAVES[1:])  # of the first the framework logs the whole stack
async def test_without_attach_it_is_learnt_as_soon_as_the_turn_cannot_go_on(
    leave: Leave, again: str, memory: Hindsight
) -> None:
    gate = Gate()
    one = made(gate, memory, WAIT, "Yes.", attached=False)
    context: contextvars.Context | None = None
    if again == "its task has ended":  # several tasks of a runner have one context
        context = contextvars.copy_context()
        await asyncio.create_task(leave(one, gate), context=context)
    else:
        await leave(one, gate)
    if again == "its agent goes on":
        await in_a_task_of_its_own(one, "And the newer one?")
    elif again == "its agent is gone":
        gate.go_on.set()
        del one
        await collected()
    two = made(gate, memory, "D'accord.", name="two", attached=False)
    await asyncio.create_task(two.run(task=WISHES["en"]), context=context)
    assert not any(e.nested for e in events(memory, UserSaid))
    assert len(wishes(memory)) == 1


@pytest.mark.parametrize("attached", [False, True])
async def test_what_a_tool_asks_an_agent_while_its_turn_goes_on_is_no_persons_word(
    attached: bool, memory: Hindsight
) -> None:
    gate = Gate()
    gate.go_on.set()
    gate.helper = made(gate, memory, "Yes.", "Yes.", name="helper", attached=attached)
    one = made(gate, memory, WAIT, WAIT, "Done.", attached=attached)
    await one.run(task=TASK)
    said = [(e.text, e.nested) for e in events(memory, UserSaid)]
    asked = ("I always want a while of Klingon.", True)
    assert said == [(TASK, False), asked, asked]
    assert wishes(memory) == []


async def test_a_tool_that_outlives_its_turn_still_asks_as_an_agent(memory: Hindsight) -> None:
    gate = Gate()
    gate.helper = made(gate, memory, "Yes.", name="helper", attached=True)
    one = made(gate, memory, WAIT, attached=True)
    await time_out(one, gate)
    two = made(gate, memory, "D'accord.", name="two", attached=True)
    await two.run(task=WISHES["en"])
    gate.go_on.set()
    await asyncio.wait_for(gate.done.wait(), 60)
    nested = {e.text: e.nested for e in events(memory, UserSaid)}
    assert nested == {
        TASK: False,
        WISHES["en"]: False,
        "I always want a while of Klingon.": True,
    }
    assert len(wishes(memory)) == 1


@pytest.mark.parametrize("attached", [False, True])
async def test_what_a_tool_left_behind_is_no_agents_word_once_the_call_has_ended(
    attached: bool, memory: Hindsight
) -> None:
    later: list[asyncio.Task[Any]] = []
    ready = asyncio.Event()
    two = agent("D'accord.", name="two", memory=[HindsightMemory(memory, user="u")])

    async def when_ready() -> None:
        await ready.wait()
        await two.run(task=WISHES["en"])

    async def wait(text: str) -> str:
        """Begin what works on when the call has ended, as a connection of its own does."""
        later.append(asyncio.create_task(when_ready()))
        return text

    one = agent(WAIT, "Done.", tools=[wait], memory=[HindsightMemory(memory, user="u")])
    await (attach(one) if attached else one).run(task=TASK)
    ready.set()
    await later[0]
    assert [e.nested for e in events(memory, UserSaid)] == [False, False]
    assert len(wishes(memory)) == 1


async def test_with_two_memories_in_the_agent_each_hears_what_is_said_later(
    memory: Hindsight,
) -> None:
    gate = Gate()
    both = [HindsightMemory(memory, user=user) for user in ("u", "v")]
    one = attach(agent(WAIT, tools=[gate.wait], memory=both))
    await time_out(one, gate)
    two = attach(agent("D'accord.", name="two", memory=both))
    await in_a_task_of_its_own(two, WISHES["zh"])
    said = [(e.scope.user, e.text, e.nested) for e in events(memory, UserSaid)]
    assert sorted(said) == sorted(
        (user, text, False) for user in ("u", "v") for text in (TASK, WISHES["zh"])
    )
