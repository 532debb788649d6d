"""No text crashes, hangs or is stored in half."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cpu_kit import seconds_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.capture.preferences import extract_preferences
from hindsight_core.capture.preferences.joining import MAX_STATEMENT
from hindsight_core.capture.preferences.text import MAX_CONSIDERED, mask, sentences, window

ANY_CHARACTER = st.characters(exclude_categories=())
PIECES = st.sampled_from(
    [
        "I always use tabs. ",
        "never push to main",
        "以后都用中文。",
        "不要",
        "除了",
        "１２",
        "```",
        "~~~",
        '"',
        "'",
        "“",
        "”",
        "「",
        "」",
        "`",
        "<b>",
        "</b>",
        "<memory>",
        "\n",
        "\n- ",
        "> ",
        ". ",
        "。",
        "…",
        "?",
        "(",
        ")",
        "{",
        "}",
        " ",
        "\x00",
        "�",
        "\u200b",
        "\u202e",
        "İ",
        "ﬁ",
        "ß",
        "e.g. ",
        "1. ",
        "\r\n",
        "\t",
        "\ue000",
    ]
)
TEXTS = st.one_of(st.text(ANY_CHARACTER, max_size=300), st.lists(PIECES, max_size=60).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_no_text_crashes_and_every_finding_is_text_of_the_user(text, before):
    for finding in extract_preferences(text, before=before):
        assert finding.content.strip()
        assert len(finding.content) <= MAX_STATEMENT + 8
        assert 0.0 <= finding.confidence <= 1.0
        assert finding.slot
        finding.content.encode()


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_masking_keeps_the_length_so_offsets_stay_true(text):
    masked = mask(text)
    assert len(masked) == len(text)
    for sentence in sentences(text, masked):
        assert sentence.raw in text
        assert len(sentence.raw) == len(sentence.masked)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_same_text_gives_the_same_findings(text):
    assert extract_preferences(text) == extract_preferences(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000, "[{<" * 30_000, "'" * 100_000, '"' * 99_999, "`" * 100_000, "```" * 30_000,
        "<a>" * 30_000, "<a><b></a>" * 10_000, "“" * 100_000, "\n" * 100_000, " " * 100_000,
        ". " * 50_000, "。" * 100_000, "…" * 100_000, "-" * 100_000, "1" * 100_000, "a" * 1_000_000,
        "never " * 200_000, "I always use tabs, " * 50_000, "不要" * 200_000, "除了" * 200_000,
        "每次都不要用表格，" * 60_000, "x, not y, " * 100_000, "if " * 200_000, "\x00" * 1_000_000,
        "\ud800" * 100_000, "> " * 100_000, "i'm " * 100_000, "_" * 100_000, "a." * 100_000,
        "a_" * 100_000, "my my " * 100_000, "instead of " * 50_000, "\ue000" * 100_000,
        "first. " + "x" * 1_000_000 + " last. I never eat meat.",
    ],
    ids=range(35),
)  # fmt: skip
def test_no_text_takes_long(text):
    extract_preferences("I like tea. 我喜欢茶。")
    assert seconds_of(lambda: extract_preferences(text)) < 1.0


def test_of_a_long_text_head_and_tail_are_judged_and_no_sentence_is_cut():
    filler = "The parcel arrived. " * 2_000
    text = f"I never eat meat. {filler} I always pay in cash."
    assert len(text) > MAX_CONSIDERED
    considered = window(text)
    assert considered.startswith("I never eat meat.")
    assert considered.endswith("I always pay in cash.")
    for sentence in sentences(considered, mask(considered)):
        assert sentence.raw in ("I never eat meat.", "The parcel arrived.", "I always pay in cash.")


def test_importing_compiles_no_table_and_loads_no_numpy():
    code = (
        "import sys; import hindsight_core.capture.preferences;"
        "from hindsight_core.capture.preferences import features as f;"
        "assert 'numpy' not in sys.modules; assert not f._COMPILED"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
