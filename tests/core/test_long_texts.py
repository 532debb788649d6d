"""No text that a person, a model or a tool can hand in holds a process up by how it is repeated."""

from contextlib import suppress
from functools import partial

import pytest
from cpu_kit import seconds_of

from hindsight_core import Hindsight, HindsightError, Kind, Scope, Settings, Source

ME = Scope(user="ana")
UNITS = (
    *("e", "aeiouy", "ing", "A", "aB", "\u00e9", "e\u0301", "_", "/a", "1-", "not not "),
    *("不要", "，不要", "以后"),
)
LENGTH = 6_000
SECONDS = 3.0
"""Where it is linear the slowest takes a third of a second, and 20 where it was not."""


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_repeated_is_read_in_a_time_that_its_length_tells(tmp_path, unit):
    text = (unit * LENGTH)[:LENGTH]
    with Hindsight.open(
        str(tmp_path / "m.db"), embedder=None, settings=Settings(deadline=600)
    ) as hindsight:
        hindsight.remember(ME, "The staging database is restored every Monday.")
        hindsight.recall(ME, "staging")  # loads the tables
        for step in (
            lambda: hindsight.remember(ME, text, kind=Kind.PREFERENCE, source=Source.USER),
            lambda: hindsight.remember(ME, text, kind=Kind.FACT, source=Source.TOOL),
            lambda: hindsight.recall(ME, text),
            lambda: a_run(hindsight, text),
        ):
            assert seconds_of(partial(a_step, step)) < SECONDS


def a_step(step):
    with suppress(HindsightError):  # the guard may refuse it
        step()


def a_run(hindsight, text):
    with hindsight.run(ME, task=text) as run:
        run.user(text)
        run.context()
        run.before_tool("fetch", {"q": text})
        run.after_tool("fetch", {"q": text}, result=text, flagged_error=True)
        run.after_tool("fetch", {"q": "short"}, result=text)
        run.agent(text)
