"""Which statements of a user are kept, in both languages."""

from __future__ import annotations

import pytest

from hindsight_core.capture.preferences import extract_preferences


@pytest.mark.parametrize(
    ("text", "want", "avoid"),
    [
        ("Never push to main, I read everything on a branch first.", (), ("main",)),
        ("New rule for seats: always the window, never the aisle.", ("window",), ("aisle",)),
        ("抬头一律写云杉文化，不要开个人抬头。", ("云杉文化",), ("个人抬头",)),
    ],
)
def test_a_standing_rule_is_kept_with_what_is_wanted_and_avoided(text, want, avoid):
    [finding] = extract_preferences(text)
    assert finding.content == text
    assert finding.want == want
    assert finding.avoid == avoid


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "What time is it in Oslo?",
        "你好，今天天气怎么样？",
        "\x00",
        "\ud800",
        "(" * 100_000,
    ],
)
def test_greetings_questions_and_junk_give_nothing(text):
    assert extract_preferences(text) == []
