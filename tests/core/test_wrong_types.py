"""Whatever a public method is called with, it works or raises an error of ours that says why."""

from __future__ import annotations

import inspect
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_core import (
    ConfigurationError,
    Hindsight,
    HindsightError,
    InvalidMemoryError,
    Scope,
    ScopeError,
    Settings,
    Where,
)

ME = Scope(user="u")
FACETS = ["", "review", "alerts", "sharing", "reflection", "idle", "items"]
LEFT_OUT = {"close", "run", "guard", "stop", "begin"}
"""They open, close or serve adapters; `run` reports instead of raising."""


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("cannot be shown")


WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["\ud800", "\x00", "x" * 600, 10**30, -(10**30), b"bytes", object(), Odd()]),
    st.just(ME),
    st.just(Where()),
    st.just(date(2026, 1, 1)),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3)), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.just(len),
    st.just(Scope),
)


def methods(hs: Hindsight):
    """Every public method that a user's own code calls, by name."""
    for facet in FACETS:
        held = getattr(hs, facet) if facet else hs
        held = held(ME) if facet == "items" else held
        for name, method in inspect.getmembers(held, inspect.ismethod):
            if not (name.startswith("_") or name in LEFT_OUT or method == hs.open):
                yield f"{facet}.{name}".strip("."), method


@pytest.fixture(scope="module")
def hs(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("wrong") / "m.db")
    with Hindsight.open(path, embedder=None, settings=Settings(maintenance=False)) as opened:
        opened.remember(ME, "The printer is on the second floor.")
        yield opened


@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_wrong_types_raise_an_error_of_ours_or_do_no_harm(hs, data):
    _, method = data.draw(st.sampled_from(list(methods(hs))), label="method")
    args, kwargs = [], {}
    for parameter in inspect.signature(method).parameters.values():
        right = st.just(ME) if parameter.name == "scope" else st.nothing()
        value = data.draw(st.one_of(WRONG, right), label=parameter.name)
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        elif parameter.default is parameter.empty or data.draw(st.booleans()):
            args.append(value)
        else:
            break
    with suppress(HindsightError):
        method(*args, **kwargs)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda hs: hs.recall("u", "x"), ScopeError, "recall: scope must be Scope, got str 'u'"),
        (lambda hs: hs.recall(ME, 5), ConfigurationError, "recall: query must be str, got int 5"),
        (lambda hs: hs.recall(ME, "x", top_k=0), ConfigurationError, "top_k must be from 1"),
        (lambda hs: hs.recall(ME, "x", where={}), ConfigurationError, "where must be Where"),
        (lambda hs: hs.remember(ME, 5), InvalidMemoryError, "content: must be a string, got int"),
        (lambda hs: hs.remember(ME, "x", entities="ab"), ConfigurationError, "entities must be"),
        (lambda hs: hs.memories(ME, limit="9"), ConfigurationError, "limit must be int"),
        (lambda hs: hs.forget(ME, [1]), ConfigurationError, "forget: ids must be"),
        (lambda hs: hs.get(ME, "\ud800"), ConfigurationError, "memory_id must not hold NUL"),
        (lambda hs: hs.review.waiting(None), ScopeError, "waiting: scope must be Scope"),
    ],
)
def test_the_message_names_the_argument_and_what_it_must_be(hs, call, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(")):
        call(hs)
