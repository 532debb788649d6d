"""Text is cut alike for the index and for the query."""

from __future__ import annotations

import unicodedata

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.letters import part_names
from hindsight_core.stem import stem
from hindsight_core.text import clean, fold, shorten, terms

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)
MIXED = st.text(alphabet="abcXYZ 019，。退款货钱ｱア한국éß-_", max_size=40)


@given(MIXED)
def test_every_term_of_a_text_is_found_again_when_asked_for(text: str) -> None:
    for term in terms(text):
        assert terms(term) == [stem(term)]


@given(TEXT)
def test_case_and_width_make_no_difference(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    names = part_names(plain) != plain  # in them the case tells where a part begins
    assert terms(fold(text)) == terms(text) or (names and set(terms(fold(text))) < set(terms(text)))


@given(MIXED, MIXED)
def test_texts_that_are_joined_keep_their_terms(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(st.text(max_size=200), st.integers(min_value=0, max_value=50))
def test_a_shortened_text_is_no_longer_than_asked(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= max(limit, 0) or len(text) <= limit


def test_chinese_is_cut_into_bigrams_and_english_into_stems() -> None:
    assert terms("我要退款 booked flights") == ["我要", "要退", "退款", "book", "flight"]
    assert terms("款 Ａ１") == ["款", "a1"]
    assert clean("a\x00b\ud800") == "ab"


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        # The examples of the paper, one a rule.
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("conflated", "conflat"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("vietnamization", "vietnam"),
        ("triplicate", "triplic"),
        ("hopeful", "hope"),
        ("revival", "reviv"),
        ("adjustable", "adjust"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("roll", "roll"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("is", "is"),
        ("v2", "v2"),
    ],
)
def test_words_are_cut_as_porter_cuts_them(word: str, cut: str) -> None:
    assert stem(word) == cut


@pytest.mark.parametrize(
    "text",
    ["e", "ea", "y", "A", "aB", "aaB", "é", "e\u0301", "a1", "_", "款", "款a", "İ", "ب", "😀"],
)
def test_no_text_takes_longer_than_its_length_tells(text: str) -> None:
    """A row of vowels took as long as its square: one word of 32 KiB held a process for minutes."""
    assert seconds_of(lambda: terms(text * (200_000 // len(text)))) < 2
