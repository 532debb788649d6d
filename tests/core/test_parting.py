"""Long logs: shortened, folded, cut into parts that fit and that know what failed before them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.reflect import LoggedCall, Room, RunLog, prompts_for
from hindsight_core.reflect.parting import in_parts
from hindsight_core.schema import Scope, ToolCall

ME = Scope(user="ana")


def call(number, ok, words):
    made = ToolCall(tool="index", args={"path": words}, signature=f"s{number}", shape="x")
    return LoggedCall(number=number, call=made, ok=ok, message="done" if ok else f"no {words}")


def log_of(calls, run_id="r"):
    made = [call(number, *one) for number, one in enumerate(calls, 1)]
    return RunLog(run_id=run_id, scope=ME, task="Index 文件", calls=tuple(made))


CALLS = st.lists(st.tuples(st.booleans(), st.text(max_size=200)), min_size=1, max_size=60)


@settings(max_examples=25)
@given(calls=CALLS, room=st.integers(600, 6_000), parts=st.integers(1, 4))
def test_each_part_fits_and_the_numbers_stay_what_they_are(calls, room, parts):
    log = log_of(calls)
    found = in_parts(log, room=room, parts=parts, measure=len)
    assert 1 <= len(found) <= parts
    numbers = [call.number for part in found for call in part.calls]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == len(calls), "how it ended is always told"
    longest = max(len(call.line()) for part in found for call in part.calls)
    for part in found:
        # A remark on what was left out stands between calls, at most one for each.
        assert len(part.text(1)) <= room + longest + 60 * (len(part.calls) + 2)
        assert all(not one.ok and one.number < part.calls[0].number for one in part.earlier)


def test_what_worked_far_from_any_failure_is_left_out_and_said_to_be():
    log = log_of([(n != 50, "x" * 100) for n in range(1, 101)])
    (part,) = in_parts(log, room=3_000, parts=2, measure=len)
    assert [call.number for call in part.calls] == [48, 49, 50, 51, 52, 100]
    assert "(47 calls that worked are left out)" in part.text(1)


@given(st.lists(CALLS, min_size=1, max_size=12), st.integers(800, 4_000))
@settings(max_examples=10)
def test_every_run_stands_in_some_question(logs, size):
    runs = [log_of(calls, f"r{n}") for n, calls in enumerate(logs)]
    prompts = list(prompts_for(runs, Room(size=size, parts=2)))
    assert {run.run_id for prompt in prompts for run in prompt.runs} == {r.run_id for r in runs}
    assert all(len(prompt.runs) <= 8 for prompt in prompts)
