"""What the memory did in one run: what was shown, what was obeyed, what it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from hindsight_core.capture import Judgement, judge_run
from hindsight_core.events import BlockShown, CallFlagged, Event, ToolCalled
from hindsight_core.ledger import Act, acts_about, judge_uses, recalled_ids
from hindsight_core.ports import Store
from hindsight_core.ports_ledger import MemoryUse, Verdict
from hindsight_core.schema import Kind, Memory, Record, Scope, Time, ToolCall

__all__ = ["Decision", "ShownMemory", "account_of_run"]


class ShownMemory(Record):
    """A memory that a run was shown, and whether the run obeyed it.

    `by` says where: in the block before the model, or by the gate at a call. `obeyed` is None where
    no occasion came. `repeats` counts how often the mistake was made all the same. The content is
    empty when the memory is gone; `good` is how the run ended.
    """

    memory_id: str
    kind: Kind | None = None
    content: str = ""
    by: tuple[Literal["block", "gate"], ...] = ()
    withheld: bool = False
    verdict: Verdict
    obeyed: bool | None = None
    repeats: int = 0
    good: bool | None = None


class Decision(Record):
    """A call at which a memory had a say.

    `gate` is the gate's action, empty where the gate was silent. `outcome` is what became of the
    call. `changed` says that the run did otherwise than without the memory, as far as can be seen:
    it took a correction that it was shown, or let a flagged call be.
    """

    at: Time
    call: ToolCall
    gate: str = ""
    memory_ids: tuple[str, ...] = ()
    outcome: Literal["worked", "failed", "not_run", "unknown"] = "unknown"
    changed: bool = False


def account_of_run(
    store: Store, scope: Scope, run_id: str, events: Sequence[Event]
) -> tuple[tuple[ShownMemory, ...], tuple[Decision, ...]]:
    """Return what a run was shown and the decisions at which that had a say.

    Of a run that is judged the ledger tells; one that still goes on is judged for this answer. Of a
    run whose transcript was pruned only the ledger is left.
    """
    lines = {line.memory_id: line for line in store.uses(scope, run_id=run_id)}
    ids = dict.fromkeys((*recalled_ids(events), *lines))
    memories = {memory.id: memory for memory in store.get(scope, list(ids))}
    judgement = judge_run(events) if events else Judgement()
    known = list(memories.values())
    for use in judge_uses(events, known, judgement.calls, good=judgement.good):
        lines.setdefault(use.memory_id, use)
    shown = tuple(_shown(lines[one], memories.get(one), events) for one in ids if one in lines)
    acts = acts_about(events, known, judgement.calls)
    return shown, tuple(_decisions(events, judgement, acts))


def _shown(line: MemoryUse, memory: Memory | None, events: Sequence[Event]) -> ShownMemory:
    block = any(isinstance(e, BlockShown) and line.memory_id in e.memory_ids for e in events)
    gate = any(isinstance(e, CallFlagged) and line.memory_id in e.memory_ids for e in events)
    return ShownMemory(
        memory_id=line.memory_id,
        kind=memory.kind if memory else None,
        content=memory.content if memory else "",
        by=(*(("block",) if block else ()), *(("gate",) if gate else ())),
        withheld=line.withheld,
        verdict=line.verdict,
        obeyed=None if line.verdict is Verdict.NEITHER else line.verdict is Verdict.TAKEN,
        repeats=line.repeats,
        good=line.good,
    )


def _decisions(
    events: Sequence[Event], judgement: Judgement, acts: Mapping[str, Sequence[Act]]
) -> list[Decision]:
    ok = {call.key: call.ok for call in judgement.calls}
    told: dict[int, dict[str, Verdict]] = {}
    for memory_id, done in acts.items():
        for act in done:
            told.setdefault(act.at, {})[memory_id] = act.verdict
    found: list[Decision] = []
    flagged: dict[tuple[str, str | None], CallFlagged] = {}
    for place, event in enumerate(events):
        if isinstance(event, CallFlagged):
            flagged[_attempt(event.call)] = event
            if not _runs_later(event.call, events[place + 1 :]):
                found.append(_decision(event, event, told.get(place, {}), None))
        elif isinstance(event, ToolCalled):
            flag = flagged.pop(_attempt(event.call), None)
            if flag is not None or place in told:
                found.append(_decision(event, flag, told.get(place, {}), ok.get(event.key)))
    return found


def _decision(
    event: Any, flag: CallFlagged | None, told: Mapping[str, Verdict], ok: bool | None
) -> Decision:
    ran = isinstance(event, ToolCalled)
    return Decision(
        at=event.at,
        call=event.call,
        gate=flag.action if flag else "",
        memory_ids=tuple(dict.fromkeys((*(flag.memory_ids if flag else ()), *told))),
        outcome=("unknown" if ok is None else "worked" if ok else "failed") if ran else "not_run",
        changed=any(verdict is Verdict.TAKEN for verdict in told.values())
        or (not ran and flag is not None and flag.action in ("block", "confirm")),
    )


def _attempt(call: ToolCall) -> tuple[str, str | None]:
    return call.signature, call.call_id


def _runs_later(call: ToolCall, later: Sequence[Event]) -> bool:
    return any(
        isinstance(event, ToolCalled) and _attempt(event.call) == _attempt(call) for event in later
    )
