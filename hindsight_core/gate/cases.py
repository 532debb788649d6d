"""Failures of one tool with one error, and what they show of the calls that will fail alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hindsight_core.capture import says_of_a_set, says_of_form, says_of_the_moment
from hindsight_core.gate.arguments import Argument, arguments_of, is_quoted, occurs, plain
from hindsight_core.gate.decisions import DETERMINISTIC
from hindsight_core.gate.missing import named_as_missing
from hindsight_core.gate.narrowing import apart, beside
from hindsight_core.gate.series import series_of
from hindsight_core.gate.shapes import is_rewritten, shape_of
from hindsight_core.gate.traits import Cause, traits_of
from hindsight_core.schema import ErrorClass, Lesson, Memory, ToolCall

__all__ = ["Case", "first_of"]

_STANDING: Final = frozenset(
    (
        ErrorClass.VALIDATION,
        ErrorClass.NOT_FOUND,
        ErrorClass.PERMISSION,
        ErrorClass.UNAVAILABLE,
        ErrorClass.SOFT,
    )
)
"""Failures about a value itself; what is transient is left out before, so these are for good."""
_REQUIRED: Final = re.compile(
    r"required|mandatory|missing|must (?:be|have|include|provide|contain)|provide|specify|without"
    r"|缺少|缺失|必填|必需|必须|不能为空|未填|未提供|请提供|请填|需要"
)
_TOO_LITTLE: Final = re.compile(r"not enough|insufficient|\bbalance\b|不足|不够|余额")
"""What there is too little of is enough for a smaller thing: all else has to be the same, too."""
_LETTERS: Final = re.compile(r"[a-z]{4,}|[\u4e00-\u9fff]{2,}")
_SHORTEST: Final = 4
_PROSE: Final = frozenset(("words", "text", "word", "empty", "json"))
"""Formats that a value may have beside any other: what worked has to be of a stricter one."""
_INNER: Final = re.compile(r" (?:names|begins|written|numbered) ")


def first_of(lesson: Lesson) -> str:
    """The tool that has to be called before the failing one, "" where none has."""
    return lesson.correction.precondition if lesson.correction else ""


class Case:
    """Failures of one tool with one error, and the calls of the tool that worked."""

    def __init__(
        self,
        group: Sequence[tuple[Memory, Lesson]],
        tool: str,
        worked: Sequence[ToolCall],
        *,
        eager: bool,
    ) -> None:
        self.eager = eager
        self.memory, lesson = group[-1]
        self.error_class = lesson.mistake.error_class
        self.error = plain(" ".join(one.mistake.consequence for _, one in group))
        self.of_the_moment = says_of_the_moment(lesson.mistake.consequence)
        calls = [call for _, one in group for call in one.mistake.calls if call.tool == tool]
        self.failed = [arguments_of(call) for call in {c.signature: c for c in calls}.values()]
        self.traits = [traits_of(call) for call in {c.signature: c for c in calls}.values()]
        self.good = worked
        self.worked = [arguments_of(call) for call in worked]
        fixes = [c for _, one in group if one.correction for c in one.correction.calls]
        self.first = next(filter(None, (first_of(one) for _, one in group)), "")
        self.refuted = any(one.worked for _, one in group)
        self.fixes = [arguments_of(call) for call in fixes if call.tool == tool]

    def causes(self) -> list[Cause]:
        """The narrowest reading that has evidence; several only where several are sure."""
        if self.first:
            return [] if self.refuted else [self._cause(first=self.first)]
        if self.error_class not in DETERMINISTIC | _STANDING or self.of_the_moment:
            return []
        readings = [lambda: (*self._missing(), *self._formats())]
        if self.error_class in _STANDING and not _TOO_LITTLE.search(self.error):
            readings += [self._named_values, self._named_within, self._named_beside]
        if says_of_a_set(self.error):
            readings += [self._series]
        if len(self.failed) > 1:
            readings += [self._shared, self._closed]
        good = [*map(traits_of, self.good)]
        for reading in readings:
            found = [cause for cause in reading() if not any(map(cause.meets, good))]
            if found:
                return found
        return []

    def _cause(
        self, said: Iterable[str] = (), lacks: Iterable[str] = (), *, first: str = ""
    ) -> Cause:
        return Cause(
            memory_id=self.memory.id,
            error_class=str(self.error_class),
            failures=len(self.failed),
            said=frozenset(said),
            lacks=frozenset(lacks),
            first=first,
        )

    def _missing(self) -> Iterator[Cause]:
        """An argument that no failing call gave, and that the error names or every fix gave.

        What the error calls missing needs no call that shows it.
        """
        given = {value.name for call in self.failed for value in call}
        fixed = [{value.name for value in call} for call in self.fixes]
        added = set[str].intersection(*fixed) - given if fixed else set[str]()
        known = {value.name for call in self.worked for value in call}
        told = named_as_missing(self.error)
        for name in sorted((added | known | told) - given):
            named = self._names(name)
            if (name in added and (named or len(self.failed) > 1)) or (
                named and (name in told or _REQUIRED.search(self.error))
            ):
                yield from self._lacking(name)

    def _lacking(self, name: str) -> Iterator[Cause]:
        """That an argument is missed: by any call, or by those unlike what worked without it."""
        without = [arguments_of(call) for call in self.good if name not in traits_of(call).names]
        if not without:
            yield self._cause(lacks=[name])
        for call in self.failed if without else ():
            yield self._cause(apart(call, without), lacks=[name])

    def _formats(self) -> Iterator[Cause]:
        """A format, or a way of writing it, that each failing value has and none that worked."""
        for name in self._common_names():
            failed = self._values(self.failed, name)
            worked = self._values(self.fixes or self.worked, name)
            formats = {value.format for value in failed}
            if len(formats) != 1 or not worked:
                continue
            form = failed[0].format
            other = form not in {value.format for value in worked}
            if other and (self._names(name) or len({value.text for value in failed}) > 1):
                yield self._cause([f"{name} as {form}"])
            elif self._is_rewritten(name):
                shapes = {shape_of(value.text) for value in failed}
                loose = form.startswith("number ") or _PROSE & {value.format for value in worked}
                if other and not loose:
                    yield self._cause([f"{name} as {form}"])
                elif len(shapes) == 1 and not shapes & {shape_of(one.text) for one in worked}:
                    yield self._cause([f"{name} written {shapes.pop()}"])

    def _is_rewritten(self, name: str) -> bool:
        """Whether the fix of a call wrote a value of it otherwise, and all else that it changed.

        Where the error speaks of how it is written, or the same signs were put in another order.
        """
        of_form = says_of_form(self.error)
        return any(
            is_rewritten(name, failed, fix, of_form=of_form)
            for failed in self.failed
            for fix in self.fixes
        )

    def _named_values(self) -> Iterator[Cause]:
        """Values, or parts of them, that all failing calls share and that the error names.

        Where it names several arguments each may work beside others ("Finch has no hotend for
        nylon"): then a call must have them all.
        """
        named: dict[str, list[str]] = {}
        short: dict[str, list[str]] = {}
        fresh: list[str] = []
        for name in self._common_names():
            failed = self._values(self.failed, name)
            parts = frozenset[str].intersection(*(value.parts for value in failed))
            worked = {part for value in self._values(self.worked, name) for part in value.parts}
            told = [part for part in parts if self._tells(part)]
            if told:
                named[name] = [f"{name} has {part}" for part in told]
            elif brief := [part for part in parts if len(part) > 1 and occurs(part, self.error)]:
                short[name] = [f"{name} has {part}" for part in brief]
            fresh += [f"{name} has {part}" for part in told if part not in worked]
        named = named | short if named else {}
        said = [one for parts in named.values() for one in parts] if len(named) > 1 else fresh
        if said:
            yield self._cause(said)

    def _named_within(self) -> Iterator[Cause]:
        """Names inside of a statement or an identifier that all failing calls share: a schema.

        Of statements only those that begin alike: what cannot be read may well be made.
        """
        said: set[str] = set()
        for name in self._common_names():
            failed = self._values(self.failed, name)
            names = frozenset[str].intersection(*(value.names for value in failed))
            told = [f"{name} names {one}" for one in names if self._tells(one)]
            first = {value.text.partition(" ")[0] for value in failed if " " in value.text}
            if told and len(first) < 2:
                said.update(told, (f"{name} begins {word}" for word in first))
        if said:
            yield self._cause(said)

    def _named_beside(self) -> Iterator[Cause]:
        """A value that the error names and that worked beside others, with what is beside it."""
        values = (value for call in self.failed for value in call)
        named = [(one.name, part) for one in values for part in one.parts if self._tells(part)]
        yield from map(self._cause, beside(named, self.failed, self.worked))

    def _series(self) -> Iterator[Cause]:
        """The series of a name, such as a journal, where names of other series worked."""
        for name in self._common_names():
            series = {series_of(value.text) for value in self._values(self.failed, name)}
            if len(series) == 1 and all(series) and self._values(self.worked, name):
                yield self._cause([f"{name} numbered {series.pop()}"])

    def _shared(self) -> Iterator[Cause]:
        """All that two or more failing calls have in common, where the tool is known to work.

        Not where the error speaks of what they do not share: of the certificates with which one
        booking was to be paid in vain, and not of the booking.
        """
        if any(map(self._speaks_of, self._common_names())):
            return
        said = frozenset[str].intersection(*(traits.said for traits in self.traits))
        common = {one for one in said if not _INNER.search(one)}
        if (self.worked or self.eager) and any(" has " in said for said in common):
            yield self._cause(common)

    def _closed(self) -> Iterator[Cause]:
        """The tool itself, where it says that it is closed for good and of nothing it was given."""
        if self.error_class is ErrorClass.UNAVAILABLE and not self.worked:
            spoken = any(map(self._speaks_of, self._common_names()))
            given = [part for call in self.failed for value in call for part in value.parts]
            if not spoken and not any(map(self._tells, given)):
                yield self._cause()

    def _speaks_of(self, name: str) -> bool:
        """Whether the error has a word of each of the different values of an argument."""
        values = {value.text for value in self._values(self.failed, name)}
        return len(values) > 1 and all(
            any(word in self.error for word in _LETTERS.findall(plain(text))) for text in values
        )

    def _common_names(self) -> list[str]:
        every = [{value.name for value in call} for call in self.failed]
        return sorted(set[str].intersection(*every)) if every else []

    @staticmethod
    def _values(calls: Iterable[Sequence[Argument]], name: str) -> list[Argument]:
        return [value for call in calls for value in call if value.name == name]

    def _names(self, name: str) -> bool:
        last = plain(name.rpartition(".")[2])
        spellings = {last, last.replace("_", " "), last.replace("-", " ")}
        return any(occurs(one, self.error) for one in spellings)

    def _tells(self, part: str) -> bool:
        long = len(part) >= _SHORTEST or (not part.isascii() and len(part) > 1)
        return occurs(part, self.error) if long else is_quoted(part, self.error)
