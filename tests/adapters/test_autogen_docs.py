"""The guide's snippets run as they stand, one after the other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from autogen_kit import Scripted, calls, events, fetch

from hindsight_core import GateMode
from hindsight_core.events import ToolCalled, ToolRejected
from hindsight_core.settings import DEFAULT_SETTINGS

GUIDE = Path(__file__).parents[2] / "docs" / "autogen.md"


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The default store and settings, with a gate that asks and a deadline that nothing misses."""
    monkeypatch.setenv("HINDSIGHT_URL", str(tmp_path / "m.db"))
    before = DEFAULT_SETTINGS.gate, DEFAULT_SETTINGS.deadline
    for gate, deadline in ((GateMode.CONFIRM, 60.0), before):
        object.__setattr__(DEFAULT_SETTINGS, "gate", gate)
        object.__setattr__(DEFAULT_SETTINGS, "deadline", deadline)
        if gate is GateMode.CONFIRM:
            yield


async def test_the_guide_does_what_it_says(at_home: None) -> None:
    fails = calls(("fetch", {"path": "/v1/a"}))
    script = [fails, "It is gone.", fails, "I see."]
    names: dict[str, Any] = {"client": Scripted(*script), "tools": [fetch]}
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)
    ours = names["memory"]
    await names["agent"].run(task="Fetch it.")
    await names["agent"].run(task="Fetch it.")
    assert [e.text for e in events(ours.hindsight, ToolRejected)] == ["use the newer one"]
    assert len(events(ours.hindsight, ToolCalled)) == 1
    for each in (ours, names["again"], names["restored"]):
        await each.close()
