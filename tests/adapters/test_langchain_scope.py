"""Whose memory it is: taken from where the framework says it, and never anyone else's."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langchain_hindsight import HindsightMiddleware
from langchain_kit import MODES, drive, events, make, thread, user
from langgraph.checkpoint.memory import InMemorySaver

from hindsight_core import Hindsight, Kind, Scope, ScopeError, Source
from hindsight_core.events import RunStarted, UserSaid


@dataclass
class Context:
    user_id: str | None = None
    tenant_id: str | None = None


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def scope_of_run(memory: Hindsight) -> Scope:
    (started,) = events(memory, RunStarted)
    return started.scope


def test_the_context_comes_before_configurable_metadata_and_the_constructor(
    mode: str, open_memory: Callable[..., Hindsight]
) -> None:
    config: dict[str, Any] = {
        "configurable": {"user_id": "configured", "tenant_id": "t-configured"},
        "metadata": {"user_id": "noted", "tenant_id": "t-noted"},
    }
    places: list[tuple[Any, dict[str, Any], str, str]] = [
        (Context("meant", "t-meant"), config, "meant", "t-meant"),
        ({"user_id": "meant", "tenant": "t-meant"}, config, "meant", "t-meant"),
        (Context(), config, "configured", "t-configured"),
        (None, {"metadata": config["metadata"]}, "noted", "t-noted"),
        (None, {}, "made", "t-made"),
        ({"other": 1}, {"configurable": {"user_id": ""}}, "made", "t-made"),
    ]
    for place, (context, given, name, tenant) in enumerate(places):
        memory = open_memory(f"{place}.db")
        agent = make(
            ["done"],
            middleware=[HindsightMiddleware(memory, user="made", tenant="t-made")],
            context_schema=Context if isinstance(context, Context) else None,
        )
        drive(mode, agent, user("go"), given, context=context)
        scope = scope_of_run(memory)
        assert (scope.user, scope.tenant) == (name, tenant)


def test_a_user_id_that_is_no_string_is_written_as_one(mode: str, memory: Hindsight) -> None:
    agent = make(["done"], middleware=[HindsightMiddleware(memory)])
    who = UUID(int=7)
    drive(mode, agent, user("go"), {"configurable": {"user_id": who}})
    assert scope_of_run(memory).user == str(who)


def test_with_nobody_named_the_embedded_store_has_one_user(mode: str, memory: Hindsight) -> None:
    drive(mode, make(["done"], middleware=[HindsightMiddleware(memory)]), user("go"))
    assert scope_of_run(memory).user == "local"


@pytest.mark.swallows
def test_with_nobody_named_a_server_store_gets_nothing_and_health_says_so(
    mode: str,
    memory: Hindsight,
    swallowed_errors: list[tuple[str, BaseException]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Served:
        embedded = False

        def close(self) -> None:
            """Leave it open for the test."""

        def __getattr__(self, name: str) -> Any:
            return getattr(memory.store, name)

    served: Any = Served()
    with Hindsight.open(store=served, embedder=None) as shared:
        agent = make(["done"], middleware=[HindsightMiddleware(shared)])
        with caplog.at_level(logging.WARNING):
            result = drive(mode, agent, user("go"))
        assert result["messages"][-1].text == "done"
        assert not shared.health().ok
    assert events(memory) == []
    assert swallowed_errors
    assert all(isinstance(error, ScopeError) for _, error in swallowed_errors)
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert sum("ScopeError" in r.getMessage() for r in warnings) == 1


def test_one_agent_serves_two_users_and_neither_sees_the_others(
    mode: str, memory: Hindsight
) -> None:
    for name, rule in (("ann", "always answer in French"), ("bob", "always answer in German")):
        memory.remember(
            memory.scope_of(name), rule, kind=Kind.PREFERENCE, source=Source.USER, query="answer"
        )
    agent = make(["oui", "ja", "yes"], middleware=[HindsightMiddleware(memory)])
    for name in ("ann", "bob", "cid"):
        drive(mode, agent, user("how do you answer?"), {"configurable": {"user_id": name}})
    french, german, none = agent.scripted.systems
    assert "French" in french
    assert "German" not in french
    assert "German" in german
    assert "French" not in german
    assert none is None


def test_an_agent_that_is_named_keeps_what_it_learns_to_itself(
    mode: str, memory: Hindsight
) -> None:
    agent = make(["done"], middleware=[HindsightMiddleware(memory, user="u", agent="clerk")])
    drive(mode, agent, user("I prefer answers in French."))
    (learnt,) = memory.memories(Scope(user="u", agent="clerk"))
    assert learnt.scope.agent == "clerk"
    assert memory.memories(Scope(user="u", agent="cook")) == []
    assert memory.memories(Scope(user="u")) == []


def test_the_thread_is_the_session_and_what_is_learnt_is_not_bound_to_it(
    mode: str, memory: Hindsight
) -> None:
    agent = make(["done"], middleware=[HindsightMiddleware(memory)], checkpointer=InMemorySaver())
    drive(mode, agent, user("I prefer answers in French."), thread("first"))
    (started,) = events(memory, RunStarted)
    assert started.session == "first"
    assert started.scope.session is None
    (learnt,) = memory.memories(memory.scope_of())
    assert learnt.scope.session is None


def test_the_same_words_on_two_threads_or_of_two_users_are_two_runs(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        ["done"] * 3, middleware=[HindsightMiddleware(memory)], checkpointer=InMemorySaver()
    )
    drive(mode, agent, user("go", id="1"), thread("a"))
    drive(mode, agent, user("go", id="1"), thread("b"))
    drive(mode, agent, user("go", id="1"), thread("c", user_id="other"))
    assert len(events(memory, RunStarted)) == 3


def test_turns_of_one_task_are_one_run_and_no_other_users_task_of_that_name_is(
    mode: str, memory: Hindsight
) -> None:
    agent = make(
        ["done"] * 3, middleware=[HindsightMiddleware(memory)], checkpointer=InMemorySaver()
    )
    task = {"task": "plan a trip", "task_id": "1"}
    drive(mode, agent, user("to Oslo"), thread("a", user_id="ann", **task))
    drive(mode, agent, user("by train"), thread("a", user_id="ann", **task))
    drive(mode, agent, user("to Rome"), thread("b", user_id="bob", **task))
    started = events(memory, RunStarted)
    assert [(e.scope.user, e.task) for e in started] == [
        ("ann", "plan a trip"),
        ("bob", "plan a trip"),
    ]
    said = {e.text: e.run_id for e in events(memory, UserSaid)}
    assert said["to Oslo"] == said["by train"] != said["to Rome"]


def test_a_memory_is_opened_from_a_path_and_only_one_opened_here_is_closed(
    tmp_path: Any, memory: Hindsight
) -> None:
    path = tmp_path / "own.db"
    opened = HindsightMiddleware(str(path))
    assert path.exists()
    opened.close()
    assert not opened.hindsight.health().ok
    lent = HindsightMiddleware(memory)
    lent.close()
    assert memory.health().ok


def test_a_hook_called_outside_a_graph_still_works(memory: Hindsight) -> None:
    middleware = HindsightMiddleware(memory, user="u")
    runtime: Any = SimpleNamespace(context=None)
    middleware.before_agent({"messages": []}, runtime)
    assert [e.scope.user for e in events(memory)] == []
