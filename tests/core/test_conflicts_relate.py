"""How two memories relate, in both languages."""

from __future__ import annotations

import pytest
from cpu_kit import seconds_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.guard.conflicts import Label, relate


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The session timeout is 15 minutes.", "The session timeout is 50 minutes."),
        ("The import endpoint accepts CSV.", "CSV is rejected by the import endpoint, JSON only."),
        ("Never restart the worker by day.", "It is fine to restart the worker by day."),
        ("The team meeting is on Monday.", "The team meeting was moved to Thursday."),
        ("会话超时是十五分钟。", "会话超时是五十分钟。"),
        ("导入接口收 CSV。", "导入接口不收 CSV，只收 JSON。"),
        ("白天不要重启服务。", "白天可以重启服务。"),
        ("例会在周一。", "例会改到周四了。"),
    ],
)
def test_what_one_memory_denies_of_the_other_is_a_contradiction(a: str, b: str) -> None:
    relation = relate(a, b)
    assert relation.label is Label.CONTRADICTION
    assert relation.reasons


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "Reports go to finance.",
            "Monthly reports go to finance as PDF by the third of the month.",
        ),
        (
            "Avoid the bulk endpoint.",
            "Avoid the bulk endpoint for more than 500 rows, else use it.",
        ),
        ("标题要短。", "标题要短，不超过十五个字，也不带标点。"),
        ("周报发给财务。", "周报周五中午前发给财务，用 PDF，抄送组长。"),
    ],
)
def test_a_text_that_adds_conditions_refines(a: str, b: str) -> None:
    assert relate(a, b).label is Label.REFINEMENT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The timeout for uploads is 30 s.", "The timeout for uploads is half a minute."),
        ("Write the reports in German.", "Reports are to be written in German."),
        ("上传超时是三十秒。", "上传的超时为 30 秒。"),
        ("報告用德文寫。", "报告要用德文写。"),
    ],
)
def test_the_same_in_other_words_is_a_duplicate(a: str, b: str) -> None:
    assert relate(a, b).label is Label.DUPLICATE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The living room is kept at 24 degrees.", "The wine cellar is kept at 12 degrees."),
        ("He lives in Lyon.", "The backup mirror stands in the Lyon data centre."),
        ("客厅保持 24 度。", "酒窖保持 12 度。"),
        ("用户住在南京。", "镜像文件放在南京的机房。"),
    ],
)
def test_like_words_about_another_subject_are_unrelated(a: str, b: str) -> None:
    assert relate(a, b).label is Label.UNRELATED


def test_two_scenes_with_unknown_people_do_not_contradict_each_other() -> None:
    relation = relate("A man is playing a guitar.", "A man is playing a piano.")
    assert relation.label is not Label.CONTRADICTION


def test_a_denied_scene_contradicts_the_same_scene() -> None:
    relation = relate("There is no man playing a guitar.", "A man is playing a guitar.")
    assert relation.label is Label.CONTRADICTION
    assert relation.reasons == ("denial",)


def test_a_text_that_says_that_something_changed_is_marked_so() -> None:
    assert relate("The database is Postgres 14.", "The database was upgraded to 16.").change
    assert relate("数据库是 Postgres 14。", "数据库已经升级到 16。").change
    assert not relate("The database is Postgres 14.", "The database is Postgres 16.").change


def test_a_judge_that_answers_has_the_last_word() -> None:
    asked: list[tuple[str, str]] = []

    def judge(a: str, b: str) -> Label | None:
        asked.append((a, b))
        return Label.UNRELATED

    relation = relate("Use tabs.", "Use spaces.", judge=judge)
    assert asked == [("Use tabs.", "Use spaces.")]
    assert relation.label is Label.UNRELATED
    assert relation.score == 1.0


def test_a_judge_that_does_not_know_leaves_the_rules_their_word() -> None:
    plain = relate("Use tabs.", "Use spaces.")
    assert relate("Use tabs.", "Use spaces.", judge=lambda a, b: None) == plain


def test_a_cosine_ranks_by_sameness_and_does_not_choose_the_label() -> None:
    near = relate("Use tabs.", "Use spaces.", similarity=0.95)
    far = relate("Use tabs.", "Use spaces.", similarity=0.1)
    assert near.label is far.label
    assert near.sameness > far.sameness


TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from(
            [
                "not",
                "no",
                "never",
                "and",
                "the",
                "is",
                "5 MB",
                "only",
                "不",
                "只",
                "周一",
                "十",
                "。",
                ",",
                "\ud800",
            ]
        ),
        max_size=40,
    ).map(" ".join),
)


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS)
def test_any_two_texts_get_a_label_and_scores_that_sum_to_one(a: str, b: str) -> None:
    relation = relate(a, b)
    assert set(relation.scores) == set(Label)
    assert sum(relation.scores.values()) == pytest.approx(1.0)
    assert all(0.0 <= score <= 1.0 for score in relation.scores.values())
    assert relation.score == max(relation.scores.values())


@settings(deadline=None)
@given(TEXTS)
def test_no_text_contradicts_itself(text: str) -> None:
    assert relate(text, text).label is not Label.CONTRADICTION


@pytest.mark.parametrize("sign", ["a ", "不", "9,", "十", "don't ", "的", "\x00", "ing is "])
def test_the_cost_of_a_huge_text_is_bounded(sign: str) -> None:
    assert seconds_of(lambda: relate(sign * 50_000, sign * 50_000 + "x")) < 1.0
