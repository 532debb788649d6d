"""Who gets the few seats in the block."""

from datetime import UTC, datetime

from hindsight_core.ranking import ScoreBreakdown
from hindsight_core.recall.found import Found
from hindsight_core.recall.seats import seat
from hindsight_core.schema import (
    ErrorClass,
    Kind,
    Lesson,
    Memory,
    MemoryKey,
    MemoryValue,
    Mistake,
    Scope,
    Source,
    Trigger,
)

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def lesson_of(error):
    mistake = Mistake(action="go north", consequence="Nothing happens.", error_class=error)
    return Lesson(trigger=Trigger(), mistake=mistake)


def found(
    name, kind, score, *, cosine=0.5, kept=True, matched=("report",), why_not="", error=None, **more
):
    memory = Memory(
        key=MemoryKey(subject=more.get("slot", "")),
        query="Find the lamp.",
        lesson=lesson_of(error) if error else None,
        id=name,
        scope=Scope(user="u"),
        kind=kind,
        source=Source.USER,
        trust=0.9,
        value=MemoryValue(content=name),
        created_at=NOW,
        updated_at=NOW,
    )
    parts = ScoreBreakdown(similarity=score, recency=0.0, trust=0.0, references=0.0)
    return Found(
        memory=memory,
        cosine=cosine,
        bm25=1.0,
        coverage=more.get("coverage", 0.1),
        matched=matched,
        similarity=score,
        score=parts,
        kept=kept,
        why_not=why_not,
    )


def shown(candidates, top_k=3, threshold=0.2):
    return [c.memory.id for c in seat(candidates, top_k, threshold) if c.kept]


def test_the_best_have_the_seats():
    candidates = [found(f"lesson {n}", Kind.LESSON, 0.9 - n / 10) for n in range(5)]
    assert shown(candidates) == ["lesson 0", "lesson 1", "lesson 2"]
    assert [c.why_not for c in seat(candidates, 3, 0.2)][3:] == ["beyond the best 3"] * 2


def test_a_path_takes_a_seat_that_is_left_over_and_no_other():
    lessons = [found(f"lesson {n}", Kind.LESSON, 0.5 - n / 10) for n in range(3)]
    path = found("path", Kind.PATH, 0.9)
    assert "path" not in shown([path, *lessons])
    assert shown([path, *lessons[:2]]) == ["path", "lesson 0", "lesson 1"]
    assert shown([path, found("other path", Kind.PATH, 0.8)]) == ["path"]


def test_a_rule_of_the_user_that_is_near_enough_has_a_seat_for_certain():
    lessons = [found(f"lesson {n}", Kind.LESSON, 0.9 - n / 10) for n in range(3)]
    below = {"kept": False, "why_not": "below the relevance threshold"}
    rule = found("rule", Kind.PREFERENCE, 0.3, cosine=0.07, **below)
    assert shown([*lessons, rule]) == ["lesson 0", "lesson 1", "rule"]


def test_a_rule_that_is_far_off_or_shares_no_word_has_none():
    lessons = [found(f"lesson {n}", Kind.LESSON, 0.9 - n / 10) for n in range(3)]
    below = {"kept": False, "why_not": "below the relevance threshold"}
    far = found("far", Kind.PREFERENCE, 0.3, cosine=0.05, **below)
    wordless = found("wordless", Kind.PREFERENCE, 0.3, cosine=0.15, matched=(), **below)
    expired = found("expired", Kind.PREFERENCE, 0.3, kept=False, why_not="expired")
    assert shown([*lessons, far, wordless, expired]) == ["lesson 0", "lesson 1", "lesson 2"]


def test_a_word_in_common_lifts_a_lesson_over_the_threshold_that_it_all_but_reaches():
    below = {"kept": False, "why_not": "below the relevance threshold"}
    nearly = found("nearly", Kind.LESSON, 0.4, cosine=0.195, **below)
    short = found("short", Kind.LESSON, 0.4, cosine=0.18, **below)
    wordless = found("wordless", Kind.LESSON, 0.4, cosine=0.195, matched=(), **below)
    assert shown([nearly, short, wordless]) == ["nearly"]


def test_a_rule_with_telling_words_needs_no_nearness():
    below = {"kept": False, "why_not": "below the relevance threshold"}
    rule = found("rule", Kind.PREFERENCE, 0.3, cosine=0.01, coverage=0.15, **below)
    assert shown([rule]) == ["rule"]


def test_what_else_was_said_of_a_thing_takes_a_seat_that_is_left():
    below = {"kept": False, "why_not": "below the relevance threshold"}
    first = found("regular", Kind.PREFERENCE, 0.8, slot="coffee")
    second = found("beans", Kind.PREFERENCE, 0.3, cosine=0.1, slot="coffee", **below)
    other = found("tea", Kind.PREFERENCE, 0.3, cosine=0.1, slot="tea", **below)
    assert shown([first, second, other]) == ["regular", "beans"]


def test_a_call_without_effect_is_told_of_in_its_own_task_only():
    soft = found("soft", Kind.LESSON, 0.9, error=ErrorClass.SOFT)
    wrong = found("wrong", Kind.LESSON, 0.8, error=ErrorClass.VALIDATION)
    ids = [c.memory.id for c in seat([soft, wrong], 3, 0.2, task="find the lamp") if c.kept]
    assert ids == ["soft", "wrong"]
    elsewhere = seat([soft, wrong], 3, 0.2, task="Find the other lamp.")
    assert [c.memory.id for c in elsewhere if c.kept] == ["wrong"]
    assert "another task" in elsewhere[1].why_not


def test_nothing_fit_means_nothing_shown():
    assert shown([found("x", Kind.LESSON, 0.1, kept=False, why_not="below")]) == []


def test_in_a_search_a_rule_needs_a_word_and_its_meaning():
    below = "below the relevance threshold"

    def sought(**more):
        rule = found("rule", Kind.PREFERENCE, 0.4, kept=False, why_not=below, **more)
        return [one.memory.id for one in seat([rule], 3, 0.34, search=True) if one.kept]

    assert sought(cosine=0.25) == ["rule"]
    assert sought(cosine=0.2) == []  # a word that any text may have
    assert sought(cosine=0.3, matched=()) == []
    assert sought(cosine=None, coverage=0.2) == []  # by words alone the coverage decides
    in_a_run = found("rule", Kind.PREFERENCE, 0.4, kept=False, why_not=below, cosine=0.2)
    assert shown([in_a_run], threshold=0.34) == ["rule"]


def test_in_a_search_a_rule_shown_brings_no_other_of_its_slot():
    below = "below the relevance threshold"
    told = found("told", Kind.PREFERENCE, 0.6, slot="style")
    other = found("other", Kind.PREFERENCE, 0.3, kept=False, why_not=below, slot="style")
    both = [told, other]
    assert shown(both) == ["told", "other"]
    assert [one.memory.id for one in seat(both, 3, 0.6, search=True) if one.kept] == ["told"]
