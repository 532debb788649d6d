"""A run that goes on for hundreds of turns, and is judged after each, takes no longer for each."""

from pathlib import Path

import pytest

from hindsight_core import Hindsight
from hindsight_core.capture.preferences.reading import judged_sentences
from hindsight_core.capture.taking_back import own_sentences

TURNS = 300
SAID = {"en": "Fetch report number {} of the service.", "zh": "请取一下服务的第{}份报告。"}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_each_turn_is_read_once_however_often_its_run_ends(tmp_path: Path, said: str) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        run = memory.run(memory.scope_of("u"), task="reports")
        for number in range(TURNS):
            run.user(said.format(number), turn=str(number))
        run.finish(ok=True)
        before = [read.cache_info().misses for read in (judged_sentences, own_sentences)]
        run.user(said.format(TURNS), turn=str(TURNS))
        run.finish(ok=True)
        after = [read.cache_info().misses for read in (judged_sentences, own_sentences)]
    assert [new - old for new, old in zip(after, before, strict=True)] <= [2, 2]
