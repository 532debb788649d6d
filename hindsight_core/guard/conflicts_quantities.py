"""Numbers, times and dates of a text, in common units, in both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hindsight_core.guard.conflicts_hant import simplify
from hindsight_core.han import numeral
from hindsight_core.text import clean, fold

__all__ = ["Quantity", "quantities"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its dimension: `value` is in the dimension's base unit.

    `dimension` is empty where no known unit follows; `noun` is then the word that is counted.
    """

    value: float
    dimension: str
    noun: str = ""


_UNITS: Final = {
    "time": (
        "0.001:ms millisecond milliseconds 毫秒",
        "1:s sec secs second seconds 秒 秒钟",
        "60:min mins minute minutes 分钟",
        "3600:h hr hrs hour hours 小时 个小时 钟头 个钟头",
        "86400:d day days 天 日 个工作日 工作日",
        "604800:week weeks wk 周 星期 个星期 礼拜 个礼拜",
        "2592000:month months 个月 月",
        "31536000:year years yr yrs 年",
    ),
    "size": (
        "1:byte bytes 字节",
        "1e3:kb kib k kilobyte kilobytes",
        "1e6:mb mib meg megabyte megabytes 兆",
        "1e9:gb gib gig gigabyte gigabytes",
        "1e12:tb tib terabyte terabytes",
    ),
    "money": (
        "1:usd dollar dollars eur euro euros gbp pound pounds cny rmb yuan 元 块 块钱 美元 欧元",
        "1e4:万元 万块",
    ),
    "degree": ("1:degree degrees deg celsius c f fahrenheit 度 摄氏度",),
    "percent": ("1:% percent per-cent pct", "10:成 折"),
    "length": (
        "0.001:mm millimetre millimetres 毫米",
        "0.01:cm centimetre centimetres 厘米",
        "1:m metre metres meter meters 米",
        "1000:km kilometre kilometres kilometer kilometers 公里 千米",
        "1609:mile miles 英里",
    ),
    "weight": ("0.001:g gram grams 克", "0.5:斤", "1:kg kilo kilos kilogram kilograms 公斤 千克"),
}
_FACTORS: Final = {
    word: (dimension, float(factor))
    for dimension, lines in _UNITS.items()
    for line in lines
    for factor, words in [line.split(":")]
    for word in words.split()
}
_WORDS: Final = {
    word: number
    for number, words in {
        0: "zero",
        0.5: "half",
        1: "one once single",
        2: "two twice pair couple",
        3: "three thrice triple",
        4: "four",
        5: "five",
        6: "six",
        7: "seven",
        8: "eight",
        9: "nine",
        10: "ten",
        11: "eleven",
        12: "twelve dozen",
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty",
        30: "thirty",
        40: "forty",
        50: "fifty",
        60: "sixty",
        70: "seventy",
        80: "eighty",
        90: "ninety",
    }.items()
    for word in words.split()
}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "k": 1_000}
_TOKEN: Final = re.compile(
    r"(?P<date>\d{4}[-/年]\d{1,2}[-/月]\d{1,2})"
    r"|(?P<clock>\d{1,2}:\d{2})"
    r"|(?P<hour>\d{1,2} ?(?:am|pm)\b)"
    r"|(?P<num>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"|(?P<han>[零〇一二三四五六七八九十百千万两俩半]+)"
    r"|(?P<word>[^\W\d_\u3400-\u9fff]+)"
    r"|(?P<sign>[$€£¥%℃°])"
)
_HAN_UNIT: Final = re.compile(
    r"[个]?(?:"
    + "|".join(sorted((w for w in _FACTORS if not w.isascii()), key=len, reverse=True))
    + r")"
)
_HAN_TIME: Final = re.compile(r"[点时](半|[零一二三四五六七八九十\d]{1,3}分)?(?!间|候)")
_HAN_COUNT: Final = re.compile(r"[个位名人次条张份页行层号岁级版字件项天步元台只种遍把杯倍]")
_LATIN_UNIT: Final = re.compile(r"[ -]?([a-z%]+)")


def quantities(text: str) -> list[Quantity]:
    """Read the quantities of a text, in order; a number word counts like its digits."""
    text = simplify(fold(clean(text)))
    found: list[Quantity] = []
    money = False
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        kind, piece = match.lastgroup, match.group()
        if kind == "sign":
            money = piece in "$€£¥"
            continue
        value = _value(kind, piece)
        if value is None:
            money = False
            continue
        if kind in ("date", "clock", "hour"):
            found.append(Quantity(value, "date" if kind == "date" else "clock"))
            continue
        quantity, at = _with_unit(text, at, value, kind == "han", money)
        money = False
        if quantity is not None:
            found.append(quantity)
    return found


def _value(kind: str | None, piece: str) -> float | None:
    if kind == "date":
        year, month, day = (int(part) for part in re.findall(r"\d+", piece))
        return year * 10_000 + month * 100 + day
    if kind == "clock":
        hour, minute = piece.split(":")
        return int(hour) * 60 + int(minute)
    if kind == "hour":
        hours = int(re.sub(r"\D", "", piece)) % 12
        return (hours + (12 if piece.endswith("pm") else 0)) * 60
    if kind == "num":
        plain = piece.replace(",", "")
        head, dot, tail = plain.partition(".")
        return float(head[:15] + dot + tail.replace(".", "")[:6])
    if kind == "han":
        return numeral(piece)
    if kind == "word":
        return _WORDS.get(piece)
    return None


def _with_unit(
    text: str, at: int, value: float, han: bool, money: bool
) -> tuple[Quantity | None, int]:
    """Read what follows a number: its unit, or the noun that it counts."""
    if money:
        return Quantity(value, "money"), at
    rest = text[at : at + 24]
    stripped = rest.lstrip(" ")
    skipped = len(rest) - len(stripped)
    if stripped[:1] and stripped[0] in "℃°":
        return Quantity(value, "degree"), at + skipped + 1
    if stripped[:1] and stripped[0] in "$€£¥":
        return Quantity(value, "money"), at + skipped + 1
    if clock := _HAN_TIME.match(stripped):
        tail = clock.group(1) or ""
        minutes = 30 if tail == "半" else _minutes(tail)
        if value <= 24:
            return Quantity(value * 60 + minutes, "clock"), at + skipped + clock.end()
    if unit := _HAN_UNIT.match(stripped):
        dimension, factor = _FACTORS.get(unit.group()) or _FACTORS[unit.group().removeprefix("个")]
        return Quantity(value * factor, dimension), at + skipped + unit.end()
    if han and not _HAN_COUNT.match(stripped):
        return None, at
    latin = _LATIN_UNIT.match(rest)
    if latin is None:
        return Quantity(value, "", stripped[:1] if _HAN_COUNT.match(stripped) else ""), at
    word = latin.group(1)
    if word in _SCALES:
        return _with_unit(text, at + latin.end(), value * _SCALES[word], han, money)
    if word in _FACTORS:
        dimension, factor = _FACTORS[word]
        return Quantity(value * factor, dimension), at + latin.end()
    return Quantity(value, "", word.rstrip("s")), at


def _minutes(tail: str) -> float:
    digits = tail.rstrip("分")
    if not digits:
        return 0.0
    return float(digits) if digits.isdigit() else (numeral(digits) or 0.0)
