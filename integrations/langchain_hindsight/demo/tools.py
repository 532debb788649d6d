"""The demo's tools: they do what they say, and they fail as real ones do."""

from __future__ import annotations

import json
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from langchain_core.tools import BaseTool, StructuredTool, ToolException

__all__ = ["make_tools"]


def make_tools(desk: str, database: Path, folder: Path) -> list[BaseTool]:
    """The tools over a booking desk, a database and a folder; a failure becomes a tool message."""

    def find_rooms(date: str) -> str:
        """List the rooms that are free on a date."""
        return _fetch(f"{desk}/rooms?{urlencode({'date': date})}")

    def get_prices(route: str) -> str:
        """Ask the booking desk for its prices."""
        return _fetch(desk + route)

    def book_room(room: str, date: str) -> str:
        """Book a room."""
        return _fetch(f"{desk}/bookings", json.dumps({"room": room, "date": date}).encode())

    def query_staff(sql: str) -> str:
        """Query the staff database."""
        try:
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                return json.dumps(connection.execute(sql).fetchall())
        except sqlite3.Error as error:
            raise ToolException(f"{type(error).__name__}: {error}") from error

    def list_columns(table: str) -> str:
        """List the columns of a table of the staff database."""
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            return json.dumps([name for (name,) in rows])

    def wait(seconds: float) -> str:
        """Wait a while."""
        time.sleep(min(seconds, 5.0))
        return f"waited {seconds:g} s"

    def write_report(name: str, text: str) -> str:
        """Write a report into the user's folder."""
        if "/" in name or name.startswith("."):
            raise ToolException(f"{name!r} is not a plain file name")
        (folder / name).write_text(text, encoding="utf-8")
        return f"written: {name}"

    functions: list[Callable[..., str]] = [
        find_rooms,
        get_prices,
        book_room,
        query_staff,
        list_columns,
        wait,
        write_report,
    ]
    return [
        StructuredTool.from_function(function, handle_tool_error=True) for function in functions
    ]


def _fetch(url: str, body: bytes | None = None) -> str:
    request = urllib.request.Request(url, data=body)  # noqa: S310 - the loopback, see `serve`
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
            return response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            said = error.read().decode()
        raise ToolException(f"HTTP {error.code} {error.reason}: {said}") from error
