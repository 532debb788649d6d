"""Results that are JSON: flags, codes and messages of the envelope against the data inside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from hindsight_core.capture.outcomes._context import Role, ToolContext
from hindsight_core.capture.outcomes._failure import Failure
from hindsight_core.capture.outcomes._fields import collect, is_blank, is_given, number_of
from hindsight_core.capture.outcomes._names import without_names
from hindsight_core.capture.outcomes._parse import read_json
from hindsight_core.capture.outcomes._tables import (
    is_trouble,
    key_roles,
    normalise,
    says,
    without_harmless,
    words,
)
from hindsight_core.text import shorten

__all__ = ["judge_json"]

_MAX_DEPTH: Final = 4


def judge_json(value: Any, context: ToolContext, depth: int = 0) -> Failure | None:
    """Return the failure that a parsed result reports, or None for an answer."""
    if isinstance(value, Mapping):
        return _Object(cast("Mapping[str, Any]", value), context, depth).judge()
    if isinstance(value, list):
        return _list(cast("list[Any]", value), context, depth)
    if value is False and context.role is Role.ACT:
        return Failure(message="false", unmet=True)
    return None


def _list(items: list[Any], context: ToolContext, depth: int) -> Failure | None:
    if (
        not items
        or depth >= _MAX_DEPTH
        or not all(isinstance(item, Mapping) for item in items[:50])
    ):
        return None
    if context.role in (Role.READ, Role.STATUS, Role.TRANSFORM):
        return None
    verdicts = [judge_json(item, context, depth + 1) for item in items[:50]]
    return verdicts[0] if all(verdicts) else None


class _Object:
    def __init__(self, value: Mapping[str, Any], context: ToolContext, depth: int) -> None:
        self.value = value
        self.context = context
        self.depth = depth
        self.reads = context.role in (Role.READ, Role.STATUS)
        self.by_role: dict[str, list[tuple[str, Any]]] = {}
        self.data = 0
        self.refusals = 0
        for key, item in list(value.items())[:200]:
            roles = key_roles(str(key))
            for role in roles:
                self.by_role.setdefault(role, []).append((str(key), item))
            wraps = "body" in roles and isinstance(item, (Mapping, list, str))
            empty = item is not False and is_blank(item)
            if not (roles - {"body", "state"} or wraps or empty):
                self.data += 1
                self.refusals += item is False

    def of(self, role: str) -> list[Any]:
        return [item for _, item in self.by_role.get(role, [])]

    def judge(self) -> Failure | None:
        good, bad_code = self.codes()
        flags = [flag for item in self.of("flag") if (flag := _as_bool(item)) is not None]
        good = good or (bool(flags) and all(flags))
        if any(flag is False for flag in flags) or any(x is True for x in self.of("negative_flag")):
            return self.failure()
        if bad_code:
            return self.failure()
        if not good and self.error_given():
            return self.failure()
        if self.reads and self.data and not self.found_nothing():
            return self.inside()
        return self.undone() or self.bad_state() or self.inside() or self.said_no(good=good)

    def codes(self) -> tuple[bool, bool]:
        good = bad = False
        success = any(
            isinstance(text, str) and normalise(text).strip(" .!。！") in words("good")
            for text in self.of("message")
        )
        for key, item in self.by_role.get("code", []):
            plain = key.casefold() in ("status", "状态")
            number = number_of(item)
            if number is not None:
                if (
                    plain
                    and not 100 <= number < 600
                    and not (number == 0 and self.coded_elsewhere())
                ):
                    continue
                is_good = (number == 0 and not plain) or success
                is_bad = not (is_good or 200 <= number < 400) and (
                    (400 <= number < 600 and not (self.data and self.reads))
                    or bool(self.of("message"))
                    or plain
                )
            elif isinstance(item, str) and not plain:
                text = normalise(item).strip()
                is_good = text in words("good")
                is_bad = not is_good and bool(
                    says(text, "statement")
                    or (not self.data and self.said() and says(self.said(), "statement"))
                )
            else:
                continue
            good, bad = good or is_good, bad or is_bad
        return good and not bad, bad

    def coded_elsewhere(self) -> bool:
        return "infocode" in self.value or ("info" in self.value and not self.data)

    def error_given(self) -> bool:
        given = [item for key, item in self.by_role.get("error", []) if is_given(key, item)]
        if not given:
            return False
        if isinstance(self.value.get("data"), Mapping) and "errors" in self.value:
            return all(is_blank(item) for item in self.value["data"].values())
        if self.context.role is Role.STATUS or self.context.command.checker:
            return not self.data
        return not (self.reads and self.data >= 2)

    def found_nothing(self) -> bool:
        """Whether what was searched for came back as an empty list or null."""
        lists = [item for item in self.of("body") if not isinstance(item, str)]
        return bool(lists) and all(is_blank(item) for item in lists)

    def undone(self) -> Failure | None:
        if self.reads or self.context.role is Role.TRANSFORM:
            return None
        results = [item for key, item in self.by_role.get("state", []) if key != "state"]
        done = [item for item in self.of("done") if isinstance(item, (bool, int))]
        if self.context.role is Role.ACT and self.data == self.refusals > 0 and self.said():
            return self.failure(unmet=True)
        counted = [item for item in done if not isinstance(item, bool)]
        if any(item is False for item in (*done, *results)) or (counted and not any(counted)):
            return self.failure(unmet=True)
        affected = [item for item in self.of("affected") if isinstance(item, int)]
        if affected and not any(affected) and self.context.role is Role.ACT:
            return self.failure(partial=True)
        counts = [item for item in self.of("partial") if not isinstance(item, bool)]
        if any(not is_blank(item) and item != 0 for item in counts):
            return self.failure(partial=True)
        return None

    def bad_state(self) -> Failure | None:
        for key, item in self.by_role.get("state", []):
            if not isinstance(item, str) or len(item) > 60:
                continue
            text = normalise(item)
            if self.reads and not _is_word_error(text):
                bad = self.found_nothing() and is_trouble(text)
            else:
                bad = says(text, "bad_state")
            if bad:
                return self.failure(unmet=True, extra=(item,) if key else ())
        return None

    def inside(self) -> Failure | None:
        if self.depth >= _MAX_DEPTH:
            return None
        states = [pair for pair in self.by_role.get("state", []) if isinstance(pair[1], Mapping)]
        for _, item in (*self.by_role.get("body", []), *states):
            parsed, value = isinstance(item, Mapping), item
            if isinstance(item, str):
                parsed, value = read_json(item)
            if parsed and (failure := judge_json(value, self.context, self.depth + 1)):
                return failure
        return None

    def said_no(self, *, good: bool) -> Failure | None:
        """Judge an object that only talks, or that adds to its success that nothing was done."""
        said = self.said()
        if not said or says(said, "empty"):
            return None
        inside = [item for item in self.of("body") if not isinstance(item, str)]
        talks_only = self.found_nothing() or (not self.data and not inside)
        answered = self.reads and good and not is_trouble(said)
        if talks_only and not answered and says(said, "statement"):
            return self.failure()
        if not self.reads and says(said, "unmet"):
            return self.failure(unmet=True)
        return None

    def said(self) -> str:
        texts = [item for item in self.of("message") if isinstance(item, str)]
        return without_harmless(self.context.unsaid(normalise(without_names(" \n".join(texts)))))

    def failure(
        self, *, unmet: bool = False, partial: bool = False, extra: tuple[str, ...] = ()
    ) -> Failure:
        texts: list[str] = []
        symbols: list[str] = []
        numbers: list[int] = []
        collect(self.value, texts, symbols, numbers, 0)
        status = next((n for n in numbers if 400 <= n < 600), None)
        other = next((n for n in numbers if abs(n) >= 600 or n < 0), None)
        message = " | ".join(dict.fromkeys(text for text in texts if text)) or ", ".join(extra)
        if not message:
            message = shorten(json.dumps(self.value, ensure_ascii=False, default=str), 300)
        return Failure(
            message=message,
            symbols=tuple(symbols),
            status=status,
            number=other,
            unmet=unmet,
            partial=partial,
        )


def _as_bool(item: Any) -> bool | None:
    if isinstance(item, str) and item.casefold() in ("true", "false"):
        return item.casefold() == "true"
    return item if isinstance(item, bool) else None


def _is_word_error(text: str) -> bool:
    return text.strip() in ("error", "错误")
