"""What stands around memories in a prompt: the head, and for each its kind, source, age, remarks.

The words are data, a table a language. English and Chinese say the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from hindsight_core.recall.gist import GAP
from hindsight_core.schema import Kind, Memory, Source
from hindsight_core.text import count_cjk

__all__ = ["DETAILS", "Level", "Wording", "wording"]

DETAILS: Final = "memory_details"
"""The name of the tool that tells a memory in full by the number of its line."""
_JUDGED: Final = 200
"""Characters of each memory that tell its language."""


class Level(StrEnum):
    """How much of a memory a block shows: its full text, or one line."""

    FULL = "full"
    LINES = "lines"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """The words of one language on one level."""

    head: str
    label_form: str
    remark: str
    conflict: str
    unverified: str
    today: str
    one_day: str
    days: str
    kinds: Mapping[Kind, str]
    sources: Mapping[Source, str]
    more: str = ""
    after_number: str = " "

    def label(self, memory: Memory, now: datetime, *, remarks: str = "") -> str:
        """What kind of memory this is, where it comes from and how old it is."""
        age = max(0, (now - memory.updated_at).days)
        return self.label_form.format(
            kind=self.kinds[memory.kind],
            source=self.sources[memory.source],
            age=self.one_day if age == 1 else self.days.format(age) if age else self.today,
            remarks=remarks,
        )

    def remarks(self, memory: Memory, note: str = "") -> str:
        """What a reader must know before relying on it, else ""; `note` is the guard's remark."""
        parts = [self.conflict] if memory.conflicts_with else []
        if memory.reasons and not memory.verified_runs:
            parts.append(self.unverified)
        if note:
            parts.append(note)
        return self.remark.format("; ".join(parts)) if parts else ""


def wording(memories: Sequence[Memory], level: Level) -> Wording:
    """The words that go with what the memories say: Chinese where most of it is in Chinese."""
    text = "".join(memory.content[:_JUDGED] for memory in memories)
    return _wordings()["zh" if count_cjk(text) * 4 > len(text) else "en", level]


@lru_cache(maxsize=1)
def _wordings() -> dict[tuple[str, Level], Wording]:
    source = files("hindsight_core.recall").joinpath("block_words.toml")
    tables = tomllib.loads(source.read_text(encoding="utf-8"))
    return {
        (language, level): _read({**table["both"], **table[level]})
        for language, table in tables.items()
        for level in Level
    }


def _read(words: Mapping[str, Any]) -> Wording:
    spelt: dict[str, Any] = {
        "more": words.get("more", "").format(gap=GAP, tool=DETAILS),
        "kinds": {Kind(name): said for name, said in words["kinds"].items()},
        "sources": {Source(name): said for name, said in words["sources"].items()},
    }
    return Wording(**{**words, **spelt})
