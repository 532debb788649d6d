"""Verified paths: which tools, with which arguments, a run that ended well went through.

A path holds no values: only tools, argument names and formats. Runs that went the same way share a
`dedupe_key`, so a path is counted over independent runs where memories are merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Final, cast

from hindsight_core.capture.findings import JudgedCall, argument_text
from hindsight_core.capture.lessons import Situation, evidence_of
from hindsight_core.capture.outcomes import acts
from hindsight_core.capture.undoing import was_undone
from hindsight_core.schema import Candidate, Kind, MemoryKey, MemoryValue, Source, ToolCall
from hindsight_core.text import fold, shorten

__all__ = ["MAX_STEPS", "path_candidate", "path_steps", "tasks_of"]

MAX_STEPS: Final = 12
"""A longer way is not a path that anyone would follow."""
_SHORTEST: Final = 3
_MAX_NAME: Final = 200
_MAX_SAID: Final = 300
_MAX_RESULT: Final = 4_000
_MAX_KNOWN: Final = 20_000


def path_candidate(calls: Sequence[JudgedCall], situation: Situation) -> Candidate | None:
    """Propose the way that a run went, if it is one and it is known what it was for."""
    steps = path_steps(calls)
    if not steps or not situation.task.strip() or was_undone(calls):
        return None
    last = calls[-1].event
    return Candidate(
        scope=last.scope,
        kind=Kind.PATH,
        source=Source.TOOL,
        value=MemoryValue(content=_text(steps, situation), intent=situation.intent),
        key=MemoryKey(
            subject=situation.task_type or "",
            task_type=situation.task_type,
            tool_sequence=tuple(dict.fromkeys(step.tool for step in steps)),
            time=last.at,
        ),
        query=situation.query,
        path=steps,
        evidence=(evidence_of([call for call in calls if call.outcome.ok]),),
        dedupe_key=_key(steps, situation),
    )


def tasks_of(calls: Sequence[JudgedCall]) -> list[list[JudgedCall]]:
    """Part the calls of a run into those of one task each, in their order.

    A request of the user goes on with the last task where a call of it was given what that one was
    given or had found, such as the number of an order; else it is a task of its own.
    """
    tasks: list[list[JudgedCall]] = []
    known = ""
    for _, found in groupby(calls, key=lambda call: call.request):
        own = list(found)
        values = {value for call in own for value in _names_in(call.event.call.args)}
        if tasks and any(value in known for value in values):
            tasks[-1] += own
        else:
            tasks.append(own)
            known = ""
        told = (f"{argument_text(call)} {call.event.result[:_MAX_RESULT]}" for call in own)
        known = fold(" ".join((known[-_MAX_KNOWN:], *told)))
    return tasks


def _names_in(value: object) -> Iterator[str]:
    """The texts among what a call was given that are long enough to be names, folded."""
    if isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _names_in(inner)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        text = fold(str(value)[:_MAX_NAME]).strip()
        if len(text) >= _SHORTEST or not text.isascii():
            yield text


def path_steps(calls: Sequence[JudgedCall]) -> tuple[ToolCall, ...]:
    """Return the successful calls of a run as steps without values; empty if they make no path.

    A step that is repeated at once counts once. A path has at least two different tools and at
    most `MAX_STEPS` steps.
    """
    steps: list[ToolCall] = []
    for call in calls:
        if not call.outcome.ok:
            continue
        made = call.event.call
        step = ToolCall(tool=made.tool, signature=_digest(made.shape), shape=made.shape)
        if not steps or steps[-1] != step:
            steps.append(step)
    if not 2 <= len(steps) <= MAX_STEPS or len({step.tool for step in steps}) < 2:
        return ()
    return tuple(steps)


def _key(steps: Sequence[ToolCall], situation: Situation) -> str:
    """A way that does something is the same in any task; one that only looks belongs to its own."""
    does = any(acts(step.tool) for step in steps)
    kind = situation.task_type or ("" if does else situation.fingerprint)
    return f"path:{kind}:{_digest(' '.join(step.shape for step in steps))}"


def _text(steps: Sequence[ToolCall], situation: Situation) -> str:
    """The steps, and the words by which the user made them the way: by these it is found again."""
    words = situation.words()
    text = words.path.format(steps=" → ".join(f"`{step.shape}`" for step in steps))
    said = shorten(situation.approved.strip(), _MAX_SAID)
    return text + words.approved.format(said=said) if said else text


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
