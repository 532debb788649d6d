"""In place of a language model: a small policy behind a real OpenAI-compatible server.

The examples speak to it where OPENAI_BASE_URL names no other. It acts on what it reads in its
prompt, as a model would: it books with the format and the seat that it is told of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hindsight_core.testing.scripted_server import ScriptedServer, Step


def book_seat(date: str, seat: str = "any") -> str:
    """Book a seat."""
    if not (len(date) == 10 and date[4] == date[7] == "-"):
        raise ValueError(f"invalid date {date!r}: use the format YYYY-MM-DD")
    return f"booked for {date}, seat: {seat}"


def policy(request: dict[str, Any]) -> Step:
    """Answer one request: with a booking that is still to be made, or with what came of it."""
    texts = [str(message.get("content") or "") for message in request["messages"]]
    booked = [text for text in texts if text.startswith("booked for")]
    if booked:
        return booked[-1]
    prompt = " ".join(texts)
    date = "2026-03-05" if "YYYY-MM-DD" in prompt else "5 March 2026"
    seat = "window" if "window" in prompt else "any"
    return [("book_seat", {"date": date, "seat": seat})]


@contextmanager
def model_url() -> Iterator[str]:
    """The model's server: the one that OPENAI_BASE_URL names, else the policy's own."""
    given = os.environ.get("OPENAI_BASE_URL")
    if given:
        yield given
        return
    with ScriptedServer([policy], cycle=True) as server:
        yield server.url


MODEL = os.environ.get("OPENAI_MODEL", "stand-in")
KEY = os.environ.get("OPENAI_API_KEY", "none")
