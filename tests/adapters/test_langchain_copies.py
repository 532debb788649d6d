"""What holds a memory can be copied with the agent that has it."""

import copy

from langchain_hindsight import HindsightCallbackHandler, HindsightMiddleware, HindsightStore

from hindsight_core import Hindsight


def test_a_copy_goes_on_with_the_same_memory(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        for made in (
            HindsightMiddleware(memory, user="ana"),
            HindsightCallbackHandler(memory, user="ana"),
            HindsightStore(memory),
        ):
            assert copy.deepcopy([made])[0] is made
