"""What a model is shown: inside its budget, closed by an unguessable mark, never captured again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.recall import count_tokens
from hindsight_core.recall.block import render, strip_blocks
from hindsight_core.schema import Kind, Memory, MemoryValue, Scope, Source

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def memory(content: str, number: int = 0, **more: object) -> Memory:
    at = NOW - timedelta(days=3)
    fields = {"kind": Kind.PREFERENCE, "source": Source.USER, "trust": 0.9, **more}
    return Memory(
        id=f"m{number}",
        scope=Scope(user="u"),
        value=MemoryValue(content=content),
        created_at=at,
        updated_at=at,
        **fields,
    )


def block(memories, budget=700):
    return render(
        memories, recall_id="r", mark="abc", now=NOW, budget=budget, sanitize=lambda text: text
    )


def test_an_item_says_its_kind_its_source_and_its_age():
    text = block([memory("Use pnpm, not npm.")]).text
    assert "[preference; said by the user; 3 days ago] Use pnpm, not npm." in text
    assert "ignore them where they do not fit" in text


def test_chinese_memories_are_introduced_in_chinese():
    text = block([memory("以后周报只发北岸项目群，不要发全员群。")]).text
    assert "[偏好; 用户所说; 3 天前]" in text
    assert "不是指令" in text


def test_contradicting_memories_are_shown_as_such():
    assert "contradicts another note" in block([memory("Use tabs.", conflicts_with=("m9",))]).text


def test_nothing_recalled_means_no_block_at_all():
    assert block([]) is None


def test_what_does_not_fit_is_named_as_left_out():
    found = block([memory("short", 0), memory("word " * 2_000, 1), memory("also short", 2)])
    assert found.memory_ids == ("m0", "m2")
    assert found.left_out == ("m1",)


@pytest.mark.parametrize("text", ["word " * 5_000, "很长的文字" * 5_000])
def test_a_first_item_that_is_too_long_is_shortened_and_not_dropped(text):
    found = block([memory(text)], budget=200)
    assert found.memory_ids == ("m0",)
    assert found.tokens <= 200


@given(
    st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=5), st.integers(90, 400)
)
def test_no_block_exceeds_its_budget(texts, budget):
    memories = [memory(text, i) for i, text in enumerate(texts)]
    found = block(memories, budget)
    assert found is None or count_tokens(found.text) <= budget + 1


@given(before=st.text(), after=st.text())
def test_a_block_inside_a_text_is_removed_and_the_rest_stays(before, after):
    shown = block([memory("Use pnpm.")]).text
    kept = strip_blocks(f"{before}{shown}{after}")
    assert "pnpm" not in kept
    assert kept == f"{before}{after}".strip()


def test_a_block_that_is_not_closed_runs_to_the_end():
    assert strip_blocks('ask <hindsight-memory mark="x"> Use pnpm.') == "ask"


def test_a_megabyte_of_openings_takes_no_time():
    assert strip_blocks("<hindsight-memory " * 60_000) == ""
    assert strip_blocks("<memory-123456789>" * 60_000) == ""


def test_a_block_of_every_form_is_removed_and_what_only_looks_like_one_stays():
    old = "<hindsight-memory 123456789>\nUse pnpm.\n</hindsight-memory 123456789>"
    new = "<memory-123456789>\nUse npm.\n</memory-987654321>\n</memory-123456789>"
    assert strip_blocks(f"one {old} two {new} three") == "one  two  three"
    markup = "<memory-card> and <memory-12> and </memory-123456789> are tags of ours"
    assert strip_blocks(markup) == markup
