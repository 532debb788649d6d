"""A question that names an identifier finds what is known of it, however much else it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope
from hindsight_core.recall.identifiers import identifiers

ME = Scope(user="me")
PASTED = (
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'left-pad' imported from /app/dist/main.js\n"
    "    at packageResolve (node:internal/modules/esm/resolve:853:9) {{ code: 1 }} {}"
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Error [ERR_MODULE_NOT_FOUND]: no module", {"errmodulenotfound"}),
        ("getUserProfile() and get_user_profile", {"getuserprofile"}),
        ("src/billing/retry_policy.py", {"src/billing/retrypolicy.py", "retrypolicy.py"}),
        ("配置在config.yaml里，见retry_policy.py。", {"config.yaml", "retrypolicy.py"}),
        ("PAY-1042 fails with TypeError", {"pay1042", "typeerror"}),
        ("the agent 3.11.4", {"3.11.4"}),
        ("ModuleNotFoundError", {"modulenotfounderror"}),
    ],
)
def test_identifiers_are_known_however_they_are_joined(text: str, named: set[str]) -> None:
    assert identifiers(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "GitHub, JavaScript, YouTube, iPhone and macOS",
        "and/or, 24/7, e.g. this, i.e. that; 3.5 of 10.25",
        "a pop-up on a self-contained check-up page",
        "2026-07-10 at 10:30, COVID-19, room B12",
        "今天下午三点在B12开会，价格3.5元",
    ],
)
def test_common_words_and_numbers_are_none(text: str) -> None:
    assert identifiers(text) == frozenset()


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        (
            "ERR_MODULE_NOT_FOUND in the deploy means that the lockfile was not committed.",
            PASTED.format(""),
        ),
        ("部署时报 ERR_MODULE_NOT_FOUND，原因是 lockfile 没有提交。", PASTED.format("怎么办？")),
    ],
)
def test_a_pasted_message_finds_the_note_on_its_code(
    tmp_path: Path, known: str, asked: str
) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        memory.remember(ME, known)
        memory.remember(ME, "The module on taxes is taught on Mondays.")
        memory.remember(ME, "税务模块每周一上课。")
        found = memory.recall(ME, asked)
        assert [one.content for one in found.memories] == [known]
        first = found.report.candidates[0]
        assert first.evidence["identifier"] > 0
        assert sum(first.evidence.values()) == pytest.approx(first.similarity)


def test_an_identifier_that_many_hold_lets_none_through(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        for colour in ("red", "green", "blue", "grey", "pink"):
            memory.remember(ME, f"The {colour} button of user_settings.tsx opens a dialog.")
        asked = "Why does user_settings.tsx blow the budget of our bundler in the nightly job?"
        assert memory.recall(ME, asked).memories == ()


def test_another_identifier_finds_nothing(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        memory.remember(ME, "ERR_MODULE_NOT_FOUND means that the lockfile was not committed.")
        assert memory.recall(ME, "ERR_STREAM_DESTROYED while writing the report").memories == ()


@given(st.text(alphabet="aA_-./~1 \n(", max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert all(len(name) >= 5 for name in identifiers(text))
