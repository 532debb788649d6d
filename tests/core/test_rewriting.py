"""A message that needs the turns before it becomes a query of its own, and no other is touched."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Settings, Source
from hindsight_core.errors import ModelError
from hindsight_core.recall import Turn, needs_turns, self_contained

PARIS = [Turn(text="What is the weather in Paris on Monday?"), Turn(text="Mild.", by_user=False)]
LISBON = [
    Turn(text="Which hotel did we book in Lisbon?"),
    Turn(text="Hotel Avenida, four stars.", by_user=False),
]
REPORT = [Turn(text="北岸项目的周报什么时候交？"), Turn(text="每周五。", by_user=False)]


@pytest.mark.parametrize(
    ("turns", "message", "query"),
    [
        (PARIS, "And for Berlin?", "What is the weather in Berlin on Monday?"),
        (PARIS, "and on Friday?", "What is the weather in Paris on Friday?"),
        (
            [*PARIS, Turn(text="And for Berlin?"), Turn(text="Cold.", by_user=False)],
            "What about Friday?",
            "What is the weather in Berlin on Friday?",
        ),
        (LISBON, "How do I cancel it?", "Which hotel did we book in Lisbon?\nHow do I cancel it?"),
        (LISBON, "yes", "Which hotel did we book in Lisbon?\nyes"),
        (REPORT, "那个呢？", "北岸项目的周报什么时候交？\n那个呢？"),
        (REPORT, "南岸项目呢？", "北岸项目的周报什么时候交？\n南岸项目呢？"),
        (REPORT, "那南岸項目呢？", "北岸项目的周报什么时候交？\n那南岸項目呢？"),
    ],
)
def test_a_message_that_goes_on_takes_up_the_question_before_it(turns, message, query):
    assert self_contained(message, turns) == query


@pytest.mark.parametrize(
    ("turns", "message", "needed"),
    [
        (LISBON, "Send the one from before to Ann.", ["Lisbon", "Hotel Avenida"]),
        (LISBON, "Is the second one cheaper?", ["Lisbon", "Hotel Avenida"]),
        (REPORT, "刚才说的那个发给谁？", ["周报", "每周五"]),
        (REPORT, "第二个呢？", ["周报", "每周五"]),
    ],
)
def test_what_points_back_brings_the_question_and_its_answer(turns, message, needed):
    query = self_contained(message, turns)
    assert query.endswith(message)
    assert all(one in query for one in needed)


@pytest.mark.parametrize(
    "message",
    [
        "Book a flight to Berlin and send the ticket to Ann by mail.",
        "What does Ann like to eat on Sundays?",
        "Run the tests of the payment service and fix what fails in it.",
        "帮我订一张去柏林的机票，并把票发给小王。",
        "南岸项目的预算是多少？",
        "",
        "   ",
    ],
)
def test_a_message_that_stands_for_itself_is_left_as_it_is(message):
    assert not needs_turns(message)
    assert self_contained(message, [*PARIS, *REPORT]) == message


@given(st.text(max_size=400), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_is_taken_and_nothing_is_made_up_without_earlier_turns(message, said):
    assert self_contained(message, []) == message
    query = self_contained(message, [Turn(text=text) for text in said])
    assert query == message or any(text.strip()[:20] in query for text in said if text.strip())


class Chat:
    """A chat model of the tests: answers what it is told to, once it may."""

    name = "scripted"

    def __init__(self, answer: str | Exception, *, late: bool = False) -> None:
        self.given, self.asked, self.may = answer, threading.Event(), threading.Event()
        if not late:
            self.may.set()
        self.texts: list[str] = []

    def answer(self, system, user, *, schema, max_tokens):
        self.texts.append(user)
        self.asked.set()
        self.may.wait(60)
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def opened(tmp_path, chat=None, **settings):
    known = Settings(maintenance=False, **settings)
    return Hindsight.open(tmp_path / "m.db", embedder=None, chat=chat, settings=known)


def known(hs):
    scope = hs.scope_of("u")
    hs.remember(scope, "The office in Berlin closes at noon on Fridays.", source=Source.USER)
    hs.remember(scope, "The canteen in Paris serves oysters on Fridays.", source=Source.USER)
    return scope


def queries(hs, scope):
    return [(report.said, report.query) for report in hs.recalls(scope)]


def test_a_run_is_asked_in_the_light_of_the_run_before_it_in_the_conversation(tmp_path):
    with opened(tmp_path) as hs:
        scope = known(hs)
        first = hs.run(scope, session="s")
        first.user("When does the office in Paris close?")
        first.agent("I do not know.")
        first.finish(ok=True)
        second = hs.run(scope, session="s")
        second.user("And in Berlin?")
        assert "closes at noon" in second.context().text
        assert queries(hs, scope)[-1] == ("And in Berlin?", "When does the office in Berlin close?")


def test_a_framework_that_tells_the_turns_before_needs_no_session(tmp_path):
    with opened(tmp_path) as hs:
        scope = known(hs)
        run = hs.run(scope)
        run.user(
            "And in Berlin?",
            before="I do not know.",
            asked_before="When does the office in Paris close?",
        )
        assert "closes at noon" in run.context().text


def test_no_turn_of_another_users_conversation_is_taken_up(tmp_path):
    with opened(tmp_path) as hs:
        known(hs)
        hers = hs.run(hs.scope_of("ana"), session="s")
        hers.user("When does the secret office in Paris close?")
        hers.finish()
        mine = hs.run(hs.scope_of("u"), session="s")
        mine.user("And in Berlin?")
        mine.context()
        assert queries(hs, hs.scope_of("u"))[-1] == ("", "And in Berlin?")


ASKED = {"before": "I do not know.", "asked_before": "When does the office in Paris close?"}


def test_the_models_question_counts_when_it_comes_in_time(tmp_path):
    chat = Chat(json.dumps({"question": "When does the Berlin office close on Fridays?"}))
    with opened(tmp_path, chat, rewrite_seconds=30, deadline=120) as hs:
        scope = known(hs)
        run = hs.run(scope)
        run.user("And in Berlin?", **ASKED)
        block = run.context()
        assert queries(hs, scope)[-1][1] == "When does the Berlin office close on Fridays?"
        assert run.context() is block
        assert "user (the last message): And in Berlin?" in chat.texts[0]
        assert len(chat.texts) == 1


@pytest.mark.parametrize(
    ("chat", "settings"),
    [
        (Chat('{"question": "late"}', late=True), {"rewrite_seconds": 0.05, "deadline": 120}),
        (Chat("no JSON at all"), {"rewrite_seconds": 30, "deadline": 120}),
        (Chat(ModelError("down")), {"rewrite_seconds": 30, "deadline": 120}),
        (Chat("{}"), {"rewrite_seconds": 0}),
        (Chat("{}"), {"rewrite_seconds": 30, "deadline": 120, "reflection_calls_per_hour": 0}),
    ],
    ids=["late", "malformed", "down", "off", "no budget"],
)
@pytest.mark.swallows
def test_without_the_models_word_in_time_the_rules_do(tmp_path, chat, settings):
    with opened(tmp_path, chat, **settings) as hs:
        scope = known(hs)
        run = hs.run(scope)
        run.user("And in Berlin?", **ASKED)
        assert "closes at noon" in run.context().text
        assert queries(hs, scope)[-1][1] == "When does the office in Berlin close?"
        chat.may.set()


def test_a_model_is_not_asked_about_words_that_stand_for_themselves(tmp_path):
    chat = Chat("{}")
    with opened(tmp_path, chat) as hs:
        run = hs.run(known(hs))
        run.user("When does the office in Berlin close?", **ASKED)
        run.context()
    assert not chat.asked.is_set()
