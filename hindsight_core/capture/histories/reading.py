"""Read runs that other systems recorded: lists of messages, and the format of the replay.

Takes JSON lines and JSON, compressed or not:

- the replay format, a run a line: `task_id, task, trial, success, steps[{tool, args, result, error}
  | {user} | {assistant}]`;
- conversations, one a line or an array of them: `{"messages": […]}`, `{"input": …, "output": […]}`;
- one conversation as an array of messages, or a message a line, where those of different
  `session_id`, `conversation_id` or `thread_id` are different runs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, cast

from hindsight_core.capture.histories.files import BadLineError, Value, read_values
from hindsight_core.capture.histories.messages import RecordedStep, is_message, steps_of
from hindsight_core.text import clean

__all__ = ["BadLineError", "RecordedRun", "RecordedStep", "read_history"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRun:
    """One run as it was recorded.

    `task` is the recorded task, or what the user said first. `success` is None where the record
    does not say. `session` identifies the run in its file, and `task_id` the task where several
    runs tried the same one. `line` is where the run starts, `progress` how much of the file was
    read when it was whole (0 to 1).
    """

    task: str
    steps: tuple[RecordedStep, ...]
    session: str
    success: bool | None = None
    task_id: str | None = None
    line: int = 1
    progress: float = 1.0


def read_history(
    path: str | PathLike[str], *, on_bad: Callable[[BadLineError], None] | None = None
) -> Iterator[RecordedRun]:
    """Yield the runs of a file, one after the other; the file is never held as a whole.

    Without `on_bad` the first line that cannot be read raises `BadLineError`, a
    `ConfigurationError`. With it, the error is handed over and the line skipped; what cannot be
    skipped (a file that is missing, an array that was cut off) raises all the same.
    """
    file = Path(path)

    def bad(line: int, problem: str) -> None:
        error = BadLineError(file, line, problem)
        if on_bad is None:
            raise error
        on_bad(error)

    conversations = _Conversations()
    for value in read_values(file, bad):
        try:
            if is_message(value.value):
                conversations.add(cast("dict[str, Any]", value.value), value)
                runs = conversations.over()
            else:
                runs = iter((_run(value),))
            yield from runs
        except ValueError as error:
            bad(value.line, str(error))
    yield from conversations.over(all_of_them=True)


_IDS: Final = ("session_id", "conversation_id", "thread_id", "session", "id")
_LISTS: Final = ("messages", "history", "conversation")


def _run(value: Value) -> RecordedRun:
    """Turn one record into a run; raises `ValueError` where it is none that is known."""
    record: object = value.value
    if isinstance(record, list):
        record = {"messages": cast("list[Any]", record)}
    if not isinstance(record, dict):
        raise ValueError(f"is {_named(record)}, not an object with `steps` or `messages`")  # noqa: TRY004
    fields = cast("dict[str, Any]", record)
    steps = _steps(fields)
    task = fields.get("task")
    if task is not None and not isinstance(task, str):
        raise ValueError(f"task: must be a text, got {_named(task)}")
    success = fields.get("success")
    if success is not None and not isinstance(success, bool):
        raise ValueError(f"success: must be true, false or null, got {_named(success)}")
    return RecordedRun(
        task=clean(task) if task is not None else _first_words(steps),
        steps=tuple(steps),
        session=_session(fields, value.line),
        success=success,
        task_id=_id(fields.get("task_id")),
        line=value.line,
        progress=value.progress,
    )


def _steps(record: Mapping[str, Any]) -> list[RecordedStep]:
    if "steps" in record:
        steps = _a_list("steps", record["steps"])
        return [_step(place, step) for place, step in enumerate(steps)]
    for name in _LISTS:
        if name in record:
            return steps_of(_a_list(name, record[name]))
    if "output" in record:
        asked, given = record.get("input"), record["output"]
        if asked is None or isinstance(asked, str):
            asked = [{"role": "user", "content": asked}]
        return steps_of([*_a_list("input", asked), *_a_list("output", given)])
    raise ValueError("has none of `steps`, `messages`, `history`, `output`")


def _a_list(name: str, value: object) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    raise ValueError(f"{name}: must be a list, got {_named(value)}")


def _step(place: int, step: object) -> RecordedStep:
    """Read one step of the replay format."""
    if isinstance(step, dict):
        fields = cast("dict[str, Any]", step)
        tool = fields.get("tool")
        if isinstance(tool, str) and tool.strip():
            args, result, error = fields.get("args"), fields.get("result"), fields.get("error")
            return RecordedStep(
                kind="tool",
                tool=clean(tool),
                args=cast("dict[str, Any]", args) if isinstance(args, dict) else _single(args),
                result=result
                if result is None
                else clean(result if isinstance(result, str) else str(result)),
                error=error if isinstance(error, bool) else None,
                call_id=_id(fields.get("call_id")),
            )
        for kind in ("user", "assistant"):
            if isinstance(fields.get(kind), str):
                return RecordedStep(kind=kind, text=clean(fields[kind]))
    raise ValueError(f"steps[{place}]: has neither a `tool` nor a `user` or `assistant` text")


def _single(args: object) -> dict[str, Any]:
    return {} if args is None else {"input": args}


def _session(record: Mapping[str, Any], line: int) -> str:
    task, trial = _id(record.get("task_id")), _id(record.get("trial"))
    if task is not None:
        return task if trial is None else f"{task}#{trial}"
    for name in _IDS:
        known = _id(record.get(name))
        if known is not None:
            return known
    return f"line-{line}"


def _id(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return clean(str(value)).strip() or None


def _first_words(steps: list[RecordedStep]) -> str:
    return next((step.text for step in steps if step.kind == "user"), "")


def _named(value: object) -> str:
    return "null" if value is None else type(value).__name__


class _Pending:
    """A conversation of which a message may still come."""

    def __init__(self, session: str, line: int) -> None:
        self.session = session
        self.line = line
        self.progress = 0.0
        self.messages: list[dict[str, Any]] = []

    def run(self) -> RecordedRun:
        steps = steps_of(self.messages)
        return RecordedRun(
            task=_first_words(steps),
            steps=tuple(steps),
            session=self.session,
            line=self.line,
            progress=self.progress,
        )


class _Conversations:
    """Messages of a file that has one a line, sorted into conversations."""

    _MOST_OPEN: Final = 1000

    def __init__(self) -> None:
        self._open: OrderedDict[str, _Pending] = OrderedDict()
        self._over: list[_Pending] = []

    def add(self, message: dict[str, Any], value: Value) -> None:
        """Take a message; a system message on a line begins a conversation where none is named."""
        named = next((known for name in _IDS[:-1] if (known := _id(message.get(name)))), "")
        pending = self._open.get(named)
        begins = value.alone and not named and message.get("role") in ("system", "developer")
        if pending is None or begins:
            if pending is not None:
                self._over.append(self._open.pop(named))
            pending = self._open[named] = _Pending(named or f"line-{value.line}", value.line)
        self._open.move_to_end(named)
        pending.messages.append(message)
        pending.progress = value.progress

    def over(self, *, all_of_them: bool = False) -> Iterator[RecordedRun]:
        """Yield the runs that are over, in the order of their last message."""
        keep = 0 if all_of_them else self._MOST_OPEN
        while len(self._open) > keep:
            self._over.append(self._open.popitem(last=False)[1])
        over, self._over = self._over, []
        for pending in over:
            yield pending.run()
