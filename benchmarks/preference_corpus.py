"""The project's own texts from which the weights of `capture/preferences` are learnt.

`corpora/preferences_CODE.txt` holds texts written by hand, `+` before one that lasts and `-` before
one that does not; `corpora/grammar_CODE.txt` holds wrappers ("from now on ...", "just this once
...") and contents that are combined at random, from a fixed seed, so that a wrapper's weight does
not depend on what it wraps. None of them is a row of a measured data set.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Example", "examples"]

_FOLDER = Path(__file__).parent / "corpora"
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One text, whether it lasts, and whether it was made by the grammar."""

    text: str
    lasts: bool
    made: bool


def examples(code: str, *, per_wrapper: int = 5, seed: int = 0) -> list[Example]:
    """Return the texts of one language: those written by hand, then those of the grammar."""
    return [*_written(code), *_made(code, per_wrapper, seed)]


def _written(code: str) -> Iterator[Example]:
    for line in (_FOLDER / f"preferences_{code}.txt").read_text(encoding="utf-8").splitlines():
        if line[:2] in ("+ ", "- "):
            text = line[2:].replace("\\n", "\n")
            yield Example(text=text, lasts=line[0] == "+", made=False)


def _made(code: str, per_wrapper: int, seed: int) -> Iterator[Example]:
    parts: dict[str, list[str]] = {}
    section: list[str] = []
    for line in (_FOLDER / f"grammar_{code}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = parts.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            section.append(line)
    draw = random.Random(seed)

    def fill(slot: re.Match[str]) -> str:
        content = draw.choice(parts[slot[1].lower()])
        return content[0].upper() + content[1:] if slot[1][0].isupper() else content

    made = {
        (_SLOT.sub(fill, wrapper), label == "+")
        for label in "+-"
        for wrapper in parts[label]
        for _ in range(per_wrapper)
    }
    for text, lasts in sorted(made):
        yield Example(text=text, lasts=lasts, made=True)
