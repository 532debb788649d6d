"""Whether a call sets otherwise what a wish of the user settled, compared by value.

The wish was heard beside calls whose arguments had what it asks for, so it is known which argument
it is about: "the muted palette" and `palette`. Of two wishes about one argument the newer counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hindsight_core.capture import PreferenceFinding, Wording
from hindsight_core.gate._rule_words import ANY_THING
from hindsight_core.gate.arguments import plain
from hindsight_core.schema import Preference, ToolCall

__all__ = ["Settled", "Verdict"]

_ANY_OF: Final = re.compile(
    r"(?:\b(?:any|all|every)(?:thing|one|body)?|\bwhatever|\bwhoever|凡是?|所有|任何)\W*\Z"
)
_REACH: Final = 12
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[\u3400-\u9fff]+")
_VARIETY: Final = re.compile(r"([a-z]{2})[-_][A-Za-z]{2,4}")
_LANGUAGE: Final = re.compile(r"([a-z]{2,3})([-_][A-Za-z]{2,4})?")
Values = Mapping[str, tuple[Any, ...]]
"""Values of an argument by `tool/name`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a call sets as a wish asks, and what otherwise; whether it does what was taken back."""

    kept: frozenset[str] = frozenset()
    otherwise: frozenset[str] = frozenset()
    refused: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """The arguments that a wish is about, each with the values that are known of it."""

    wording: Wording
    asked: Wording
    circumstances: Wording
    topic: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()
    settles: Values = field(default_factory=dict[str, tuple[Any, ...]])
    given: Values = field(default_factory=dict[str, tuple[Any, ...]])
    refuses: Values = field(default_factory=dict[str, tuple[Any, ...]])

    @classmethod
    def read(cls, finding: PreferenceFinding, known: Preference) -> Settled | None:
        """Take them from what was stored with a statement; None where it settles nothing."""
        if not (known.settles or known.refuses or known.given):
            return None
        wording, settles = Wording.read(finding.content), _values(known.settles)
        asked = [wording.clause(value) for values in settles.values() for value in values]
        given = _values(known.given)
        about = wording.clauses_sharing(value for values in given.values() for value in values)
        return cls(
            wording=wording,
            asked=Wording.read(", ".join(asked)),
            circumstances=Wording.read(about) if about else wording,
            topic=tuple(
                topic
                for topic in map(plain, finding.topic)
                if topic in " ".join(asked) and topic not in ANY_THING
            ),
            tools=frozenset(known.tools),
            settles=settles,
            given=given,
            refuses=_values(known.refuses),
        )

    def judge(self, call: ToolCall) -> Verdict:
        """Compare a call with what is known."""
        told = {f"{call.tool}/{name}": value for name, value in call.args.items()}
        mine = {key: value for key, value in told.items() if key in self.settles}
        if mine and self._holds(call, told, mine):
            kept = frozenset(key for key, value in mine.items() if self.takes(key, value))
            otherwise = {key for key in mine if key not in kept and self._is_of_its_kind(key, mine)}
            return Verdict(kept=kept, otherwise=frozenset(otherwise))
        known = not self.topic or call.tool in self.tools or self._is_topic(call)
        about = known and self._is_given_all(told)
        return Verdict(refused=about and self._is_refused(call, told))

    def takes(self, key: str, value: Any) -> bool:
        """Whether an argument, as `tool/name`, may have a value."""
        known = self.settles.get(key)
        return known is not None and (value in known or self.asked.place(value) >= 0)

    def _is_of_its_kind(self, key: str, told: Mapping[str, Any]) -> bool:
        """Whether a value could be as is asked: of a script one of another language cannot."""
        kinds = [
            match[1]
            for value in self.settles[key]
            if isinstance(value, str) and (match := _VARIETY.fullmatch(value))
        ]
        value = told[key]
        other = _LANGUAGE.fullmatch(value) if isinstance(value, str) else None
        return not kinds or other is None or (bool(other[2]) and other[1] in kinds)

    def _holds(self, call: ToolCall, told: Mapping[str, Any], mine: Iterable[str]) -> bool:
        """Whether a call is one of those that the wish is about."""
        if any(key in told for key in self.given):
            return self._is_given_all(told)
        if self._is_topic(call):
            return True
        if any(map(self._is_kind, self.topic)):
            return False
        if any(self.wording.names(key.rpartition("/")[2]) for key in mine):
            return True
        values = Wording.read(" ".join(str(told[key]) for key in mine))
        told_of = self.asked.tells() - self._valued()
        if told_of or values.tells():
            spoken = Wording.read(" ".join(_PARTS.findall(_said(call))))
            return not told_of or spoken.speaks_of(told_of)
        return not self.topic

    def _valued(self) -> frozenset[str]:
        """The words of the values themselves."""
        values = (str(value) for known in self.settles.values() for value in known)
        return frozenset(Wording.read(" ".join(values)).places)

    def _is_kind(self, topic: str) -> bool:
        """Whether the topic is one kind of things of many: anything Finnish, 凡是法国的."""
        at = self.wording.text.find(topic)
        return at > 0 and _ANY_OF.search(self.wording.text[max(0, at - _REACH) : at]) is not None

    def _is_topic(self, call: ToolCall) -> bool:
        said = plain(_said(call))
        return any(topic in said for topic in self.topic)

    def _is_given_all(self, told: Mapping[str, Any]) -> bool:
        return all(self._is_given(key, told[key]) for key in self.given if key in told)

    def _is_given(self, key: str, value: Any) -> bool:
        if value in self.given[key] or self.circumstances.place(value) >= 0:
            return True
        alike = any(Wording.read(str(known)).shared(value) for known in self.given[key])
        return alike and bool(self.circumstances.shared(value))

    def _is_refused(self, call: ToolCall, told: Mapping[str, Any]) -> bool:
        """Whether all is as it was in the call that was taken back, and nothing as is wanted."""
        here = {key: words for key, words in self.refuses.items() if key in told}
        asked = {key.rpartition("/")[2] for key in self.settles}
        if any(self.asked.place(call.args[name]) >= 0 for name in asked & call.args.keys()):
            return False
        return bool(here) and all(
            any(_has(told[key], word) for word in words) for key, words in here.items()
        )

    def is_elsewhere(self, tool: str, values: Mapping[str, str], text: str) -> bool:
        """Whether a call is about another thing than that of which the wish was said.

        `values` are its arguments, `text` all of it. A tool that the wish was not said of must at
        least speak of that thing.
        """
        if not self.given:
            return False
        told = {f"{tool}/{name}": value for name, value in values.items()}
        if any(key in told for key in self.given):
            return not self._is_given_all(told)
        if tool in self.tools:
            return False
        things = {self.wording.shared(value) for known in self.given.values() for value in known}
        return not any(thing in text for thing in things if thing)

    def narrows(self, tool: str) -> bool:
        """Whether of a tool not every call is meant, but those with what was refused."""
        return any(key.startswith(f"{tool}/") for key in self.refuses)


def _said(call: ToolCall) -> str:
    return " ".join((call.tool, *call.args, *map(str, call.args.values())))


def _has(value: Any, word: Any) -> bool:
    return value == word or (isinstance(word, str) and plain(word) in plain(str(value)))


def _values(entries: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for entry in entries:
        key, sign, value = entry.partition("=")
        if sign:
            found[key] = (*found.get(key, ()), json.loads(value))
    return found
