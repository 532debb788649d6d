"""Which arguments of the calls around a statement it is about, each with the value it had.

After the statement an agent sets things as it was told to; before it, an agent may have done what
the statement is against. Entries are `tool/argument=value`, the value as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.preferences import PreferenceFinding, read_preference
from hindsight_core.capture.preferences.replacing import hold_apart, stands_beside
from hindsight_core.capture.wording import Wording, says, words_of_name
from hindsight_core.schema import Memory, Polarity, ToolCall
from hindsight_core.text import fold

__all__ = ["SaidOf", "inherits", "resets", "said_of"]

_MAX: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidOf:
    """`settles` had what is asked for, `given` told where it holds, `refuses` had what is not."""

    settles: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


def said_of(
    finding: PreferenceFinding, before: Sequence[ToolCall], after: Sequence[ToolCall]
) -> SaidOf:
    """Tie a statement to the calls of the turn before it and of its own."""
    wording = Wording.read(finding.content)
    settles: list[str] = []
    given: list[str] = []
    for call in after:
        told = sorted((at, name) for name, at in _told(call, wording))
        wanted = _wanted(call, told, before, wording, finding)
        settles += [_entry(call, name) for name in wanted]
        for name, other in _mended(call, wanted, before):
            settles.append(f"{other.tool}/{name}={_json(call.args[name])}")
            given += _circumstances(other, wording, {name})
        if wanted:
            here = [name for _, name in told]
            given += _circumstances(call, wording, {*wanted}, here)
    refuses: list[str] = []
    for call in () if finding.lifts else before:
        refused = dict(_refused(finding, call, after, wording))
        refuses += [f"{call.tool}/{name}={word}" for name, word in refused.items()]
        if refused:
            given += _circumstances(call, wording, {*refused})
    if not (settles or refuses):
        own = Wording.read(wording.clauses_with((*finding.want, *finding.avoid)))
        for call in (*before, *after):
            named = {one for one, value in call.args.items() if _is_named(value, finding)}
            given += _circumstances(call, own, named) if named else []
    return SaidOf(
        settles=tuple(dict.fromkeys(settles))[:_MAX],
        given=tuple(dict.fromkeys(given))[:_MAX],
        refuses=tuple(dict.fromkeys(refuses))[:_MAX],
    )


def _circumstances(
    call: ToolCall, wording: Wording, but: Collection[str], told: Collection[str] = ()
) -> list[str]:
    """The other arguments of which the statement speaks: the pond of "never in the carp pond"."""
    return [
        _entry(call, name)
        for name, value in call.args.items()
        if name not in but and (name in told or wording.shared(value))
    ]


def _is_named(value: object, finding: PreferenceFinding) -> bool:
    """Whether a value is just what a statement wants or rules out."""
    said = fold(value).strip() if isinstance(value, str) else ""
    return bool(said) and said in map(fold, (*finding.want, *finding.avoid))


def _entry(call: ToolCall, name: str) -> str:
    return f"{call.tool}/{name}={_json(call.args[name])}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _mended(
    call: ToolCall, wanted: Collection[str], before: Sequence[ToolCall]
) -> Iterator[tuple[str, ToolCall]]:
    """The calls of tools of its kind whose argument it set right: moved what they had booked."""
    words = frozenset(words_of_name(call.tool))
    for name in wanted:
        for other in before:
            akin = other.tool != call.tool and words & frozenset(words_of_name(other.tool))
            if akin and name in other.args and other.args[name] != call.args[name]:
                yield name, other


def _told(call: ToolCall, wording: Wording) -> Iterator[tuple[str, int]]:
    """The arguments whose value the statement words; of a switch it words the name."""
    for name, value in call.args.items():
        if _is_switch(value):
            said = wording.clause_of_name(name)
            if said and (not value) == says("negated", said):
                yield name, len(wording.text)
        elif (at := wording.place(value)) >= 0:
            yield name, at


def _wanted(
    call: ToolCall,
    told: Sequence[tuple[int, str]],
    before: Sequence[ToolCall],
    wording: Wording,
    finding: PreferenceFinding,
) -> list[str]:
    """Those of the told arguments that are as the statement wants them."""
    names = [name for _, name in told if _may_settle(call, name, wording, finding)]
    changed = [name for name in names if _was_otherwise(call, name, before)]
    if changed:
        return changed
    if len(told) == 1:
        return names
    exact = [name for name in names if _is_exact(call.args[name])]
    if exact:
        return exact
    last = [name for name in names if _among(call.args[name], finding.want)]
    return last[-1:] if last and last[-1] == told[-1][1] else []


def _may_settle(call: ToolCall, name: str, wording: Wording, finding: PreferenceFinding) -> bool:
    value = call.args[name]
    if finding.lifts:  # what it takes back was in calls before as well
        return not _is_switch(value) and _is_set_anew(value, wording)
    if _is_switch(value):
        return True
    if _is_exact(value):
        liked = says("force", wording.text) or says("liked", wording.clause(value))
        return liked and not says("bounded", wording.text)
    if finding.polarity is Polarity.AGAINST:
        return _among(value, finding.want) or _is_apart(value, name, wording, finding)
    forced = says("force", wording.clause(value)) or says("throughout", wording.text)
    return forced and not _among(value, finding.avoid)


def _is_apart(value: object, name: str, wording: Wording, finding: PreferenceFinding) -> bool:
    """Whether a clause of its own asks for a value by its name: "single spacing, I won't carry"."""
    clause = wording.clause(value)
    own = Wording.read(clause)
    plain = says("force", clause) and not says("negated", clause)
    return plain and (own.names(name) or own.recodes(value)) and not _among(value, finding.avoid)


def _is_set_anew(value: object, wording: Wording) -> bool:
    """Whether a clause says of a value that it holds from now on, and takes nothing back."""
    clause = wording.clause(value)
    return says("force", clause) and not says("negated", clause) and not says("gone", clause)


def _is_switch(value: object) -> bool:
    """Whether a value says yes or no, or nothing at all: only its name can be worded."""
    return isinstance(value, bool) or value in (0, None, "", [], {})


def _is_exact(value: object) -> bool:
    """Whether a value is a switch, a number or a time: such a one tells more than a word."""
    return not isinstance(value, str) or value[:1].isdigit()


def _among(value: object, terms: Sequence[str]) -> bool:
    said = fold(str(value)).strip()
    return any(said in fold(term) for term in terms)


def _was_otherwise(call: ToolCall, name: str, before: Sequence[ToolCall]) -> bool:
    return any(
        one.tool == call.tool and name in one.args and one.args[name] != call.args[name]
        for one in before
    )


def _refused(
    finding: PreferenceFinding, call: ToolCall, after: Sequence[ToolCall], wording: Wording
) -> Iterator[tuple[str, str]]:
    """What a call did that was then undone and is what the statement rules out: name and word."""
    mine = says("myself", wording.text)
    if not mine and not says("negated", wording.text):
        return
    free = Wording.read(" ".join((*(() if mine else finding.want), *finding.except_)))
    for name, value in call.args.items():
        word = wording.shared(value)
        if word and not free.shared(word) and (mine or _undone(call, name, after)):
            yield name, json.dumps(word, ensure_ascii=False)


def _undone(call: ToolCall, name: str, after: Sequence[ToolCall]) -> bool:
    """Whether the same was then done with another value, or something else with the same one."""
    same = [one for one in after if one.tool == call.tool and name in one.args]
    if same:
        return all(one.args[name] != call.args[name] for one in same)
    return any(call.args[name] in one.args.values() for one in after)


def resets(new: Memory, old: Memory) -> bool:
    """Whether a newer statement settles otherwise what an older one settled.

    Both are about one argument under the same circumstances, and share a word besides, or the newer
    says that it corrects or names what the older one wanted.
    """
    one, other = new.preference, old.preference
    newer, older = read_preference(new.content), read_preference(old.content)
    if one is None or other is None or newer is None or older is None:
        return False
    if set(one.given) != set(other.given) or _both_stand(newer, older):
        return False
    said, before = _by_key(one.settles), _by_key(other.settles)
    shared = said.keys() & before.keys()
    if any(said[key] == before[key] for key in shared):
        return False
    wording = Wording.read(new.content)
    if not shared:
        words = [word for values in before.values() for word in values]
        return newer.is_correction and bool(said) and any(map(wording.shared, words))
    return newer.is_correction or bool(wording.shared(old.content))


def inherits(new: Memory, replaced: Sequence[Memory]) -> Memory:
    """The newer statement with what the replaced ones had settled as refused."""
    if new.preference is None:
        return new
    gone = tuple(
        entry
        for old in replaced
        if old.preference is not None and not old.preference.given
        for entry in old.preference.settles
    )
    refuses = tuple(dict.fromkeys((*new.preference.refuses, *gone)))[:_MAX]
    return new.model_copy(
        update={"preference": new.preference.model_copy(update={"refuses": refuses})}
    )


def _by_key(entries: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        key, _, value = entry.partition("=")
        found[key] = (*found.get(key, ()), value)
    return found


def _both_stand(newer: PreferenceFinding, older: PreferenceFinding) -> bool:
    return hold_apart(newer, older) or stands_beside(newer, older)
