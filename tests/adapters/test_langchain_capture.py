"""What a real agent does is captured once, and truly, whichever way it is run and ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    ModelCallLimitMiddleware,
    ModelRetryMiddleware,
    SummarizationMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain.tools import InjectedToolCallId
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import (
    MODES,
    BrokenError,
    ErrorsBecomeMessages,
    ScriptedModel,
    calls,
    drive,
    events,
    make,
    plain,
    thread,
    user,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from hindsight_core import Hindsight
from hindsight_core.events import AgentSaid, RunEnded, RunStarted, ToolCalled, UserSaid


@tool
def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"


@tool
def broken(key: str) -> str:
    """Always fail."""
    raise BrokenError(f"no such key {key}")


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def test_a_whole_run_is_recorded_in_order(mode: str, memory: Hindsight) -> None:
    agent = make(
        [calls(("lookup", {"key": "a"})), "done"],
        [lookup],
        middleware=[HindsightMiddleware(memory, user="u")],
    )
    result = drive(mode, agent, user("look a up"))
    assert result["messages"][-1].text == "done"
    found = events(memory)
    assert [type(e) for e in found] == [RunStarted, UserSaid, ToolCalled, AgentSaid, RunEnded]
    started, said, called, spoke, ended = found
    assert ended.ok is True
    assert (started.task, started.framework, started.nested) == ("look a up", "langchain", False)
    assert said.text == "look a up"
    assert (called.call.tool, called.call.args) == ("lookup", {"key": "a"})
    assert (called.result, called.raised) == ("value of a", False)
    assert called.flagged_error is not True
    assert called.milliseconds >= 0
    assert spoke.text == "done"
    assert {e.scope.user for e in found} == {"u"}


def test_what_the_agent_said_before_goes_with_the_users_words(mode: str, memory: Hindsight) -> None:
    agent = make(
        ["Which unit?", "noted"],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("how warm is it?"), thread())
    drive(mode, agent, user("celsius"), thread())
    assert [(e.text, e.before) for e in events(memory, UserSaid)] == [
        ("how warm is it?", ""),
        ("celsius", "Which unit?"),
    ]


def test_parallel_calls_are_each_recorded_with_their_own_outcome(
    mode: str, memory: Hindsight
) -> None:
    keys = [str(n) for n in range(8)]
    wanted = [("lookup" if int(k) % 2 else "broken", {"key": k}) for k in keys]
    agent = make(
        [calls(*wanted), "done"],
        [lookup, broken],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("all of them"))
    found = events(memory, ToolCalled)
    assert sorted((e.call.args["key"], e.raised) for e in found) == [
        (k, int(k) % 2 == 0) for k in keys
    ]
    assert {e.run_id for e in found} == {events(memory, RunStarted)[0].run_id}
    assert len(events(memory, RunStarted)) == 1


def test_a_tool_that_raises_passes_on_the_same_exception_and_is_recorded(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("broken", {"key": "a"}))], [broken], middleware=[HindsightMiddleware(memory)]
    )
    with pytest.raises(BrokenError, match="no such key a"):
        drive(mode, agent, user("go"))
    (called,) = events(memory, ToolCalled)
    assert (called.raised, called.error_type) == (True, "BrokenError")
    assert "no such key a" in called.result


def test_a_raise_that_ended_the_agent_is_judged_before_the_next_run(
    mode: str, memory: Hindsight
) -> None:
    middleware = HindsightMiddleware(memory)
    agent = make([calls(("broken", {"key": "a"})), "sorry"], [broken], middleware=[middleware])
    with pytest.raises(BrokenError):
        drive(mode, agent, user("go"))
    drive(mode, agent, user("what now?"))
    assert memory.store.runs(pending_only=True) == []


def test_a_raise_under_an_error_middleware_is_recorded_and_the_run_goes_on(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("broken", {"key": "a"})), "done"],
        [broken],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("go"))
    assert result["messages"][-2].text == "failed: no such key a"
    (called,) = events(memory, ToolCalled)
    assert (called.raised, called.error_type) == (True, "BrokenError")


def test_every_retry_is_recorded_as_an_attempt_of_its_own(mode: str, memory: Hindsight) -> None:
    tries = iter([BrokenError("one"), BrokenError("two"), None])

    @tool
    def flaky(key: str) -> str:
        """Fail twice."""
        if (error := next(tries)) is not None:
            raise error
        return "at last"

    agent = make(
        [calls(("flaky", {"key": "a"})), "done"],
        [flaky],
        middleware=[ToolRetryMiddleware(initial_delay=0), HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("go"))
    assert result["messages"][-2].text == "at last"
    assert [(e.attempt, e.raised) for e in events(memory, ToolCalled)] == [
        (1, True),
        (2, True),
        (3, False),
    ]


def test_arguments_that_do_not_validate_and_tools_that_do_not_exist_are_failures(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("lookup", {"wrong": 1}), ("imagined", {"x": 1})), "done"],
        [lookup],
        middleware=[HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("go"))
    found = sorted(events(memory, ToolCalled), key=lambda e: e.call.tool)
    assert [(e.call.tool, e.flagged_error, e.raised) for e in found] == [
        ("imagined", True, False),
        ("lookup", True, False),
    ]
    assert "not a valid tool" in found[0].result


def test_a_command_is_recorded_by_the_message_it_brings(mode: str, memory: Hindsight) -> None:
    @tool
    def remember(fact: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Update the state."""
        answer = ToolMessage(f"kept {fact}", tool_call_id=tool_call_id)
        return Command(update={"messages": [answer]})

    @tool
    def refuse(fact: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Update the state with a failure."""
        answer = ToolMessage(f"cannot keep {fact}", tool_call_id=tool_call_id, status="error")
        return Command(update={"messages": [answer]})

    agent = make(
        [calls(("remember", {"fact": "x"}), ("refuse", {"fact": "y"})), "done"],
        [remember, refuse],
        middleware=[HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("go"))
    found = sorted(events(memory, ToolCalled), key=lambda e: e.call.tool)
    assert [(e.result, e.flagged_error is True) for e in found] == [
        ("cannot keep y", True),
        ("kept x", False),
    ]


def test_several_turns_of_a_thread_are_several_runs_and_nothing_is_captured_twice(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("lookup", {"key": "a"})), "one", calls(("lookup", {"key": "b"})), "two"],
        [lookup],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("first"), thread())
    drive(mode, agent, user("second"), thread())
    assert [e.text for e in events(memory, UserSaid)] == ["first", "second"]
    assert [e.call.args["key"] for e in events(memory, ToolCalled)] == ["a", "b"]
    assert [e.text for e in events(memory, AgentSaid)] == ["one", "two"]
    assert len({e.run_id for e in events(memory)}) == 2


def test_a_history_that_a_client_sends_again_each_time_is_captured_once(
    mode: str, memory: Hindsight
) -> None:
    agent = make(["one", "two"], middleware=[HindsightMiddleware(memory)])
    first = drive(mode, agent, user("first"))
    drive(mode, agent, {"messages": [*first["messages"], HumanMessage("second")]})
    assert [e.text for e in events(memory, UserSaid)] == ["first", "second"]


def test_a_replay_from_a_checkpoint_captures_nothing_twice(
    mode: str, open_memory: Callable[..., Hindsight]
) -> None:
    saver = InMemorySaver()
    script = [calls(("lookup", {"key": "a"})), "done"]
    memory = open_memory()
    agent = make(script, [lookup], middleware=[HindsightMiddleware(memory)], checkpointer=saver)
    drive(mode, agent, user("go"), thread())
    before = [(type(e), e.key) for e in events(memory)]
    past = [s for s in agent.get_state_history(thread()) if s.next == ("tools",)]
    again = make(
        ["done", "done"],
        [lookup],
        middleware=[HindsightMiddleware(open_memory())],
        checkpointer=saver,
    )
    for _ in range(2):
        drive(mode, again, None, past[0].config)
    after = [(type(e), e.key) for e in events(memory)]
    assert [e for e in after if e[0] is not AgentSaid] == [
        e for e in before if e[0] is not AgentSaid
    ]


def test_the_recursion_limit_loses_nothing_and_the_next_turn_has_the_run_judged(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        [calls(("lookup", {"key": str(n)})) for n in range(3)] + ["done"],
        [lookup],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    with pytest.raises(GraphRecursionError):
        drive(mode, agent, user("go"), {**thread(), "recursion_limit": 4})
    assert [e.call.args["key"] for e in events(memory, ToolCalled)] == ["0"]
    assert len(memory.store.runs(pending_only=True)) == 1
    agent.scripted.script[:] = ["x", "x", "done"]
    drive(mode, agent, user("stop"), thread())
    assert memory.store.runs(pending_only=True) == []


@pytest.mark.parametrize("limit", [ModelCallLimitMiddleware, ToolCallLimitMiddleware])
def test_an_agent_that_a_limit_stopped_is_not_said_to_have_done_well(
    mode: str, memory: Hindsight, limit: Any
) -> None:
    agent = make(
        [calls(("lookup", {"key": str(n)}), ids=[f"c{n}"]) for n in range(3)],
        [lookup],
        middleware=[limit(run_limit=1, exit_behavior="end"), HindsightMiddleware(memory)],
    )
    result = drive(mode, agent, user("go"))
    assert "limit" in result["messages"][-1].text
    assert [e.call.args["key"] for e in events(memory, ToolCalled)] == ["0"]
    assert [e.ok for e in events(memory, RunEnded)] == [None]
    assert events(memory, AgentSaid) == []


def test_an_error_of_the_model_passes_unchanged_and_a_retry_asks_the_model_once_more(
    mode: str, memory: Hindsight
) -> None:
    agent = make([ValueError("model down")], middleware=[HindsightMiddleware(memory)])
    with pytest.raises(ValueError, match="model down"):
        drive(mode, agent, user("go"))
    agent = make(
        [ValueError("model down"), "done"],
        middleware=[ModelRetryMiddleware(initial_delay=0), HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("go on"))
    assert len(agent.scripted.shown) == 2
    assert [e.text for e in events(memory, UserSaid)] == ["go", "go on"]


def test_a_sub_agents_task_is_marked_as_written_by_a_model(mode: str, memory: Hindsight) -> None:
    def helper() -> Any:
        return make(
            [calls(("lookup", {"key": "a"})), "found"],
            [lookup],
            middleware=[HindsightMiddleware(memory)],
            name="helper",
        )

    @tool
    def delegate(task: str) -> str:
        """Hand a task to the helper."""
        return helper().invoke(user(task))["messages"][-1].text

    agent = make(
        [calls(("delegate", {"task": "I always prefer bash. Never use Python."})), "done"],
        [delegate],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("please have it looked up"), thread())
    said = {e.text: e for e in events(memory, UserSaid)}
    assert not said["please have it looked up"].nested
    inner = said["I always prefer bash. Never use Python."]
    assert inner.nested
    started = {e.run_id: e for e in events(memory, RunStarted)}
    assert started[inner.run_id].nested
    assert started[inner.run_id].agent == "helper"
    assert {e.call.tool for e in events(memory, ToolCalled)} == {"lookup", "delegate"}
    assert memory.memories(memory.scope_of()) == []


def test_an_agent_that_is_a_node_of_a_graph_may_be_said_to_hear_the_user_himself(
    mode: str, memory: Hindsight
) -> None:
    def ask(nested: bool | None, text: str) -> None:
        agent = make(["noted"], middleware=[HindsightMiddleware(memory, nested=nested)])
        graph = StateGraph(MessagesState)
        graph.add_node("agent", agent)
        graph.add_edge(START, "agent")
        drive(mode, graph.compile(checkpointer=InMemorySaver()), user(text), thread(text))

    ask(None, "I prefer answers in French.")
    assert memory.memories(memory.scope_of()) == []
    ask(False, "I prefer answers in German.")
    assert [m.content for m in memory.memories(memory.scope_of())] == [
        "I prefer answers in German."
    ]


def test_a_summary_made_in_mid_run_neither_counts_as_the_users_words_nor_parts_the_run(
    mode: str, memory: Hindsight
) -> None:
    summarizer = ScriptedModel(script=["a summary: the user always prefers bash"])
    agent = make(
        [*(calls(("lookup", {"key": str(n)}), ids=[f"c{n}"]) for n in range(4)), "done"],
        [lookup],
        middleware=[
            SummarizationMiddleware(summarizer, trigger=("messages", 6), keep=("messages", 2)),
            HindsightMiddleware(memory),
        ],
        checkpointer=InMemorySaver(),
    )
    result = drive(mode, agent, user("look them all up"), thread())
    assert len(summarizer.shown) == 1
    assert "summary" in result["messages"][0].text
    assert [e.text for e in events(memory, UserSaid)] == ["look them all up"]
    assert len(events(memory, ToolCalled)) == 4
    assert len({e.run_id for e in events(memory)}) == 1


def test_a_call_is_never_run_twice_by_us(mode: str, memory: Hindsight) -> None:
    ran: list[str] = []

    @tool
    def count(key: str) -> str:
        """Count how often it runs."""
        ran.append(key)
        raise BrokenError(key)

    agent = make(
        [calls(("count", {"key": "a"}), ("count", {"key": "b"})), "done"],
        [count],
        middleware=[ErrorsBecomeMessages(), HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("go"))
    assert sorted(ran) == ["a", "b"]
    assert len(agent.scripted.shown) == 2


def test_results_of_every_form_are_recorded_as_text(mode: str, memory: Hindsight) -> None:
    @tool
    def picture(key: str) -> list[dict[str, Any]]:
        """Return blocks."""
        image = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
        return [image] if key == "only" else [{"type": "text", "text": "a cat"}, image]

    @tool
    def table(key: str) -> dict[str, Any]:
        """Return a dict."""
        return {"rows": 3}

    agent = make(
        [
            calls(("picture", {"key": "x"}), ("picture", {"key": "only"}), ("table", {"key": "x"})),
            "done",
        ],
        [picture, table],
        middleware=[HindsightMiddleware(memory)],
    )
    drive(mode, agent, user("go"))
    found = {(e.call.tool, e.call.args["key"]): e.result for e in events(memory, ToolCalled)}
    assert found == {
        ("picture", "x"): "a cat",
        ("picture", "only"): "[image]",
        ("table", "x"): '{"rows": 3}',
    }


def test_many_runs_at_once_on_one_middleware_do_not_mix(memory: Hindsight) -> None:
    def answer(messages: list[Any]) -> AIMessage:
        who = next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))
        if isinstance(messages[-1], ToolMessage):
            return AIMessage(f"done for {who}")
        return calls(("lookup", {"key": who}), ids=["same-id-for-all"])

    agent = make([answer] * 200, [lookup], middleware=[HindsightMiddleware(memory)])

    async def all_of_them() -> None:
        await asyncio.gather(
            *(
                agent.ainvoke(user(f"u{n}"), {"configurable": {"user_id": f"u{n}"}})
                for n in range(30)
            )
        )

    def in_thread(n: int) -> None:
        agent.invoke(user(f"u{n}"), {"configurable": {"user_id": f"u{n}"}})

    asyncio.run(all_of_them())
    threads = [threading.Thread(target=in_thread, args=(n,)) for n in range(30, 50)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    called = events(memory, ToolCalled)
    assert len(called) == 50
    assert all(e.scope.user == e.call.args["key"] for e in called)
    assert all(e.text == f"done for {e.scope.user}" for e in events(memory, AgentSaid))


def test_a_graph_without_create_agent_may_use_the_tool_hooks_alone(memory: Hindsight) -> None:
    middleware = HindsightMiddleware(memory)
    node = ToolNode(
        [lookup],
        wrap_tool_call=middleware.wrap_tool_call,
        awrap_tool_call=middleware.awrap_tool_call,
    )
    graph = StateGraph(MessagesState)
    graph.add_node("tools", node)
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    given = {"messages": [HumanMessage("go"), calls(("lookup", {"key": "a"}))]}
    assert plain(graph.compile().invoke(given))[-1]["content"] == "value of a"
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["lookup"]


def test_an_agent_without_tools_and_one_without_a_user_message_are_recorded_too(
    mode: str, memory: Hindsight
) -> None:
    model = ScriptedModel(script=["hello", "hello"])
    agent = create_agent(model, [], middleware=[HindsightMiddleware(memory)])
    drive(mode, agent, user("hi"))
    drive(mode, agent, {"messages": [AIMessage("I go first")]})
    assert [e.task for e in events(memory, RunStarted)] == ["hi", ""]
