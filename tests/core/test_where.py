"""A filter says at once what is wrong with it, and a time without a zone is wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import Where
from hindsight_core.schema import Kind, Status

ME = Scope(user="me")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"since": datetime(2026, 1, 1)}, "since needs a zone"),  # noqa: DTZ001 - the point
        ({"until": datetime(9999, 12, 31)}, "until needs a zone"),  # noqa: DTZ001
        ({"since": "2026-01-01"}, "since must be a datetime"),
        ({"kinds": ("rule",)}, "kinds must be of preference, fact, path, lesson"),
        ({"kinds": "fact"}, "kinds must be a tuple"),
        ({"statuses": ("gone",)}, "statuses must be of"),
        ({"entities": "pnpm"}, "entities must be a tuple"),
        ({"entities": (1,)}, "one is 1"),
        ({"tool_sequence": None}, "tool_sequence must be a tuple"),
        ({"subject": 5}, "subject must be a tuple"),
    ],
)
def test_a_filter_that_nothing_could_match_is_an_error(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Where(**wrong)


def test_texts_and_lists_stand_for_what_they_name() -> None:
    where: Any = Where
    assert where(kinds=["fact"], statuses=("active",)) == Where(
        kinds=(Kind.FACT,), statuses=(Status.ACTIVE,)
    )
    assert where(entities=["pnpm", "退款"]).entities == ("pnpm", "退款")
    assert where(subject=["style", "语言"]).subject == ("style", "语言")
    assert Where(subject="style").subject == "style"


def test_a_bound_is_one_moment_in_every_zone(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    east = timezone(timedelta(hours=8))
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=lambda: noon) as memory:
        memory.remember(ME, "The lift was repaired.", time=noon)
        memory.remember(ME, "电梯修好了。", time=noon)
        for asked in ("Was the lift repaired?", "电梯修好了吗？"):
            for zone in (UTC, east):
                at = noon.astimezone(zone)
                assert memory.recall(ME, asked, where=Where(since=at, until=at)).memories
                before = Where(until=at - timedelta(microseconds=1))
                found = memory.recall(ME, asked, where=before)
                assert found.report.widened  # nothing is that old, which the report says
