"""The world that the demo's tools act on: an HTTP service on loopback, a database, a folder."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, cast
from urllib.parse import parse_qs, urlsplit

__all__ = ["serve", "stock_database"]

_SECONDS_BETWEEN_BOOKINGS: Final = 0.6
_ISO_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class _Desk(BaseHTTPRequestHandler):
    """The booking desk: wants ISO dates, limits the rate, and has one route that is gone."""

    def do_GET(self) -> None:
        """Answer a question about rooms or prices."""
        url = urlsplit(self.path)
        if url.path == "/rooms":
            date = parse_qs(url.query).get("date", [""])[0]
            if not _ISO_DATE.fullmatch(date):
                self._answer(HTTPStatus.BAD_REQUEST, {"error": "date must be YYYY-MM-DD"})
            else:
                self._answer(HTTPStatus.OK, {"date": date, "rooms": ["Oak", "Elm"]})
        elif url.path == "/v1/prices":
            self._answer(HTTPStatus.GONE, {"error": "this route is gone, prices are at /v2/prices"})
        elif url.path == "/v2/prices":
            self._answer(HTTPStatus.OK, {"Oak": 120, "Elm": 90})
        else:
            self._answer(HTTPStatus.NOT_FOUND, {"error": f"no such route: {url.path}"})

    def do_POST(self) -> None:
        """Book a room, not too often."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        if not cast("_Server", self.server).may_book():
            problem = {"error": "too many requests, wait a second and try again"}
            self._answer(HTTPStatus.TOO_MANY_REQUESTS, problem)
        else:
            self._answer(HTTPStatus.CREATED, {"booked": True})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the terminal for the demo's own words."""

    def _answer(self, status: HTTPStatus, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    _last_booking = 0.0
    _lock = threading.Lock()

    def may_book(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if now - self._last_booking < _SECONDS_BETWEEN_BOOKINGS:
                return False
            self._last_booking = now
            return True


@contextmanager
def serve() -> Generator[str]:
    """Run the booking desk on a free port of the loopback; yields its base URL."""
    with _Server(("127.0.0.1", 0), _Desk) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def stock_database(path: Path) -> None:
    """Make the staff database, whose column is not named as one would think."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE staff (name TEXT, mail TEXT)")
        connection.execute("INSERT INTO staff VALUES ('Ana', 'ana@example.org')")
