"""Arguments of any type have one representation, one signature and one shape."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from hindsight_core.capture.signatures import (
    as_args,
    canonical,
    make_call,
    shape,
    signature,
    to_jsonable,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


class Colour(Enum):
    RED = "red"


class Order(BaseModel):
    number: int
    due: date
    key: SecretStr


@dataclasses.dataclass
class Point:
    x: float
    y: float


class Broken(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise OSError(key)

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")

    def __len__(self) -> int:
        return 1


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (date(2031, 4, 2), "2031-04-02"),
        (datetime(2031, 4, 2, 8, tzinfo=UTC), "2031-04-02T08:00:00+00:00"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (Colour.RED, "red"),
        (b"\x00\xff", "<bytes AP8=>"),
        ({3, 1, 2}, [1, 2, 3]),
        ((1, "a"), [1, "a"]),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Point(x=1.0, y=2.0), {"x": 1.0, "y": 2.0}),
        (
            Order(number=1, due=date(2031, 1, 1), key=SecretStr("s3cret")),
            {"number": 1, "due": "2031-01-01", "key": "**********"},
        ),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ({1: "a", "1": "b"}, {"1": "a", "1 <str>": "b"}),
        ({(1, 2): "a"}, {"[1,2]": "a"}),
        ("a\x00b\ud800", "ab"),
        (1 << 300, "<int of 301 bits>"),
    ],
)
def test_values_that_are_not_json_are_represented(value: object, expected: object) -> None:
    assert to_jsonable(value) == expected


@pytest.mark.parametrize("value", [Broken(), Rude(), object(), lambda: 1, iter([1])])
def test_foreign_objects_are_named_without_an_address(value: object) -> None:
    text = to_jsonable(value)
    assert isinstance(text, str)
    assert text.startswith("<")
    assert "0x" not in text


def test_a_cycle_is_named() -> None:
    value: dict[str, Any] = {"a": 1}
    value["self"] = value
    assert to_jsonable(value) == {"a": 1, "self": "<cycle>"}


def test_a_value_used_twice_is_not_a_cycle() -> None:
    shared = [1]
    assert to_jsonable([shared, shared]) == [[1], [1]]


@given(json_values)
def test_any_json_is_represented_as_json_that_can_be_stored(value: object) -> None:
    text = json.dumps(to_jsonable(value), allow_nan=False)
    text.encode()
    assert json.loads(text) == to_jsonable(value)


@given(st.dictionaries(st.text(min_size=1), json_values, max_size=6), st.randoms())
def test_the_order_of_keys_does_not_change_the_signature(args: dict[str, Any], random: Any) -> None:
    keys = list(args)
    random.shuffle(keys)
    assert signature("t", {key: args[key] for key in keys}) == signature("t", args)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"n": 1}, {"n": 1.0}),
        ({"q": " berlin\n"}, {"q": "berlin"}),
        ({"q": "Cafe\u0301"}, {"q": "Café"}),
        ('{"a": 1, "b": 2}', {"b": 2, "a": 1}),
        (None, {}),
        ("berlin", {"input": "berlin"}),
    ],
)
def test_what_a_tool_takes_as_the_same_has_one_signature(left: object, right: object) -> None:
    assert signature("t", left) == signature(" t ", right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"n": 1}, {"n": "1"}),
        ({"n": 1}, {"n": True}),
        ({"a": 1}, {"b": 1}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": "x" * 9_000 + "1"}, {"a": "x" * 9_000 + "2"}),
        ({"q": "北京"}, {"q": "上海"}),
    ],
)
def test_what_differs_has_another_signature(left: object, right: object) -> None:
    assert signature("t", left) != signature("t", right)


def test_another_tool_has_another_signature() -> None:
    assert signature("a", {"x": 1}) != signature("b", {"x": 1})


@given(st.text())
def test_white_space_around_a_text_does_not_change_the_signature(text: str) -> None:
    assert signature("t", {"q": f"  {text}\n"}) == signature("t", {"q": text})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2031-07-02", "iso-date"),
        ("2031-07-02T10:00:00Z", "iso-datetime"),
        ("02/07/2031", "slash-date"),
        ("7月2日", "cjk-date"),
        ("10:30", "clock-time"),
        ("42", "int-string"),
        ("4.20", "number-string"),
        ("123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ("https://example.org/x?y=1", "url"),
        ("a@example.org", "email"),
        ("/etc/hosts", "path"),
        ("src/app.py", "path"),
        ("C:\\Temp\\a", "path"),
        (" ", "empty"),
        ("berlin", "word"),
        ("SF000012345", "id"),
        ("two words here", "text"),
        ('{"a": 1}', "json"),
        (3, "int"),
        (3.5, "float"),
        (True, "bool"),
        (None, "null"),
        ([1, "a", 2], "[int | word]"),
        ({"a": 1}, "{a: int}"),
    ],
)
def test_the_shape_tells_formats(value: object, expected: str) -> None:
    assert shape("t", {"x": value}) == f"t(x: {expected})"


def test_the_shape_holds_no_value_even_where_a_value_was_used_as_a_key() -> None:
    found = shape("t", {"people": {"ann@example.org": "Ann Lee", "4021998": 7}})
    assert found == "t(people: {email: text, int-string: int})"


@given(st.dictionaries(st.sampled_from(["a", "b", "城市"]), json_values))
def test_a_shape_is_the_same_for_the_same_arguments_and_bounded(args: dict[str, Any]) -> None:
    assert shape("t", args) == shape("t", dict(reversed(args.items())))
    assert len(shape("t", args)) < 500


def _nested(depth: int) -> object:
    value: object = "end"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "args",
    [
        {"q": "x" * 1_000_000},
        {"q": "[" * 100_000},
        "{" * 100_000,
        '{"a":' * 100_000,
        {"q": _nested(50_000)},
        {"q": list(range(200_000))},
        {"q": {str(i): i for i in range(200_000)}},
        {"q": np.zeros((2_000, 500))},
        {"q": ["y" * 50_000] * 100},
    ],
    ids=["long", "brackets", "braces", "objects", "deep", "list", "dict", "array", "texts"],
)
def test_huge_arguments_are_bounded_in_time_and_size(args: object) -> None:
    made = []
    assert seconds_of(lambda: made.append(make_call("t", args))) < 2.0
    (call,) = made
    assert len(json.dumps(call.args)) < 400_000
    assert len(call.shape) < 500


def test_secrets_are_redacted_before_texts_are_shortened() -> None:
    secret = "k" * 20
    text = "x" * 500 + secret + "x" * 9_000

    def redact(args: dict[str, Any]) -> dict[str, Any]:
        return {name: value.replace(secret, "<key>") for name, value in args.items()}

    call = make_call("t", {"q": text}, "id-1", redact=redact)
    assert "kk" not in call.args["q"]
    assert call.signature == signature("t", {"q": text})
    assert call.call_id == "id-1"


@pytest.mark.parametrize("args", [["a"], 3, b"x"])
def test_a_single_argument_without_a_name_is_called_input(args: object) -> None:
    assert list(as_args(args)) == ["input"]


def test_canonical_json_is_compact_and_sorted() -> None:
    assert canonical({"b": 1.0, "a": " x "}) == '{"a":"x","b":1}'
