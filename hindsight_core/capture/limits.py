"""Bounds that a statement sets to times of day and amounts: "none before 10:00", 不超过 50 元.

The words of each language are tables; what a bound says is that whatever lies beyond it is not
wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hindsight_core.han import numeral, simplified
from hindsight_core.text import fold

__all__ = [
    "CLOCK",
    "Limit",
    "amounts_in",
    "clocks_in",
    "limits_of",
    "unit_of",
    "without_amounts",
]

CLOCK: Final = "clock"
"""The unit of a time of day, counted in minutes from midnight."""
_MAX_READ: Final = 600
_MAX_FOUND: Final = 8
_DAY: Final = 24 * 60
_NOON: Final = 12

_UNITS: Final = {
    "minute": ("minutes", "minute", "mins", "min", "分钟"),
    "hour": ("hours", "hour", "hrs", "hr", "小时"),
    "day": ("days", "day", "天"),
    "week": ("weeks", "week", "周"),
    "euro": ("euros", "euro", "eur", "€", "欧元"),
    "dollar": ("dollars", "dollar", "usd", "$", "美元", "美金"),
    "pound": ("pounds", "gbp", "£", "英镑"),
    "yuan": ("yuan", "cny", "rmb", "¥", "元", "块钱", "块", "人民币"),
    "kilogram": ("kilograms", "kilogram", "kg", "公斤", "千克"),
    "gram": ("grams", "gram", "g", "克"),
    "percent": ("percent", "%"),
    "word": ("words", "字"),
    "line": ("lines", "行"),
    "page": ("pages", "页"),
    "person": ("people", "persons", "guests", "人", "位"),
}
_UNIT_OF: Final = {spelling: unit for unit, spellings in _UNITS.items() for spelling in spellings}
_INTO: Final = {"hour": ("minute", 60.0), "gram": ("kilogram", 0.001), "week": ("day", 7.0)}
_UNIT: Final = "|".join(map(re.escape, sorted(_UNIT_OF, key=len, reverse=True)))
_NUMBER: Final = r"[0-9]{1,9}(?:\.[0-9]{1,3})?"
_AMOUNT: Final = (
    rf"(?:(?P<sign>[$€£¥]) ?)?(?P<number>{_NUMBER}) ?(?P<unit>(?:{_UNIT})(?![a-z])|[$€£%])?"
)
_TIME: Final = (
    r"(?:(?P<hour>[0-9]{1,2})(?:[:.](?P<minute>[0-5][0-9]))? ?(?P<half>am|pm|a\.m\.|p\.m\.|o'clock)"
    r"|(?P<hour2>[0-9]{1,2}):(?P<minute2>[0-5][0-9])|(?P<named>noon|midnight))(?![0-9:])"
)
_TIME_ZH: Final = (
    r"(?P<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?"
    r"(?:(?P<hour>[0-9]{1,2}|[一二两三四五六七八九十]{1,3})点(?:钟|整)?(?P<minute>半|[0-5]?[0-9]分?)?"
    r"|(?P<hour2>[0-9]{1,2}):(?P<minute2>[0-5][0-9]))"
)
_PLAIN_TIME: Final = re.compile(r"(?<![0-9:.-])([01]?[0-9]|2[0-3]):([0-5][0-9])(?![0-9])")
_CLOCKS: Final = (re.compile(_TIME), re.compile(_TIME_ZH))
_AMOUNTS: Final = re.compile(_AMOUNT)

_MORE: Final = "(?<!no )(?<!not )more than"
_BEFORE, _AFTER, _OVER, _UNDER = "before", "after", "over", "under"
_BOUNDS: Final = (
    # what stands between the words and the bound; whether the words alone forbid what is beyond
    (_BEFORE, False, re.compile(rf"\b(?:before|earlier than|prior to|until|till) {_TIME}")),
    (_AFTER, False, re.compile(rf"\b(?:after|later than|past|beyond) {_TIME}")),
    (_BEFORE, False, re.compile(rf"{_TIME_ZH}(?:之前|以前|前)")),
    (_AFTER, False, re.compile(rf"{_TIME_ZH}(?:之后|以后|后)")),
    (_OVER, True, re.compile(rf"\b(?:at most|up to|not? more than|max(?:imum)?) {_AMOUNT}")),
    (_OVER, True, re.compile(rf"{_AMOUNT},? (?:at (?:the )?most|max(?:imum)?|tops|or less)\b")),
    (_UNDER, True, re.compile(rf"\b(?:at least|not? less than|min(?:imum)?) {_AMOUNT}")),
    (_OVER, False, re.compile(rf"\b(?:{_MORE}|over|above|longer than|exceed) {_AMOUNT}")),
    (_UNDER, False, re.compile(rf"\b(?:less than|under|below|shorter than|fewer than) {_AMOUNT}")),
    (_OVER, True, re.compile(rf"(?:最多|至多|顶多|不超过|不多于|不高于|上限) ?{_AMOUNT}")),
    (_OVER, True, re.compile(rf"{_AMOUNT}(?P<side>以内|以下)")),
    (_UNDER, True, re.compile(rf"(?:至少|最少|起码|不少于|不低于) ?{_AMOUNT}")),
    (_UNDER, True, re.compile(rf"{_AMOUNT}(?P<side>以上)")),
    (_OVER, False, re.compile(rf"(?<!不)(?:超过|多于|高于|大于) ?{_AMOUNT}")),
    (_UNDER, False, re.compile(rf"(?<!不)(?:少于|低于|小于|不足|不到) ?{_AMOUNT}")),
)  # fmt: skip
_REFUSES: Final = re.compile(
    r"\b(?:no|not|never|nothing|none|don't|do not|avoid|without|can't|cannot|won't)\b"
    r"|别|不要|不准|不许|不得|不可|不能|禁止|严禁|勿|避免|不[排约开订安接]"
)
_INSISTS: Final = re.compile(
    r"\b(?:only|always|must|keep|every)\b|只|都|必须|一律|务必|统一|才(?:行|可以|可|能|好)"
)
_ASKS: Final = re.compile(
    r"\b(?:ask(?:ing)? me|check with me|my (?:approval|ok|okay|consent|say-so)|sign-?off"
    r"|approved?|approval|hand(?:ed)? (?:it |them )?(?:over )?to)\b"
    r"|(?:先|要|得|必须|须|由|等|让)[^,;。]{0,4}(?:问|经过|征得|请示|审批|批准|同意|确认|点头|报备)"
)
"""Whoever has to be asked first: what he is to be asked about is not simply done."""
_HAN_AMOUNT: Final = re.compile(
    rf"[一二两三四五六七八九十百千万]{{1,6}}(?= ?(?:以上|以下|以内|{_UNIT}))"
)
_NO_GUESS: Final = re.compile("^(?:.|.*十.?|.*[百千万])$")
_ENDS: Final = re.compile(
    r" ?(?:$|[,;.!?，；。！？]|[以的]|max|tops|(?:in|on|at|for|per|you|i|we|it|is|are|needs?|must"
    r"|without|unless|goes?|has|or|and|please)\b)"
)
_AGE: Final = re.compile(r"(?:'m|'re|\b(?:am|is|are|be|was)) \Z")
_CLAUSES: Final = re.compile(r"[,;!?，；。！？]|\.(?![0-9])")
_OPPOSITE: Final = {_BEFORE: _AFTER, _AFTER: _BEFORE, _OVER: _UNDER, _UNDER: _OVER}


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """A bound: `below` or above `bound`, counted in `unit`, lies what is not wanted.

    The unit is "" where none was told, as in "anything above 50".
    """

    unit: str
    bound: float
    below: bool

    def is_broken_by(self, value: float) -> bool:
        """Whether a value of the unit lies beyond the bound."""
        return value < self.bound if self.below else value > self.bound


def limits_of(statement: str) -> tuple[Limit, ...]:
    """Return the bounds that a statement sets, in its order; none where it only mentions them."""
    text = simplified(fold(statement[:_MAX_READ])).replace("’", "'")
    text = _HAN_AMOUNT.sub(lambda match: _digits(match[0]), text)
    found: dict[int, Limit] = {}
    for kind, alone, pattern in _BOUNDS:
        for match in pattern.finditer(text):
            clause = _clause_of(text, match)
            told = clause if _REFUSES.search(clause) or _INSISTS.search(clause) else text
            asks = _ASKS.search(clause) is not None
            refused = asks or _REFUSES.search(told) is not None
            if not (alone or refused or _INSISTS.search(told)):
                continue
            unit, value = _value(match)
            if unit or _is_bare(text, match):
                beyond = kind if alone or refused else _OPPOSITE[kind]
                if match.groupdict().get("side") and (asks or _REFUSES.search(clause)):
                    beyond = _OPPOSITE[kind]  # 以上 is no least amount where it is ruled out
                below = beyond in (_BEFORE, _UNDER)
                if unit == CLOCK and not value and not below:
                    value = float(_DAY)  # after midnight is the next day
                found.setdefault(match.end(), Limit(unit=unit, bound=value, below=below))
    return tuple(found[at] for at in sorted(found))


def _digits(spelt: str) -> str:
    value = numeral(spelt) if _NO_GUESS.search(spelt) else None
    return spelt if value is None else str(int(value))


def _is_bare(text: str, bound: re.Match[str]) -> bool:
    """Whether the number of a bound counts nothing that is named: "above 50 you ask me"."""
    named = "number" in bound.re.groupindex and not _AGE.search(text[: bound.start()])
    return named and _ENDS.match(text, bound.end("number")) is not None


def _clause_of(text: str, bound: re.Match[str]) -> str:
    """The clause that sets a bound: "no red-eye, only after seven" refuses one thing alone."""
    before, after = text[: bound.start()], text[bound.end() :]
    return _CLAUSES.split(before)[-1] + bound.group() + _CLAUSES.split(after)[0]


def clocks_in(text: str) -> tuple[float, ...]:
    """Return the times of day that a folded text names, in minutes from midnight."""
    plain = [float(int(m[1]) * 60 + int(m[2])) for m in _PLAIN_TIME.finditer(text)]
    if plain:
        return tuple(plain[:_MAX_FOUND])
    told = (_value(match) for pattern in _CLOCKS for match in pattern.finditer(text))
    return tuple(value for unit, value in told if unit)[:_MAX_FOUND]


def amounts_in(text: str) -> tuple[tuple[str, float], ...]:
    """Return the amounts of a folded text as (unit, value); the unit is "" where none is told."""
    found = [_amount(match) for match in _AMOUNTS.finditer(text)]
    return tuple(found[:_MAX_FOUND])


def without_amounts(text: str) -> str:
    """Return a folded text without its amounts, whose units would else name a topic."""
    return _AMOUNTS.sub(" ", text)


def unit_of(word: str) -> tuple[str, float] | None:
    """Return the unit that a word stands for and how much of it one is; None for other words."""
    unit = _UNIT_OF.get(word)
    return None if unit is None else _INTO.get(unit, (unit, 1.0))


def _value(match: re.Match[str]) -> tuple[str, float]:
    if "number" in match.re.groupindex:
        return _amount(match)
    told = match.groupdict()
    if told.get("named"):
        return CLOCK, 0.0 if told["named"] == "midnight" else _DAY / 2
    hour = _number(told["hour"] or told["hour2"])
    minute = told["minute"] or told["minute2"] or "0"
    minutes = 30 if minute == "半" else int(minute.rstrip("分"))
    half = (told.get("half") or "").replace(".", "")
    late = half == "pm" or told.get("part") in ("下午", "傍晚", "晚上", "夜里")
    if late and hour < _NOON:
        hour += _NOON
    if half == "am" and hour == _NOON:
        hour = 0
    total = hour * 60 + minutes
    return (CLOCK, float(total)) if total <= _DAY else ("", 0.0)


def _amount(match: re.Match[str]) -> tuple[str, float]:
    unit = unit_of(match["unit"] or match["sign"] or "")
    value = float(match["number"])
    return ("", value) if unit is None else (unit[0], value * unit[1])


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    # Two digits side by side are a guess between them: 两三点.
    return int(numeral(text if "十" in text else text[-1:]) or 0)
