"""What a run did with a memory, and what that does to it: each rule once, with its number."""

import pytest

from hindsight_core.events import BlockShown, CallFlagged, ToolCalled
from hindsight_core.ledger import credit, judge_uses, read_accounts
from hindsight_core.ports_ledger import MemoryUse, UseCount, Verdict
from hindsight_core.schema import (
    Correction,
    ErrorClass,
    Kind,
    Lesson,
    Mistake,
    Preference,
    Scope,
    Source,
    ToolCall,
    Trigger,
)
from hindsight_core.testing.samples import NOW, make_call_record, make_memory

ADA = Scope(user="ada")
WRONG = ToolCall(tool="book", signature="wrong", shape="book(time: word)")
RIGHT = ToolCall(tool="book", signature="right", shape="book(time: clock)")
OTHER = ToolCall(tool="list", signature="other", shape="list()")


def lesson(*, fixed=True, error_class=ErrorClass.VALIDATION, transient=False, **fields):
    return make_memory(
        "m",
        kind=Kind.LESSON,
        source=Source.TOOL,
        lesson=Lesson(
            trigger=Trigger(tool_sequence=("book",)),
            mistake=Mistake(
                action="8pm",
                consequence="time must be HH:MM",
                error_class=error_class,
                transient=transient,
                calls=(WRONG,),
            ),
            correction=Correction(action="20:00", calls=(RIGHT,), proven=True) if fixed else None,
        ),
        **fields,
    )


def shown(memory_id="m", withheld=False):
    ids = {"withheld_ids" if withheld else "memory_ids": (memory_id,)}
    return BlockShown(run_id="run", scope=ADA, key="block", at=NOW, recall_id="r", **ids)


def flagged(call, memory_id="m"):
    return CallFlagged(
        run_id="run",
        scope=ADA,
        key=f"flag-{call.signature}",
        at=NOW,
        call=call,
        action="advise",
        memory_ids=(memory_id,),
    )


def run_of(*steps, memory=None, good=True):
    """Judge a run of events and of calls, a call as `(ToolCall, ok)`."""
    events, calls = [], []
    for number, step in enumerate(steps):
        if not isinstance(step, tuple):
            events.append(step)
            continue
        call, ok = step
        key = f"call{number}"
        events.append(ToolCalled(run_id="run", scope=ADA, key=key, at=NOW, call=call))
        calls.append(
            make_call_record(key, ok=ok, signature=call.signature, shape=call.shape, tool=call.tool)
        )
    return judge_uses(events, [memory or lesson()], calls, good=good)


def verdict(*steps, **more):
    (use,) = run_of(*steps, **more)
    return use.verdict


def test_a_run_that_makes_the_failing_call_again_repeats_the_mistake():
    assert verdict(shown(), (WRONG, False)) is Verdict.REPEATED


def test_a_run_that_makes_the_call_that_worked_takes_the_correction():
    assert verdict(shown(), (RIGHT, True)) is Verdict.TAKEN


def test_a_run_that_does_something_else_does_neither():
    assert verdict(shown(), (OTHER, True), (OTHER, False)) is Verdict.NEITHER


def test_what_was_done_before_the_memory_was_shown_tells_nothing():
    assert verdict((WRONG, False), shown(), (OTHER, True)) is Verdict.NEITHER


def test_a_memory_that_was_not_shown_has_no_line():
    assert run_of((WRONG, False), (RIGHT, True)) == []


def test_the_last_act_that_tells_decides_and_each_repeat_is_counted():
    (use,) = run_of(shown(), (WRONG, False), flagged(WRONG), (WRONG, False), (RIGHT, True))
    assert (use.verdict, use.repeats) == (Verdict.TAKEN, 2)
    assert verdict(shown(), (RIGHT, True), (WRONG, False)) is Verdict.REPEATED


def test_the_failing_call_that_works_now_is_no_mistake():
    assert verdict(shown(), (WRONG, True)) is Verdict.NEITHER


def test_a_wrong_format_with_another_value_is_the_same_mistake():
    again = ToolCall(tool="book", signature="another", shape=WRONG.shape)
    assert verdict(shown(), (again, False)) is Verdict.REPEATED
    fixed = ToolCall(tool="book", signature="yet another", shape=RIGHT.shape)
    assert verdict(shown(), (fixed, True)) is Verdict.TAKEN


def test_another_thing_that_is_not_found_is_not_the_same_mistake():
    memory = lesson(error_class=ErrorClass.NOT_FOUND)
    again = ToolCall(tool="book", signature="another", shape=WRONG.shape)
    assert verdict(shown(), (again, False), memory=memory) is Verdict.NEITHER


def test_a_dead_end_that_was_flagged_and_let_be_was_obeyed():
    memory = lesson(fixed=False)
    assert verdict(flagged(WRONG), (OTHER, True), memory=memory) is Verdict.TAKEN
    assert verdict(flagged(WRONG), (WRONG, False), memory=memory) is Verdict.REPEATED


def test_waiting_and_calling_again_takes_the_advice_to_wait():
    memory = lesson(fixed=False, transient=True, error_class=ErrorClass.TIMEOUT)
    assert verdict(shown(), (WRONG, False), (WRONG, True), memory=memory) is Verdict.TAKEN


def test_a_path_is_taken_when_all_of_its_steps_are_made_in_order():
    path = make_memory("m", kind=Kind.PATH, source=Source.TOOL, path=(OTHER, RIGHT))
    assert verdict(shown(), (OTHER, True), (WRONG, False), (RIGHT, True), memory=path) == "taken"
    assert verdict(shown(), (RIGHT, True), (OTHER, True), memory=path) == "neither"
    assert verdict(shown(), (OTHER, True), (RIGHT, False), memory=path) == "neither"


def test_a_rule_of_the_user_is_broken_by_a_flagged_call_that_ran():
    rule = make_memory("m", kind=Kind.PREFERENCE, preference=Preference(slot="time"))
    assert verdict(shown(), flagged(WRONG), (WRONG, True), memory=rule) is Verdict.REPEATED
    assert verdict(shown(), flagged(WRONG), (RIGHT, True), memory=rule) is Verdict.TAKEN
    assert verdict(shown(), (RIGHT, True), memory=rule) is Verdict.NEITHER


def use(verdict=Verdict.TAKEN, good=True, withheld=False):
    return MemoryUse(
        scope=ADA,
        run_id="run",
        memory_id="m",
        verdict=verdict,
        good=good,
        at=NOW,
        events=3,
        withheld=withheld,
    )


@pytest.mark.parametrize(
    ("line", "hits", "misses", "decay"),
    [
        (use(good=True), 6, 3, 0.8),
        (use(good=False), 5, 4, 0.8),
        (use(good=None), 5, 3, 0.8),
        (use(Verdict.REPEATED, good=True), 5, 3, 0.8 * 0.95),
        (use(Verdict.NEITHER, good=False), 5, 3, 0.8 * 0.95),
        (use(Verdict.NEITHER, withheld=True), 5, 3, 0.8),
    ],
)
def test_taken_moves_the_confidence_and_not_taken_the_decay(line, hits, misses, decay):
    credited = credit(lesson(hits=5, misses=3, decay=0.8), line)
    assert (credited.hits, credited.misses) == (hits, misses)
    assert credited.decay == pytest.approx(decay)
    assert credited.confidence == pytest.approx((1 + hits) / (2 + hits + misses))


def test_a_later_verdict_on_the_same_run_takes_the_place_of_the_earlier():
    memory = lesson(hits=5, misses=3, decay=0.8)
    lines = [use(), use(good=False), use(Verdict.NEITHER), use(good=None), use()]
    before = None
    for line in lines:
        memory, before = credit(memory, line, before), line
    assert (memory.hits, memory.misses) == (6, 3)
    assert memory.decay == pytest.approx(0.8)


def test_a_preference_is_neither_credited_nor_worn_out_by_runs():
    rule = make_memory("m", kind=Kind.PREFERENCE)
    assert credit(rule, use(Verdict.NEITHER)) is rule


def test_an_account_adds_up_the_runs_of_a_memory():
    counts = [
        UseCount(memory_id="m", verdict=Verdict.TAKEN, good=True, withheld=False, runs=6),
        UseCount(memory_id="m", verdict=Verdict.TAKEN, good=False, withheld=False, runs=2),
        UseCount(memory_id="m", verdict=Verdict.TAKEN, good=None, withheld=False, runs=1),
        UseCount(memory_id="m", verdict=Verdict.REPEATED, good=False, withheld=False, runs=3),
        UseCount(memory_id="m", verdict=Verdict.NEITHER, good=True, withheld=False, runs=4),
        UseCount(memory_id="m", verdict=Verdict.NEITHER, good=False, withheld=True, runs=5),
    ]
    (account,) = read_accounts(counts).values()
    assert (account.shown, account.taken, account.repeated, account.neither) == (16, 9, 3, 4)
    assert (account.taken_good, account.taken_bad, account.withheld) == (6, 2, 5)
    assert account.uplift is not None
    assert account.uplift.mean == pytest.approx(11 / 17 - 1 / 7)
    assert account.as_dict()["uplift"]["harms"] is False
