"""What is recalled reaches the model, and nothing but the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import (
    MODES,
    BrokenError,
    ErrorsBecomeMessages,
    calls,
    drive,
    events,
    make,
    plain,
    thread,
    user,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from hindsight_core import Hindsight, Kind, Source
from hindsight_core.events import AgentSaid, UserSaid

RULE = "Always report temperatures in celsius"


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    if city == "nowhere":
        raise BrokenError("no such city")
    return f"mild in {city}"


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def knowing(memory: Hindsight) -> Hindsight:
    """A memory that knows one thing."""
    memory.remember(
        memory.scope_of("u"),
        RULE,
        kind=Kind.PREFERENCE,
        source=Source.USER,
        query="temperatures weather celsius report",
    )
    return memory


@pytest.mark.parametrize(
    ("said", "asked", "known"),
    [
        ("I prefer answers in French.", "are your answers in French?", "French"),
        ("以后请一律用中文回答我。", "用中文回答", "一律用中文"),
    ],
)
def test_what_the_user_said_in_one_process_is_before_the_model_in_the_next(
    mode: str, open_memory: Callable[..., Hindsight], said: str, asked: str, known: str
) -> None:
    with open_memory() as first:
        agent = make(["noted"], middleware=[HindsightMiddleware(first, user="u")])
        drive(mode, agent, user(said))
    agent = make(["print()"], middleware=[HindsightMiddleware(open_memory(), user="u")])
    drive(mode, agent, user(asked))
    (system,) = agent.scripted.systems
    assert known in system
    assert "<memory-" in system


def test_a_plain_prompt_stays_a_plain_string_that_begins_as_before(
    mode: str, knowing: Hindsight
) -> None:
    agent = make(
        ["20 degrees"],
        system_prompt="You are brief.",
        middleware=[HindsightMiddleware(knowing, user="u")],
    )
    drive(mode, agent, user("report the temperatures of the weather"))
    (system,) = agent.scripted.systems
    assert isinstance(system, str)
    assert system.startswith("You are brief.\n\n")
    assert RULE in system


def test_a_prompt_of_blocks_gets_one_block_more_and_keeps_its_own(
    mode: str, knowing: Hindsight
) -> None:
    own = [{"type": "text", "text": "You are brief.", "cache_control": {"type": "ephemeral"}}]
    agent = make(
        ["20 degrees"],
        system_prompt=SystemMessage(content=own),
        middleware=[HindsightMiddleware(knowing, user="u")],
    )
    drive(mode, agent, user("report the temperatures of the weather"))
    (system,) = agent.scripted.systems
    assert system[:-1] == own
    assert RULE in system[-1]["text"]


def test_without_a_prompt_there_is_one_and_without_a_memory_there_is_none(
    mode: str, knowing: Hindsight
) -> None:
    middleware = HindsightMiddleware(knowing, user="u")
    agent = make(["20 degrees"], middleware=[middleware])
    drive(mode, agent, user("report the temperatures of the weather"))
    assert RULE in agent.scripted.systems[0]
    stranger = make(["20 degrees"], middleware=[HindsightMiddleware(knowing, user="other")])
    drive(mode, stranger, user("report the temperatures of the weather"))
    assert stranger.scripted.systems == [None]


def test_it_is_there_at_every_call_of_the_model_and_the_same(mode: str, knowing: Hindsight) -> None:
    agent = make(
        [calls(("weather", {"city": "Rome"})), "20 degrees"],
        [weather],
        middleware=[HindsightMiddleware(knowing, user="u")],
    )
    drive(mode, agent, user("report the temperatures of the weather"))
    first, second = agent.scripted.systems
    assert RULE in first
    assert first == second


def test_nothing_of_it_is_kept_in_the_state_or_taken_for_something_said(
    mode: str, knowing: Hindsight
) -> None:
    saver = InMemorySaver()
    agent = make(
        [calls(("weather", {"city": "Rome"})), "20 degrees"],
        [weather],
        middleware=[HindsightMiddleware(knowing, user="u")],
        checkpointer=saver,
    )
    result = drive(mode, agent, user("report the temperatures of the weather"), thread())
    assert RULE in agent.scripted.systems[0]
    assert RULE not in str(result)
    assert all(RULE not in str(snapshot) for snapshot in agent.get_state_history(thread()))
    said = [e.text for e in events(knowing) if isinstance(e, UserSaid | AgentSaid)]
    assert said == ["report the temperatures of the weather", "20 degrees"]
    assert len(knowing.memories(knowing.scope_of("u"))) == 1


def test_a_block_that_a_user_pastes_back_is_not_captured(mode: str, knowing: Hindsight) -> None:
    agent = make(["20 degrees", "ok"], middleware=[HindsightMiddleware(knowing, user="u")])
    drive(mode, agent, user("report the temperatures of the weather"))
    drive(mode, agent, user(f"what is this? {agent.scripted.systems[0]}"))
    assert all(RULE not in e.text for e in events(knowing, UserSaid))


steps = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from(["weather", "weather", "imagined"]),
            st.fixed_dictionaries({"city": st.sampled_from(["Rome", "nowhere", "東京"])})
            | st.just({"wrong": 1}),
        ),
        min_size=1,
        max_size=3,
    ),
    max_size=3,
)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(turns=st.lists(steps, min_size=1, max_size=2), mode=st.sampled_from(MODES))
def test_the_messages_are_the_same_with_and_without_us(
    turns: list[list[list[tuple[str, dict[str, Any]]]]],
    mode: str,
    knowing: Hindsight,
) -> None:
    script = [step for turn in turns for step in [*(calls(*wanted) for wanted in turn), "done"]]

    def run(*middleware: Any) -> tuple[list[Any], list[Any]]:
        agent = make(
            script,
            [weather],
            middleware=[ErrorsBecomeMessages(), *middleware],
            checkpointer=InMemorySaver(),
        )
        results = [
            plain(drive(mode, agent, user("report the temperatures of the weather"), thread()))
            for _ in turns
        ]
        return results, agent.scripted.shown

    without, shown_without = run()
    within, shown = run(HindsightMiddleware(knowing, user="u"))
    assert within == without
    assert len(shown) == len(shown_without)


def test_what_a_person_adds_in_mid_run_is_heard(mode: str, memory: Hindsight) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        return interrupt(question)

    agent = make(
        [calls(("ask", {"question": "which unit?"})), "20 degrees"],
        [ask],
        middleware=[HindsightMiddleware(memory)],
        checkpointer=InMemorySaver(),
    )
    drive(mode, agent, user("how warm?"), thread())
    added = [HumanMessage("and be brief from now on")]
    drive(mode, agent, Command(resume="celsius", update={"messages": added}), thread())
    assert "and be brief from now on" in [e.text for e in events(memory, UserSaid)]
