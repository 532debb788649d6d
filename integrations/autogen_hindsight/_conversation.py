"""Which run an agent's turn belongs to, where the framework has no ids to tell.

A run is all that is done about one message of a person, by however many agents. They are found to
be in one conversation by what each of them sees: the same message at the same place, and after it
either the words of others or another agent that is still at work.
"""

from __future__ import annotations

import asyncio
import threading
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from autogen_hindsight._reading import Reader
from hindsight_core import Place, stable_id

__all__ = ["TapOptions", "locate"]

_MAX_HELD: Final = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class TapOptions:
    """For whom a context is watched; see `HindsightMemory`.

    `details` is set once the agents have the tool `memory_details`.
    """

    place: Place
    people: frozenset[str]
    agent: str | None = None
    task_id: str | None = None
    nested: bool | None = None
    details: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A run, its conversation, the how-manieth it is of its kind, and where it was begun."""

    run_id: str
    session: str
    times: int
    task: weakref.ref[asyncio.Task[Any]] | None

    def goes_on_elsewhere(self) -> bool:
        task = self.task() if self.task else None
        return task is not None and not task.done() and task is not asyncio.current_task()


_begun: OrderedDict[tuple[str | None, ...], _Begun] = OrderedDict()
_lock = threading.Lock()


def locate(
    options: TapOptions, url: str, outer: str, reader: Reader, session: str | None
) -> tuple[str, Place]:
    """The id of the run that answers what was read last, and where it goes on.

    `url` is the store, `outer` the run of the agent inside of whose tool this one works, and
    `session` the conversation as far as it is known.
    """
    place, last = options.place, reader.last
    whom = (url, place.tenant, place.user, options.agent)
    if options.task_id:
        session = options.task_id
        run_id = stable_id("ag-", *whom, "task", options.task_id)
    else:
        begun = _find((*whom, outer), reader, session)
        session, run_id = begun.session, begun.run_id
    return run_id, replace(
        place,
        session=session,
        task=place.task or (last.text if last else reader.first),
        nested=bool(outer) if options.nested is None else options.nested,
    )


def _find(place: Sequence[str | None], reader: Reader, session: str | None) -> _Begun:
    """A new run, or one that another agent has begun for the same message.

    A conversation with a name has the same ids in another process, where it is resumed.
    """
    last = reader.last
    number, text = (str(last.number), last.text) if last else ("0", reader.first)
    where = (*place, number, text)
    with _lock:
        known = _begun.get(where)
        if (
            known is not None
            and session in (None, known.session)
            and (reader.others_spoke or known.goes_on_elsewhere())
        ):
            return known
        current = asyncio.current_task()
        times = known.times + 1 if known else 0
        session = session or uuid.uuid4().hex
        run_id = stable_id("ag-", *place, session, number, text, str(times))
        _begun[where] = _Begun(run_id, session, times, current and weakref.ref(current))
        _begun.move_to_end(where)
        while len(_begun) > _MAX_HELD:
            _begun.popitem(last=False)
        return _begun[where]
