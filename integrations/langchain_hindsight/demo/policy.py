"""A small policy in place of a chat model: it reads its prompt and acts on what it finds there.

It knows how to do the task and guesses as anyone would at first. Whether a memory is in use it does
not know: a note in the prompt and the error of a tool are the same to it, text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

__all__ = ["Policy"]

_ASKED_DATE: Final = re.compile(r"\b\d{2}\.\d{2}\.\d{4}\b")
_INSTEAD: Final = re.compile(r"'([^']+)' instead of '([^']+)'")
_WAIT_TO_BOOK: Final = re.compile(r"book_room\W.{0,400}\bwait", re.DOTALL | re.IGNORECASE)
_MOVED: Final = re.compile(r"at (/[\w/]+)")


class Policy(BaseChatModel):
    """Finds rooms, asks for prices, books, looks up an address and writes a report."""

    @property
    def _llm_type(self) -> str:
        return "demo-policy"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        """The policy knows its tools by name."""
        del tools, kwargs
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        wanted = _next_call(messages)
        if wanted is None:
            message = AIMessage(
                "Noted." if _ASKED_DATE.search(_asked(messages)) is None else "Done."
            )
        else:
            name, args = wanted
            call: Any = {"name": name, "args": args, "id": f"call-{len(messages)}-{name}"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def _next_call(messages: Sequence[BaseMessage]) -> tuple[str, dict[str, Any]] | None:
    """The next call of the plan that has not worked yet, as the text so far suggests it."""
    asked = _asked(messages)
    if _ASKED_DATE.search(asked) is None:
        return None
    since = max(i for i, message in enumerate(messages) if isinstance(message, HumanMessage))
    text = "\n".join(str(message.text) for message in messages)
    done = [m for m in messages[since:] if isinstance(m, ToolMessage)]
    if "report" in asked:
        return _report_next(text, done, _date(asked, text))
    return _book_next(text, done, _date(asked, text))


def _book_next(
    text: str, done: Sequence[ToolMessage], date: str
) -> tuple[str, dict[str, Any]] | None:
    worked = _worked(done)
    if "find_rooms" not in worked:
        return "find_rooms", {"date": date}
    if "get_prices" not in worked:
        return "get_prices", {"route": _route(text)}
    booked = worked.count("book_room")
    if booked == 2:
        return None
    hurried = done[-1].name == "book_room" and done[-1].status == "error"
    warned = booked == 1 and _WAIT_TO_BOOK.search(text) is not None
    if (hurried or warned) and done[-1].name != "wait":
        return "wait", {"seconds": 1}
    return "book_room", {"room": ("Oak", "Elm")[booked], "date": date}


def _report_next(
    text: str, done: Sequence[ToolMessage], date: str
) -> tuple[str, dict[str, Any]] | None:
    worked = _worked(done)
    if "query_staff" not in worked:
        if done and "list_columns" not in worked:
            return "list_columns", {"table": "staff"}
        known = "list_columns" in worked or re.search(r"\bmail FROM staff\b", text)
        return "query_staff", {"sql": f"SELECT {'mail' if known else 'email'} FROM staff"}
    if "write_report" not in worked:
        ending = "md" if re.search(r"\bmarkdown\b", text, re.IGNORECASE) else "csv"
        return "write_report", {"name": f"rooms-{date}.{ending}", "text": _report(ending, date)}
    return None


def _worked(done: Sequence[ToolMessage]) -> list[str | None]:
    return [message.name for message in done if message.status != "error"]


def _asked(messages: Sequence[BaseMessage]) -> str:
    """What the user said last."""
    return next(str(m.text) for m in reversed(messages) if isinstance(m, HumanMessage))


def _date(asked: str, text: str) -> str:
    """The date as the user wrote it, or in the form that the text asks for."""
    written = _ASKED_DATE.search(asked)
    date = written.group() if written else ""
    iso = any(
        _ASKED_DATE.fullmatch(old) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", new)
        for new, old in _INSTEAD.findall(text)
    )
    if date and (iso or "YYYY-MM-DD" in text):
        return datetime.strptime(date, "%d.%m.%Y").date().isoformat()  # noqa: DTZ007 - a plain date
    return date


def _route(text: str) -> str:
    """The usual route, or the one that the text names in its place."""
    route = "/v1/prices"
    for new, old in _INSTEAD.findall(text):
        route = new if old == route else route
    moved = _MOVED.search(text) if "this route is gone" in text else None
    return moved.group(1) if moved else route


def _report(ending: str, date: str) -> str:
    rows = [("room", "date"), ("Oak", date), ("Elm", date)]
    if ending == "csv":
        return "\n".join(",".join(row) for row in rows)
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|---|---|", *body])
