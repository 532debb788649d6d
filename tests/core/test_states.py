"""A failure without effect counts in the state of its run in which it had none."""

import pytest

from hindsight_core import Hindsight, Scope, Settings

ME = Scope(user="me")
TASK = "Put the soap 1 on the shelf 2"
NOTHING = "Nothing happens."


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(tmp_path / "m.db", embedder=None, settings=Settings(deadline=60)) as memory:
        yield memory


def play(hs, *steps):
    """One run of steps `(action, result)`; the actions that were flagged."""
    run = hs.run(ME, task=TASK)
    flagged = []
    for number, (action, result) in enumerate(steps):
        tool, _, rest = action.partition(" ")
        args = {"input": rest}
        if run.before_tool(tool, args, call_id=f"c{number}").flagged:
            flagged.append(action)
        run.after_tool(
            tool, args, call_id=f"c{number}", result=result, flagged_error=result == NOTHING
        )
    run.finish(ok=True)
    return flagged


GO = ("go to shelf 2", "You arrive at shelf 2.")
TAKE = ("take soap 1", "You pick up the soap 1.")
PUT = "put soap 1 on shelf 2"


def test_a_call_that_came_too_early_is_flagged_only_when_it_comes_too_early_again(hs):
    play(hs, (PUT, NOTHING), TAKE, GO, (PUT, "Done."))
    assert play(hs, (PUT, NOTHING)) == [PUT]
    assert play(hs, TAKE, GO, (PUT, "Done.")) == []


def test_a_call_that_names_what_nothing_spoke_of_is_flagged_in_any_state(hs):
    play(hs, ("go to shelf 9", NOTHING))
    assert play(hs, GO, ("go to shelf 9", NOTHING)) == ["go to shelf 9"]


def test_a_success_in_the_same_state_takes_the_failure_back(hs):
    play(hs, TAKE, ("open shelf 2", NOTHING))
    assert play(hs, TAKE, ("open shelf 2", "You open the shelf 2.")) == ["open shelf 2"]
    play(hs, ("open shelf 1", NOTHING), TAKE, ("open shelf 2", "You open the shelf 2."))
    assert play(hs, TAKE, ("open shelf 2", "You open the shelf 2.")) == []
