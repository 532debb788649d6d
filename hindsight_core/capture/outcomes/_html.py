"""Pages: the title and headings, and the text of a page that has little of it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Page", "is_page", "read_page"]

_MAX_PAGE: Final = 200_000
_PAGE: Final = re.compile(r"\s*(?:<!doctype html|<html|<head|<title|<body|<h1)", re.IGNORECASE)
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,19})[^<>]*>|<!--|<![^<>]*>")
_SKIPPED: Final = frozenset({"script", "style", "noscript", "nav", "footer", "svg", "template"})
_HEADINGS: Final = frozenset({"title", "h1", "h2"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a reader sees of a page; `text` is without the title."""

    headings: tuple[str, ...]
    text: str


def is_page(text: str) -> bool:
    """Whether a text begins as an HTML page."""
    return _PAGE.match(text[:200]) is not None


def read_page(text: str) -> Page:
    """Read headings and text in one pass over the tags; broken markup is read as far as it goes."""
    page = text[:_MAX_PAGE]
    headings: list[str] = []
    body: list[str] = []
    inside: str | None = None
    skipping: str | None = None
    at = 0
    while match := _TAG.search(page, at):
        words = page[at : match.start()]
        at = match.end()
        if match[0] == "<!--":
            end = page.find("-->", at)
            at = len(page) if end < 0 else end + 3
        if skipping is None and words.strip():
            (headings if inside else body).append(words)
            if inside in ("h1", "h2"):
                body.append(words)
        name = (match[2] or "").lower()
        if skipping is not None:
            skipping = None if match[1] and name == skipping else skipping
        elif name in _SKIPPED and not match[1]:
            skipping = name
        elif name in _HEADINGS:
            inside = None if match[1] else name
    if skipping is None:
        body.append(page[at:])
    return Page(headings=tuple(_plain(part) for part in headings[:6]), text=_plain(" ".join(body)))


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())
