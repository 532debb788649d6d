"""What names a field, a sibling or a flag tells that it holds a secret, written out or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hindsight_core.capture.redaction import Redactor, redact

NAMED: dict[str, tuple[Any, str]] = {
    "a header of a list": (
        {"headers": [{"name": "Authorization", "value": "Bearer hu7Zk29sPq"}]},
        "hu7Zk29sPq",
    ),
    "a variable of the environment": (
        {"env": [{"key": "DB_PASSWORD", "value": "sunny-Day!"}]},
        "sunny-Day!",
    ),
    "a field of a Chinese form": (
        {"表单": [{"名称": "登录密码", "值": "sunny-Day!"}]},
        "sunny-Day!",
    ),
    "a flag of a command": ({"cmd": ["mysql", "--password", "hunter2x", "db"]}, "hunter2x"),
    "a list of passwords": ({"passwords": ["hunter2x", "sunny-Day!"]}, "sunny-Day!"),
    "a word as a password": ({"login": {"user": "bob", "pass": "tiger-lily"}}, "tiger-lily"),
}
NOT_NAMED: tuple[Any, ...] = (
    {"key": "colour", "value": "red-and-white"},
    {"field": "password", "message": "is too short"},
    {"pin": "top-left"},
    {"cmd": ["tool", "--password-file", "--verbose", "run"]},
    {"cmd": ["sort", "--key", "2", "--unique", "names.txt"]},
    {"名称": "颜色", "值": "红色和白色"},
)


@pytest.mark.parametrize(("value", "secret"), NAMED.values(), ids=NAMED)
def test_a_secret_that_its_neighbour_names_leaves_the_arguments(value: Any, secret: str) -> None:
    assert secret not in json.dumps(Redactor().value(value), ensure_ascii=False)


@pytest.mark.parametrize(("value", "secret"), NAMED.values(), ids=NAMED)
def test_it_leaves_a_result_that_is_the_same_value_as_a_text(value: Any, secret: str) -> None:
    redactor = Redactor()
    cleaned = redactor.text(json.dumps(value, ensure_ascii=False))
    assert secret not in cleaned
    json.loads(cleaned)
    assert secret not in redactor.text(f"then it printed {secret} once more")


@pytest.mark.parametrize("value", NOT_NAMED, ids=str)
def test_what_only_looks_like_a_named_secret_is_kept(value: Any) -> None:
    assert Redactor().value(value) == value
    text = json.dumps(value, ensure_ascii=False)
    assert Redactor().text(text) == text


def test_json_in_json_is_read_too() -> None:
    inner = json.dumps({"env": [{"name": "API_TOKEN", "value": "correct-horse"}]})
    assert "correct-horse" not in str(Redactor().value({"output": inner}))


@pytest.mark.parametrize(
    "text", ["密码：小猫咪123", "密码是：小猫咪123", "登录口令: 春天来了2024!"]
)
def test_a_password_that_begins_with_chinese_words_leaves(text: str) -> None:
    cleaned = redact(text).text
    assert "[redacted:password]" in cleaned
    assert "小猫咪" not in cleaned
    assert "春天" not in cleaned


@pytest.mark.parametrize(
    "text",
    ["密码：至少8位，含数字和字母", "密码：请联系管理员", "密码是什么？", "密码：见第3页的说明"],
)
def test_what_is_said_about_a_password_in_chinese_is_kept(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 100_000 + "}" * 100_000, '["' * 50_000 + "]"]
)
def test_brackets_without_end_are_no_json_and_no_crash(text: str) -> None:
    assert Redactor().text(text) == text


def test_of_a_text_past_what_is_read_nothing_unread_is_kept() -> None:
    long = "x " * 100_000 + "password=Sunny42x"
    kept = Redactor().value({"body": long, "password": "Rainy42y"})
    assert "Sunny42x" not in str(kept)
    assert "Rainy42y" not in str(kept)
    assert len(kept["body"]) < len(long)
