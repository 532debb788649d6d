"""Whether a value is another's correction, or names another thing.

`A-1001` and `A-1002` are two orders, `Jon Smiht` and `Jon Smith` one person. Pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from hindsight_core.capture._formats import format_of
from hindsight_core.capture.signatures import canonical
from hindsight_core.han import simplified
from hindsight_core.text import fold, is_cjk, terms

__all__ = ["corrects", "is_measure", "is_stated", "is_typo", "words_in"]

_MEASURES: Final = frozenset({
    "int-string", "number-string", "iso-date", "iso-datetime", "iso-month", "slash-date",
    "dash-date", "cjk-date", "clock-time",
})  # fmt: skip
_QUANTITY: Final = re.compile(
    r"[-+]?[0-9][0-9.,]{0,20} ?[^\W\d_]{1,12}"
    r"|\S{0,6}[0-9一二三四五六七八九十两]{1,3}[点點时時]\S{0,4}"
)
_PART: Final = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")
_PATH: Final = re.compile(r"[/\\]")
_VERSION: Final = re.compile(r"(?<=[/\\])v[0-9]{1,3}(?:\.[0-9]{1,3})?(?=[/\\])")
"""A part of a path that names the interface and not the thing: `/v1/items` moved to `/v2/items`."""
_LONGEST: Final = 200
"""Values longer than this are compared by their words alone."""
_SCALARS: Final = (str, int, float, type(None))
_FEWEST: Final = 3
"""Words from which a text may be a correction although some of its words were exchanged."""
_SLIPS: Final = 12
"""Unlike words among which slips are looked for: the work grows with their square."""
_HALF: Final = 0.5
_SENTENCE: Final = 6
"""CJK signs from which a text without spaces is more than a name."""
_STOPS: Final = frozenset(
    ("the", "a", "an", "of", "in", "on", "for", "to", "and", "or", "is", "by", "at", "with")
)


def words_in(text: str) -> list[str]:
    """Cut a text into runs of letters, of digits and of CJK signs, folded."""
    return _PART.findall(simplified(fold(text[:2_000])))


def is_measure(value: Any) -> bool:
    """Whether a value is a number, a date, a time or a quantity: more or less of one thing."""
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, (int, float)):
        return True
    text = str(value).strip()
    return isinstance(value, str) and (
        format_of(text) in _MEASURES or _QUANTITY.fullmatch(text[:40]) is not None
    )


def is_stated(value: Any, error: str) -> bool:
    """Whether an error's text names a value, as "did you mean X" does; `error` is folded."""
    text = simplified(fold(str(value))).strip() if isinstance(value, (str, int, float)) else ""
    if len(text) < 2:
        return False
    if not text.isascii():
        return text in error
    return re.search(rf"(?<![a-z0-9_-]){re.escape(text[:300])}(?![a-z0-9_-])", error) is not None


def corrects(old: object, new: object) -> bool:
    """Whether a new value means what the old one meant, written or narrowed down otherwise."""
    if isinstance(old, str) and isinstance(new, str):
        return _text_corrects(old.strip(), new.strip())
    if not isinstance(old, _SCALARS) or not isinstance(new, _SCALARS):
        return _overlap(terms(canonical(old)), terms(canonical(new))) >= _HALF
    left, right = words_in(str(old)), words_in(str(new))
    return bool(left) and left == right


def _text_corrects(old: str, new: str) -> bool:
    old, new = _VERSION.sub("", old), _VERSION.sub("", new)
    left, right = words_in(old), words_in(new)
    if not left or not right:
        return False
    if len(old) <= _LONGEST and len(new) <= _LONGEST and _same_signs(left, right):
        return True
    digits = [sorted(part for part in side if part.isdigit()) for side in (left, right)]
    if _renumbered(*digits):
        return False
    if _ends_alike(old, new):
        return True
    spoken = _is_prose(old) and _is_prose(new)
    return _same_words(_content(left), _content(right)) if spoken else _same_parts(left, right)


def _is_prose(text: str) -> bool:
    return " " in text or sum(map(is_cjk, text[:_LONGEST])) >= _SENTENCE


def _same_signs(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two texts have the same letters and digits: in order, or the same numbers."""
    if "".join(left) == "".join(right):
        return True
    numbers = [
        sorted(part.lstrip("0") for part in side if part.isdigit()) for side in (left, right)
    ]
    spoken = [[part for part in side if not part.isdigit()] for side in (left, right)]
    return numbers[0] == numbers[1] and bool(numbers[0]) and (not spoken[0] or not spoken[1])


def _renumbered(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether a number was exchanged for another: two versions, two orders, two rows."""
    gone, come = Counter(left) - Counter(right), Counter(right) - Counter(left)
    return bool(gone) and bool(come)


def _ends_alike(old: str, new: str) -> bool:
    """Whether two paths or addresses have the same last name."""
    left, right = ([part for part in _PATH.split(side) if part] for side in (old, new))
    if (len(left) < 2 and len(right) < 2) or not left or not right:
        return False
    ends = words_in(left[-1]), words_in(right[-1])
    return bool(ends[0]) and ends[0] == ends[1]


def _same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the words are the same but for slips, some left out or added, or half of many."""
    if not one or not other:
        return False
    missing, rest = _unmatched(one, other)
    if not missing or not rest:
        return len(missing) < len(one)
    fewest = min(len(one), len(other))
    return fewest >= _FEWEST and len(missing) <= fewest * _HALF


def _same_parts(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the parts of a name are the same but for slips, and some left out or added."""
    missing, rest = _unmatched(one, other)
    return (not missing or not rest) and len(missing) < len(one)


def _unmatched(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of each text that the other has not, slips matched where few are left."""
    left, right = Counter(one), Counter(other)
    gone, rest = list((left - right).elements()), list((right - left).elements())
    if len(gone) > _SLIPS or len(rest) > _SLIPS:
        return gone, rest
    missing: list[str] = []
    for word in gone:
        found = next((w for w in rest if is_typo(word, w)), None)
        if found is None:
            missing.append(word)
        else:
            rest.remove(found)
    return missing, rest


def _content(words: Sequence[str]) -> list[str]:
    cut: list[str] = []
    for word in words:
        if is_cjk(word[0]) and len(word) > _FEWEST:
            cut += [word[i : i + 2] for i in range(len(word) - 1)]
        elif word not in _STOPS:
            cut.append(word)
    return cut


def _overlap(left: Sequence[str], right: Sequence[str]) -> float:
    one, other = set(left), set(right)
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def is_typo(one: str, other: str) -> bool:
    """Whether two words differ by a slip of the hand: one sign in short words, two in long ones."""
    shorter, longer = sorted((one, other), key=len)
    if one.isdigit() or other.isdigit() or len(longer) > 60 or len(longer) - len(shorter) > 2:
        return False
    if len(shorter) < (2 if is_cjk(shorter[0]) else 3):
        return False
    found = _distance(one, other)
    if len(shorter) == len(longer) and found == 1:
        return len(shorter) >= (4 if is_cjk(shorter[0]) else 5)
    return found <= (2 if len(shorter) >= 8 else 1)


def _distance(one: str, other: str) -> int:
    """The least number of signs to insert, drop, exchange or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, sign in enumerate(one, 1):
        new = [i]
        for j, second in enumerate(other, 1):
            best = min(row[j] + 1, new[-1] + 1, row[j - 1] + (sign != second))
            swapped = i > 1 and j > 1 and sign == other[j - 2] and one[i - 2] == second
            new.append(min(best, before[j - 2] + 1) if swapped else best)
        before, row = row, new
    return row[-1]
