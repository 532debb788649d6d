"""When a memory fades, and what is due for it: every number of the rules, with a clock in hand."""

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import ConfigurationError
from hindsight_core.ledger import Posterior, estimate_uplift
from hindsight_core.maintenance import (
    Action,
    Query,
    Standing,
    carry_out,
    count_returns,
    days_unreferenced,
    density,
    importance,
    plan,
    restored,
    same_situation,
    strength,
)
from hindsight_core.schema import Kind, Lesson, Mistake, Source, Status, Tier, Trigger
from hindsight_core.settings import Policy
from hindsight_core.testing.samples import NOW, make_memory
from hindsight_core.text import terms


def after(days):
    return NOW + timedelta(days=days)


def lesson(**fields):
    made = {"kind": Kind.LESSON, "source": Source.TOOL, "trust": 0.4}
    return make_memory("m", "`book` failed with 8pm: HH:MM", **(made | fields))


@pytest.mark.parametrize(
    ("days", "left"), [(0, 1.0), (30, 0.9), (60, 0.81), (90, 0.729), (15, math.sqrt(0.9))]
)
def test_a_memory_keeps_nine_tenths_of_its_strength_in_thirty_days(days, left):
    assert strength(lesson(), after(days)) == pytest.approx(left)


def test_what_the_ledger_wore_off_and_what_time_wore_off_multiply():
    assert strength(lesson(decay=0.5), after(30)) == pytest.approx(0.45)


def test_a_reference_new_evidence_or_a_word_of_the_user_makes_it_strong_again():
    assert strength(lesson(last_referenced_at=after(60)), after(60)) == 1.0
    assert strength(lesson(updated_at=after(50)), after(60)) == pytest.approx(0.9 ** (1 / 3))


def test_a_memory_from_the_future_is_new():
    assert days_unreferenced(lesson(), NOW - timedelta(days=3)) == 0


def test_importance_is_the_weighted_sum_of_its_four_parts():
    memory = lesson(references=5, hits=2, misses=1, tier=Tier.SHORT)
    expected = 0.3 * 0.5 + 0.3 * math.exp(-1) + 0.25 * 0.6 + 0.15 * density(memory.content)
    assert importance(memory, after(30)) == pytest.approx(expected)


def test_importance_fades_more_slowly_for_the_long_term():
    long, short = lesson(tier=Tier.LONG), lesson(tier=Tier.SHORT)
    lost = importance(short, NOW) - importance(short, after(30))
    assert lost == pytest.approx(0.3 * (1 - math.exp(-1)))
    kept = importance(long, NOW) - importance(long, after(90))
    assert kept == pytest.approx(0.3 * (1 - math.exp(-1)))


@given(
    references=st.integers(0, 10**6),
    hits=st.integers(0, 10**6),
    misses=st.integers(0, 10**6),
    days=st.floats(-10, 10**5),
    text=st.text(min_size=1),
)
def test_importance_is_between_nothing_and_one(references, hits, misses, days, text):
    memory = make_memory("m", text, references=references, hits=hits, misses=misses)
    assert 0 <= importance(memory, after(days)) <= 1


@pytest.mark.parametrize(
    ("dull", "telling"),
    [
        ("yes yes yes yes", "book the window table by phone before noon on fridays"),
        ("好好好好好好", "订靠窗的位子要提前打电话并说明人数"),
    ],
)
def test_a_text_that_repeats_itself_or_is_short_tells_less(dull, telling):
    assert density(dull) < 0.3
    assert density(telling) == 1.0
    assert density("") == 0.0


def due(memory, days, **more):
    step = plan(memory, after(days), **more)
    return None if step is None else step.action


UNSURE = {"hits": 0, "misses": 2}  # a confidence of 1/4


@pytest.mark.parametrize(
    ("days", "fields", "action"),
    [
        (29.9, UNSURE, None),
        (30, UNSURE, Action.ARCHIVE),
        (30, {"hits": 2, "misses": 6}, None),  # a confidence of exactly 0.3
        (30, {"hits": 2, "misses": 7}, Action.ARCHIVE),
        (30, {}, None),
        (89.9, {}, None),
        (90, {}, Action.DELETE),
        (90, {"status": Status.ARCHIVED}, Action.DELETE),
        (90, {"status": Status.COLD}, Action.DELETE),
        (90, {"status": Status.QUARANTINED}, None),
        (89.9, {"status": Status.ARCHIVED} | UNSURE, None),
        (90, {"last_referenced_at": after(1)}, None),
        (0, {"decay": 0.3}, None),
        (0, {"decay": 0.29}, Action.COLD),
        (30, {"decay": 0.34}, None),
        (30, {"decay": 0.33}, Action.COLD),
        (0, {"decay": 0.29, "status": Status.ARCHIVED}, Action.COLD),
        (0, {"decay": 0.29, "status": Status.COLD}, None),
    ],
)
def test_what_is_due_for_a_lesson_at_which_age(days, fields, action):
    assert due(lesson(**fields), days) == action


def test_not_referenced_for_a_year_it_would_be_cold_where_nothing_is_deleted():
    policy = Policy(delete_days=None)
    days = 30 * math.log(0.3) / math.log(0.9)
    assert days == pytest.approx(342.8, abs=0.1)
    assert due(lesson(), days - 0.1, policy=policy) is None
    assert due(lesson(), days + 0.1, policy=policy) is Action.COLD


def test_what_is_important_is_put_into_cold_storage_instead_of_being_deleted():
    proven = lesson(references=60, hits=30)
    assert importance(proven, after(90)) >= 0.6
    assert due(proven, 90) is Action.COLD
    assert due(proven.model_copy(update={"status": Status.COLD}), 90) is None


@pytest.mark.parametrize("source", [Source.USER, Source.OPERATOR])
@pytest.mark.parametrize(
    ("days", "fields"), [(400, {}), (90, {}), (30, UNSURE), (0, {"decay": 0.1})]
)
def test_a_rule_of_the_user_is_kept_and_never_silently(source, days, fields):
    rule = make_memory("m", "Use pnpm, not npm.", kind=Kind.PREFERENCE, source=source, **fields)
    step = plan(rule, after(days))
    assert step is not None
    assert step.action is Action.KEEP
    assert "the user's own rule" in step.reason
    assert carry_out(step, after(days)) is None


def test_a_rule_that_only_an_agent_noted_is_forgotten_like_anything_else():
    rule = make_memory("m", "Use pnpm.", kind=Kind.PREFERENCE, source=Source.AGENT)
    assert due(rule, 90) is Action.DELETE


def test_what_the_user_said_is_never_deleted_for_its_age():
    assert due(make_memory("m", "I live in Ghent.", source=Source.USER), 90) is Action.COLD
    assert due(make_memory("m", "He lives in Ghent.", source=Source.TOOL), 90) is Action.DELETE


def test_each_kind_may_have_a_policy_of_its_own():
    strict = Policy(archive_days=1, archive_below=0.6, delete_days=10, cold_below=None)
    assert due(lesson(), 1, policy=strict) is Action.ARCHIVE
    assert due(lesson(), 10, policy=strict) is Action.DELETE
    assert due(lesson(decay=0.01), 0.5, policy=strict) is None
    never = Policy(archive_days=None, delete_days=None, cold_below=None, restore_after=None)
    assert due(lesson(**UNSURE), 5_000, policy=never) is None
    assert due(lesson(status=Status.COLD), 1, policy=never, returns=99) is None


@pytest.mark.parametrize("wrong", [{"archive_days": 0}, {"delete_days": -1}, {"restore_after": 0}])
def test_a_policy_that_makes_no_sense_is_a_clear_error(wrong):
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Policy(**wrong)


def test_a_lesson_that_does_harm_is_retired():
    harmful = estimate_uplift(Posterior(hits=2, misses=18), Posterior(hits=15, misses=5))
    step = plan(lesson(), NOW, uplift=harmful)
    assert step is not None
    assert step.action is Action.RETIRE
    changed = carry_out(step, NOW)
    assert changed is not None
    assert changed.status is Status.ARCHIVED
    assert "uplift -0.59" in changed.reasons[-1]
    helpful = estimate_uplift(Posterior(hits=15, misses=5), Posterior(hits=2, misses=18))
    assert due(lesson(), 0, uplift=helpful) is None


@pytest.mark.parametrize(("returns", "action"), [(2, None), (3, Action.RESTORE)])
def test_a_cold_memory_comes_back_when_its_situation_does_three_times(returns, action):
    assert due(lesson(status=Status.COLD, decay=0.1), 0, returns=returns) == action
    assert due(lesson(status=Status.ARCHIVED), 0, returns=returns) is None


def test_putting_away_does_not_make_a_memory_look_new_and_coming_back_does():
    step = plan(lesson(decay=0.1), after(5))
    assert step is not None
    cold = carry_out(step, after(5))
    assert cold is not None
    assert (cold.status, cold.updated_at, cold.revision) == (Status.COLD, NOW, 1)
    back = restored(cold, after(9))
    assert (back.status, back.updated_at, back.decay) == (Status.ACTIVE, after(9), 0.5)
    assert due(back, 9) is None


@pytest.mark.parametrize(
    ("learnt", "asked", "same"),
    [
        ("Book a table for the team dinner", "Book a table for the board dinner", True),
        ("Book a table for the team dinner", "Deploy the web shop to production", False),
        ("为团队晚餐订一张桌子", "为董事会晚餐订一张桌子", True),
        ("为团队晚餐订一张桌子", "把网店部署到生产环境", False),
    ],
)
def test_a_situation_is_known_again_by_its_words(learnt, asked, same):
    assert same_situation(frozenset(terms(asked)), lesson(query=learnt)) is same


def test_what_only_says_something_comes_to_mind_when_it_holds_what_is_asked_for():
    fact = make_memory("m", "The staging database is restored every Monday.")
    assert same_situation(frozenset(terms("staging database restored")), fact)
    assert not same_situation(frozenset(terms("the production database backup today")), fact)
    assert not same_situation(frozenset(), fact)


def test_returns_are_counted_once_a_run_and_only_since_the_memory_was_of_use():
    memory = lesson(query="Book a table for the team dinner", last_referenced_at=after(1))
    asked = [
        Query.of(run, after(days), "Book a table for the team dinner")
        for run, days in (("a", 0.5), ("b", 2), ("b", 3), ("c", 4), ("", 5))
    ]
    asked.append(Query.of("d", after(6), "Deploy the web shop"))
    assert count_returns(memory, asked) == 2


PASSING = {"expires_at": after(1), "tier": Tier.SHORT}


@pytest.mark.parametrize(
    ("days", "fields", "standing", "action"),
    [
        (6.9, {}, {}, None),
        (7, {}, {}, Action.LAPSE),
        (7, {"last_referenced_at": after(1)}, {}, None),
        (7, {}, {"sessions": 1}, Action.PROMOTE),
        (0, {}, {"sessions": 2}, Action.PROMOTE),
        (0, {"hits": 1}, {}, Action.PROMOTE),
        (0, {"hits": 1, "misses": 1}, {}, None),
        (0, {}, {"lasting": True}, None),  # the words of an agent do not make themselves last
        (0, {"source": Source.USER}, {"lasting": True}, Action.PROMOTE),
        (0, {"source": Source.TOOL}, {"lasting": True}, None),
        (0.9, PASSING, {}, None),
        (1, PASSING, {}, Action.LAPSE),
        (1, PASSING, {"sessions": 1}, Action.PROMOTE),
        (7, {"status": Status.ARCHIVED}, {"sessions": 1}, None),
        (7, {"status": Status.QUARANTINED}, {"sessions": 1}, None),
        (7, {"tier": Tier.LONG}, {}, None),
        (0, {"tier": Tier.WORKING}, {"sessions": 9}, None),
        (0, {"tier": Tier.WORKING}, {"run_over": True}, Action.DELETE),
        (0.9, {"tier": Tier.WORKING}, {}, None),
        (1, {"tier": Tier.WORKING}, {}, Action.DELETE),
    ],
)
def test_what_becomes_of_a_memory_of_a_lower_tier(days, fields, standing, action):
    made = {"source": Source.AGENT, "tier": Tier.SHORT, "trust": 0.6} | fields
    memory = make_memory("m", "The export is in the folder out.", **made)
    assert due(memory, days, standing=Standing(**standing)) == action


def test_an_outage_stays_short_term_however_often_it_is_met():
    memory = lesson(**PASSING)
    mistake = Mistake(action="`book`", consequence="503", transient=True)
    passing = memory.model_copy(update={"lesson": Lesson(trigger=Trigger(), mistake=mistake)})
    standing = Standing(sessions=5)
    assert due(passing.model_copy(update={"hits": 3}), 0.5, standing=standing) is None
    assert due(passing, 1, standing=standing) is Action.LAPSE


def test_what_becomes_long_term_expires_no_more_and_what_lapses_can_be_restored():
    memory = make_memory("m", "x y", source=Source.AGENT, **PASSING)
    promoted = carry_out(plan(memory, NOW, standing=Standing(sessions=1)), NOW)
    assert (promoted.tier, promoted.expires_at, promoted.revision) == (Tier.LONG, None, 1)
    lapsed = carry_out(plan(memory, after(1)), after(1))
    assert lapsed.status is Status.ARCHIVED
    assert lapsed.reasons[-1].startswith("lapse: short-term")


def test_short_term_memory_is_kept_where_a_policy_says_so():
    memory = make_memory("m", "x y", source=Source.AGENT, tier=Tier.SHORT)
    assert due(memory, 60, policy=Policy(short_days=None)) is None
    assert due(memory, 1, policy=Policy(short_days=1)) is Action.LAPSE
    with pytest.raises(ConfigurationError, match="short_days"):
        Policy(short_days=0)
