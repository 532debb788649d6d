"""Histories of other systems are read as runs: lists of messages, and the replay format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture.histories import BadLineError, RecordedRun, RecordedStep, read_history
from hindsight_core.errors import ConfigurationError

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "列出文件，然后删除 tmp"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "ls", "arguments": '{"path": "/tmp"}'},
            },
            {"id": "c2", "type": "function", "function": {"name": "rm", "arguments": "not json"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "permission denied", "status": "error"},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a.txt"}]},
    {"role": "assistant", "content": "做完了"},
]
STEPS = (
    RecordedStep(kind="user", text="列出文件，然后删除 tmp"),
    RecordedStep(kind="tool", tool="ls", args={"path": "/tmp"}, result="a.txt", call_id="c1"),
    RecordedStep(
        kind="tool",
        tool="rm",
        args={"input": "not json"},
        result="permission denied",
        error=True,
        call_id="c2",
    ),
    RecordedStep(kind="assistant", text="做完了"),
)
RUN = {
    "task_id": "t",
    "task": "find it",
    "trial": 2,
    "success": False,
    "steps": [
        {"user": "go on"},
        {"tool": "search", "args": {"q": "x"}, "result": "none", "error": True},
    ],
}


def write(folder: Path, text: str | bytes, name: str = "history.jsonl") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def read(path: Path) -> list[RecordedRun]:
    return list(read_history(path))


def test_the_replay_format_is_read_as_it_is(tmp_path: Path) -> None:
    (run,) = read(write(tmp_path, lines(RUN)))
    assert (run.task, run.task_id, run.session, run.success) == ("find it", "t", "t#2", False)
    assert run.steps == (
        RecordedStep(kind="user", text="go on"),
        RecordedStep(kind="tool", tool="search", args={"q": "x"}, result="none", error=True),
    )
    assert run.progress == 1.0


@pytest.mark.parametrize(
    "text",
    [
        lines({"messages": CHAT}),
        lines(CHAT, CHAT),
        json.dumps(CHAT),
        json.dumps(CHAT, indent=2),
        json.dumps({"messages": CHAT}, indent=2),
        json.dumps([CHAT, {"messages": CHAT}]),
        lines(*CHAT),
        "\ufeff" + lines({"history": CHAT}),
        lines({"messages": CHAT}).replace("\n", "\r\n\r\n"),
    ],
    ids=["record a line", "list a line", "list", "list over lines", "record over lines",
         "array of conversations", "message a line", "byte order mark", "blank lines"],
)  # fmt: skip
def test_a_list_of_messages_is_a_run_in_whatever_way_it_is_written(
    tmp_path: Path, text: str
) -> None:
    runs = read(write(tmp_path, text))
    assert runs
    for run in runs:
        assert run.steps == STEPS
        assert run.task == "列出文件，然后删除 tmp"
        assert run.success is None


def test_compressed_files_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(lines(RUN, RUN).encode()), "history.jsonl.gz")
    assert len(read(path)) == 2


def test_items_of_responses_are_read(tmp_path: Path) -> None:
    record = {
        "input": "tidy up",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "rm", "arguments": '{"a": 1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "gone"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "ok"}],
            },
        ],
    }
    (run,) = read(write(tmp_path, lines(record)))
    assert run.steps == (
        RecordedStep(kind="user", text="tidy up"),
        RecordedStep(kind="tool", tool="rm", args={"a": 1}, result="gone", call_id="c1"),
        RecordedStep(kind="assistant", text="ok"),
    )


def test_content_blocks_and_the_older_function_call_are_read(tmp_path: Path) -> None:
    blocks = [
        {"role": "assistant", "content": [
            {"type": "text", "text": "let me see"},
            {"type": "tool_use", "id": "u1", "name": "ls", "input": {"path": "/"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "u1", "content": "no", "is_error": True},
        ]},
        {"role": "assistant", "function_call": {"name": "cat", "arguments": "{}"}, "content": None},
        {"role": "function", "name": "cat", "content": "text"},
    ]  # fmt: skip
    (run,) = read(write(tmp_path, lines({"messages": blocks, "success": True})))
    assert run.success is True
    assert run.steps == (
        RecordedStep(kind="assistant", text="let me see"),
        RecordedStep(
            kind="tool", tool="ls", args={"path": "/"}, result="no", error=True, call_id="u1"
        ),
        RecordedStep(kind="tool", tool="cat", args={}, result="text"),
    )


def test_a_call_without_an_answer_has_no_result(tmp_path: Path) -> None:
    (run,) = read(write(tmp_path, lines({"messages": CHAT[:3]})))
    assert [step.result for step in run.steps if step.kind == "tool"] == [None, None]


def test_messages_of_different_sessions_are_different_runs(tmp_path: Path) -> None:
    messages = [
        {"session_id": "a", "role": "user", "content": "one"},
        {"session_id": "b", "role": "user", "content": "two"},
        {"session_id": "a", "role": "assistant", "content": "three"},
    ]
    runs = {
        run.session: [step.text for step in run.steps]
        for run in read(write(tmp_path, lines(*messages)))
    }
    assert runs == {"a": ["one", "three"], "b": ["two"]}


def test_a_system_message_begins_a_new_run_where_no_session_is_named(tmp_path: Path) -> None:
    runs = read(write(tmp_path, lines(*CHAT, *CHAT)))
    assert [run.steps for run in runs] == [STEPS, STEPS]
    assert [run.line for run in runs] == [1, 7]
    (run,) = read(write(tmp_path, json.dumps([*CHAT, *CHAT])))
    assert run.steps == (*STEPS, *STEPS)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"a": ', "is not JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"3", "is int, not an object"),
        (b"{}", "has none of"),
        (b'{"steps": 3}', "steps: must be a list"),
        (b'{"steps": [{"x": 1}]}', r"steps\[0\]: has neither"),
        (b'{"messages": ["x"]}', r"messages\[0\] has neither"),
        (b'{"steps": [], "task": 3}', "task: must be a text"),
        (b'{"steps": [], "success": "yes"}', "success: must be"),
        (b'{"input": 3, "output": []}', "input: must be a list"),
        (b"[" * 100_000, "is n"),
    ],
)
def test_a_bad_line_is_named_or_skipped(tmp_path: Path, line: bytes, problem: str) -> None:
    good = lines(RUN).encode()
    path = write(tmp_path, good + line + b"\n" + good)
    with pytest.raises(ConfigurationError, match=f"line 2: {problem}"):
        read(path)
    skipped: list[BadLineError] = []
    assert len(list(read_history(path, on_bad=skipped.append))) == 2
    assert [(error.line, error.path) for error in skipped] == [(2, path)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'[\n{"steps": []}, {', "line 2: is not JSON"),
        (b'[{"role": "user"}\n]\n[', "line 3: more follows the array"),
        (b'[\n{"role": "user"},\n', "line 3: the array does not end"),
        (b'{\n"messages": oops}', "line 2: is not JSON"),
        (gzip.compress(b'{"steps": []}\n' * 999, mtime=0)[:40], "cannot be read"),
        (b"\x1f\x8bnonsense", "cannot be read"),
    ],
)
def test_a_document_that_breaks_off_is_an_error_that_says_where(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        read(write(tmp_path, content))


def test_a_file_that_is_missing_or_a_folder_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read(path)


@pytest.mark.parametrize("content", ["", "\n\n", "[]", "[\n]\n"])
def test_an_empty_file_has_no_runs(tmp_path: Path, content: str) -> None:
    assert read(write(tmp_path, content)) == []


def test_what_no_store_can_hold_is_dropped(tmp_path: Path) -> None:
    record = '{"task": "a\\u0000b\\ud800", "steps": [{"user": "\\udfffx"}]}'
    (run,) = read(write(tmp_path, record))
    assert (run.task, run.steps[0].text) == ("ab", "x")


def test_a_large_array_is_read_item_by_item(tmp_path: Path) -> None:
    item = {"task": "t", "steps": [{"tool": "x", "args": {}, "result": "y" * 5000}]}
    path = write(tmp_path, "[\n" + ",\n".join([json.dumps(item)] * 1000) + "\n]")
    seen = [(run.line, run.progress) for run in read_history(path)]
    assert [line for line, _ in seen] == list(range(2, 1002))
    assert seen[0][1] < 0.5 < seen[-1][1] == 1.0


NAMES = ["role", "content", "messages", "steps", "tool", "args", "tool_calls", "type", "input",
         "output", "function", "name", "arguments", "task", "id", "text", "call_id"]  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=12,
)


@given(st.lists(values, max_size=4), st.booleans())
def test_no_json_makes_the_reader_fail_in_another_way(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], as_array: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.json"
    path.write_text(json.dumps(records) if as_array else lines(*records))
    skipped: list[BadLineError] = []
    for run in read_history(path, on_bad=skipped.append):
        assert isinstance(run.task, str)
        assert all(step.kind in ("user", "assistant", "tool") for step in run.steps)
