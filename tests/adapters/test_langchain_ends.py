"""A run ends with what it was, and is said to have done as well as is known of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightCallbackHandler, HindsightMiddleware
from langchain_kit import (
    MODES,
    BrokenError,
    ErrorsBecomeMessages,
    calls,
    drive,
    events,
    make,
    thread,
    user,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from hindsight_core import Hindsight
from hindsight_core.events import AgentSaid, RunEnded, ToolCalled


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int


@tool
def lookup(key: str) -> str:
    """Look a key up."""
    if key == "none":
        raise BrokenError("no such key")
    return f"value of {key}"


@tool(return_direct=True)
def show(key: str) -> str:
    """Show the user what a key holds."""
    if key == "none":
        raise BrokenError("no such key")
    return f"值:{key}"


@tool
def approve(what: str) -> str:
    """Ask a person."""
    return f"they say {interrupt(what)}"


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def handler(memory: Hindsight) -> Iterator[HindsightCallbackHandler]:
    held = HindsightCallbackHandler(memory)
    yield held
    held.close()


def ends(memory: Hindsight) -> list[bool | None]:
    return [e.ok for e in events(memory, RunEnded)]


def said(memory: Hindsight) -> list[str]:
    return [e.text for e in events(memory, AgentSaid)]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_tool_that_is_called_alone_is_a_run_that_ends_with_it(
    way: str, memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    config: Any = {"callbacks": [handler], "metadata": {"user_id": "ana"}}

    def call(key: str) -> None:
        done = getattr(lookup, way)({"key": key}, config)
        if way == "ainvoke":
            asyncio.run(done)

    call("a")
    with pytest.raises(BrokenError):
        call("none")
    assert [(e.call.args["key"], e.raised) for e in events(memory, ToolCalled)] == [
        ("a", False),
        ("none", True),
    ]
    assert ends(memory) == [True, False]
    assert {e.scope.user for e in events(memory)} == {"ana"}
    assert memory.store.runs(pending_only=True) == []


def test_a_tool_that_hides_its_error_is_no_run_that_went_well(
    memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    def fail(key: str) -> str:
        """Fail."""
        from langchain_core.tools import ToolException

        raise ToolException("no such key")

    lenient = tool(fail)
    lenient.handle_tool_error = True
    call = {"type": "tool_call", "id": "1", "name": "fail", "args": {"key": "a"}}
    assert lenient.invoke(call, {"callbacks": [handler]}).status == "error"
    assert ends(memory) == [False]


def test_a_tool_inside_a_chain_does_not_end_its_run(
    memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    agent = make([calls(("lookup", {"key": "a"})), calls(("lookup", {"key": "b"})), "ok"], [lookup])
    agent.invoke(user("go"), {"callbacks": [handler]})
    assert ends(memory) == [True]
    assert len({e.run_id for e in events(memory, ToolCalled)}) == 1


def test_a_run_that_is_cancelled_is_no_failure_of_its_tool(
    memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    begun = asyncio.Event()

    @tool
    async def wait(seconds: float) -> str:
        """Wait."""
        begun.set()
        await asyncio.sleep(seconds)
        return "waited"

    agent = make([calls(("wait", {"seconds": 60}))], [wait])

    async def program() -> None:
        running = asyncio.create_task(agent.ainvoke(user("go"), {"callbacks": [handler]}))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(program())
    assert events(memory, ToolCalled) == []
    assert ends(memory) == [None]


def test_an_interrupted_run_is_not_said_to_have_done_well(
    mode: str, memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    agent = make(
        [calls(("approve", {"what": "this"})), "Done."], [approve], checkpointer=InMemorySaver()
    )
    config = {**thread(), "callbacks": [handler]}
    drive(mode, agent, user("go"), config)
    assert ends(memory) == [None]
    drive(mode, agent, Command(resume="yes"), config)
    assert [e.result for e in events(memory, ToolCalled)] == ["they say yes"]
    assert ends(memory) == [None, True]


def test_a_graph_that_waits_for_a_person_in_a_node_of_its_own_has_not_done_well_yet(
    mode: str, memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"they say {interrupt('well?')}")]}

    inner = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile()
    graph = StateGraph(MessagesState).add_node("inner", inner).add_edge(START, "inner")
    agent = graph.compile(checkpointer=InMemorySaver())
    config = {**thread(), "callbacks": [handler]}
    drive(mode, agent, user("go"), config)
    assert ends(memory) == [None]


@pytest.mark.parametrize("handler_too", [False, True])
def test_a_run_that_stops_before_its_tools_has_not_done_well_yet(
    mode: str, memory: Hindsight, handler: HindsightCallbackHandler, handler_too: bool
) -> None:
    middleware = [] if handler_too else [HindsightMiddleware(memory)]
    agent = make(
        [calls(("lookup", {"key": "a"})), "Done."],
        [lookup],
        middleware=middleware,
        checkpointer=InMemorySaver(),
        interrupt_before=["tools"],
    )
    config = {**thread(), "callbacks": [handler] if handler_too else []}
    drive(mode, agent, user("go"), config)
    assert True not in ends(memory)
    drive(mode, agent, None, config)
    assert ends(memory)[-1] is True
    assert len(events(memory, ToolCalled)) == 1


def test_a_subgraph_that_hands_over_to_its_caller_takes_nothing_from_the_end(
    mode: str, memory: Hindsight, handler: HindsightCallbackHandler
) -> None:
    def leave(state: MessagesState) -> Command[Any]:
        return Command(graph=Command.PARENT, goto="last")

    def last(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("done")]}

    inner = StateGraph(MessagesState).add_node("leave", leave).add_edge(START, "leave").compile()
    graph = StateGraph(MessagesState).add_node("inner", inner, destinations=("last",))
    graph = graph.add_node("last", last).add_edge(START, "inner")
    drive(mode, graph.compile(), user("go"), {"callbacks": [handler]})
    assert ends(memory) == [True]


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_a_structured_answer_is_an_end(mode: str, memory: Hindsight, strategy: Any) -> None:
    given = {"city": "巴黎", "degrees": 21}
    answer: Any = calls(("Weather", given))
    if strategy is ProviderStrategy:
        answer = AIMessage(Weather(**given).model_dump_json())
    agent = make(
        [calls(("lookup", {"key": "a"})), answer],
        [lookup],
        response_format=strategy(Weather),
        middleware=[HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("How is the weather?"))
    assert result["structured_response"] == Weather(**given)
    assert ends(memory) == [True]
    (spoken,) = said(memory)
    assert "巴黎" in spoken
    assert "21" in spoken


def test_a_structured_answer_that_does_not_fit_is_asked_for_again(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("Weather", {"city": "Paris"})), calls(("Weather", {"city": "P", "degrees": 1}))],
        response_format=ToolStrategy(Weather),
        middleware=[HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("How is the weather?"))
    assert ends(memory) == [True]


@pytest.mark.parametrize("keys", [["a"], ["a", "b"]])
def test_a_tools_answer_that_stands_for_the_agents_is_an_end_and_not_the_agents_word(
    mode: str, memory: Hindsight, keys: list[str]
) -> None:
    agent = make(
        [calls(*[("show", {"key": key}) for key in keys])],
        [show],
        middleware=[HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("Show them"))
    assert isinstance(result["messages"][-1], ToolMessage)
    assert ends(memory) == [True]
    assert said(memory) == []


@pytest.mark.parametrize("keys", [["none"], ["a", "none"], ["none", "a"]])
def test_a_tools_error_in_place_of_an_answer_is_not_said_to_be_well(
    mode: str, memory: Hindsight, keys: list[str]
) -> None:
    agent = make(
        [calls(*[("show", {"key": key}) for key in keys])],
        [show],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("Show them"))
    assert ends(memory) == [None]
    assert said(memory) == []


def test_a_structured_answer_beside_a_call_does_not_make_the_tools_words_the_agents(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("lookup", {"key": "a"}), ("Weather", {"city": "Paris", "degrees": 21}))],
        [lookup],
        response_format=ToolStrategy(Weather),
        middleware=[HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("How is the weather?"))
    assert ends(memory) == [True]
    (spoken,) = said(memory)
    assert "value of a" not in spoken


def test_a_structured_answer_of_an_earlier_turn_is_not_that_of_a_later_one(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("Weather", {"city": "Paris", "degrees": 21})), calls(("show", {"key": "a"}))],
        [show],
        response_format=ToolStrategy(Weather),
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("How is the weather?"), thread())
    drive(mode, agent, user("Show a"), thread())
    assert ends(memory) == [True, True]
    assert "值" not in str(said(memory))
