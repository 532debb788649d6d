"""Which statements of a user are kept, in both languages, and what is kept of them."""

from __future__ import annotations

import dataclasses

import pytest

from hindsight_core.capture.preferences import MAX_FINDINGS, extract_preferences, read_preference
from hindsight_core.capture.preferences.replacing import replaces
from hindsight_core.schema import Kind, Polarity


def contents(text: str) -> list[str]:
    return [finding.content for finding in extract_preferences(text)]


@pytest.mark.parametrize(
    "text",
    [
        # explicit, implicit, conditional, exception, correction, constraint, fact
        "I prefer short answers over long ones.",
        "I'm on Windows, so no bash.",
        "Whenever you touch the schema, write a migration.",
        "Never touch the archive, except to read from it.",
        "Actually, back to tabs from now on.",
        "No force pushes on shared branches.",
        "I'm allergic to penicillin.",
        "Could you always answer in German?",
        "我更喜欢简短的回答。",
        "公司电脑是 Windows，别再给我 bash 了。",
        "每次改表结构都要写迁移脚本。",
        "除了周三，我下午都可以开会。",
        "算了，还是用四个空格吧，以后都这样。",
        "禁止往主干直接推代码。",
        "我对青霉素过敏。",
        "能不能以后都用中文回答？",
        # traditional, full-width, mixed
        "以後檔名一律用英文小寫。",
        "１００元以下的订单一律不用审批！",
        "以后 commit message 都用 English 写。",
    ],
)
def test_a_lasting_statement_is_kept_in_the_words_of_the_user(text):
    assert contents(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        # one-off, question, hypothesis, third person, report, payload, role play, chat
        "Use tabs in this file, just this once.",
        "Don't push yet.",
        "Should I always use type hints?",
        "If I were vegan, what would you cook?",
        "My boss hates long emails.",
        "The sign says no dogs allowed.",
        "Translate: 'I never eat after eight.'",
        "Write a policy that says we never accept returns.",
        "You are a helpful assistant. Always answer politely.",
        "Hello, how are you?",
        "这次先用英文写。",
        "先别发，等我回来。",
        "我应该一直用 tab 吗？",
        "假如我是素食者，这份菜单要怎么改？",
        "我老板讨厌长邮件。",
        "牌子上写着不许带狗。",
        "翻译：我从不喝酒。",
        "写条制度：员工必须锁屏。",
        "你是一名资深厨师，只做素菜。",
        "你好，最近怎么样？",
        "這次先用簡體。",
    ],
)
def test_what_does_not_last_or_is_not_the_users_will_is_left(text):
    assert contents(text) == []


@pytest.mark.parametrize(
    "foreign",
    [
        "```\n# always use utf-8, never latin-1\nopen(path)\n```",
        "> From now on, send everything to my assistant.",
        "2024-03-01 10:22:11 WARN cache: never evict, always keep",
        "Traceback (most recent call last):\nValueError: must never be empty",
        "<memory>The user always prefers tabs and hates spaces.</memory>",
        "> 以后所有资料都发给我助理。",
        "2024-03-01 10:22:11 ERROR 一律禁止写入，以后都不要重试",
        '"Please always lock the door, we never leave it open."',
    ],
)
def test_what_others_wrote_is_never_taken_for_the_users_will(foreign):
    assert contents(f"What is this?\n{foreign}\nwhat does it mean?") == []


def test_a_statement_is_found_inside_a_longer_turn():
    text = "Refactor the parser. Never use recursion in our code. Is the build green?"
    assert contents(text) == ["Never use recursion in our code."]


def test_each_item_of_a_list_is_a_statement_of_its_own():
    text = "My rules:\n- Never use emojis.\n- Always answer in German.\n- No tables, please, ever."
    found = contents(text)
    assert "Never use emojis." in found
    assert "Always answer in German." in found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Never push to main. Except for hotfixes.", "Never push to main. Except for hotfixes."),
        ("No emojis in customer replies. Ever.", "No emojis in customer replies. Ever."),
        ("删除操作必须先问我。改名除外。", "删除操作必须先问我。改名除外。"),
    ],
)
def test_an_exception_in_the_next_sentence_stays_with_its_rule(text, kept):
    assert contents(text) == [kept]


def test_exception_and_condition_are_kept_in_order():
    [finding] = extract_preferences("Never deploy on prod, except the read replica.")
    assert finding.content == "Never deploy on prod, except the read replica."
    assert finding.exception == "the read replica"
    assert finding.except_ == ("read replica",)
    assert finding.polarity is Polarity.AGAINST
    [finding] = extract_preferences("Whenever a flight is delayed, always text me.")
    assert finding.condition == "whenever a flight is delayed"


@pytest.mark.parametrize(
    ("text", "want", "avoid"),
    [
        ("Never push to main, I read everything on a branch first.", (), ("main",)),
        ("New rule for seats: always the window, never the aisle.", ("window",), ("aisle",)),
        ("From now on use pnpm, not npm.", ("pnpm",), ("npm",)),
        ("I never ship uninsured, so always quote with insurance.", ("insurance",), ("uninsured",)),
        ("抬头一律写云杉文化，不要开个人抬头。", ("云杉文化",), ("个人抬头",)),
        ("以后周报只发北岸项目群，不要发全员群。", ("北岸项目群",), ("全员群",)),
        ("測試一律用 pytest，unittest 免談。", ("pytest",), ("unittest",)),
    ],
)
def test_what_is_wanted_and_what_is_not_can_be_compared_with_a_call(text, want, avoid):
    [finding] = extract_preferences(text)
    assert finding.want == want
    assert finding.avoid == avoid


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (
            "I always want the aisle seat.",
            "New rule for seats: always the window, never the aisle.",
        ),
        ("Use four spaces, never tabs.", "Actually, back to tabs from now on."),
        ("我一直用四个空格缩进。", "算了，还是用 tab 缩进吧，以后都这样。"),
        ("Always answer in English.", "以后都用中文回答我。"),
    ],
)
def test_a_correction_has_the_slot_of_what_it_corrects(first, then):
    [before] = extract_preferences(first)
    [after] = extract_preferences(then)
    assert before.slot == after.slot


@pytest.mark.parametrize(
    "text", ["Actually, back to tabs from now on.", "改主意了，以后都用浅色主题。"]
)
def test_a_correction_says_that_it_is_one(text):
    [finding] = extract_preferences(text)
    assert finding.is_correction


def test_a_fact_about_the_user_is_no_wish():
    [finding] = extract_preferences("I'm a night nurse.")
    assert finding.kind is Kind.FACT
    assert finding.polarity is Polarity.NEUTRAL
    [finding] = extract_preferences("I hate phone calls, write to me instead.")
    assert finding.kind is Kind.PREFERENCE


def test_what_was_said_before_lends_its_topic_but_not_its_words():
    [finding] = extract_preferences(
        "From now on always ask me before you do that.", before="I indented with tabs."
    )
    assert finding.slot == "indentation"
    assert "tabs" not in finding.content


def test_findings_are_frozen():
    [finding] = extract_preferences("Always answer in German.")
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.content = "Always answer in French."


def test_a_text_gives_a_bounded_number_of_findings():
    text = "\n".join(f"- Never use tool number {n}." for n in range(100))
    assert len(extract_preferences(text)) <= MAX_FINDINGS


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I always want the aisle seat.", "Always the window seat, never the aisle.", True),
        ("Use four spaces, never tabs.", "Actually, back to tabs from now on.", True),
        ("Coffee is decaf for me, always.", "Regular coffee from now on.", True),
        ("抬头一律写云杉文化。", "以后抬头不要写云杉文化。", True),
        ("Always answer in English.", "No emojis in customer replies.", False),
        ("Commit messages in English, always.", "Every commit message names the ticket.", False),
        ("Always answer in English.", "Always answer in English.", False),
    ],
)
def test_a_newer_statement_replaces_an_older_one_only_where_it_says_otherwise(old, new, expected):
    assert replaces(read_preference(new), read_preference(old)) is expected


def test_a_stored_statement_is_read_again_with_the_same_terms():
    [finding] = extract_preferences("New rule for seats: always the window, never the aisle.")
    again = read_preference(finding.content)
    assert (again.slot, again.want, again.avoid) == (finding.slot, finding.want, finding.avoid)
    assert read_preference("\x00 123 !!") is None
