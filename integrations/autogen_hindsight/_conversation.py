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
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from autogen_hindsight._calls import this_task, works_elsewhere
from autogen_hindsight._reading import Reader
from hindsight_core import Place, stable_id

__all__ = ["PEOPLE", "HindsightMemoryConfig", "locate"]

PEOPLE: Final = ("user", "user_proxy")
_MAX_HELD: Final = 1_000


class HindsightMemoryConfig(BaseModel):
    """A `HindsightMemory` as data; `url` is the path or URL of its store."""

    url: str | None = None
    user: str | None = None
    tenant: str | None = None
    agent: str | None = None
    session: str | None = None
    task: str = ""
    task_id: str | None = None
    people: list[str] = list(PEOPLE)
    nested: bool | None = None


@dataclass(frozen=True, slots=True)
class _Begun:
    """A run, its conversation, the how-manieth it is of its kind, and by whom it was begun."""

    run_id: str
    session: str
    times: int
    task: weakref.ref[asyncio.Task[Any]] | None
    reader: weakref.ref[Reader]

    def goes_on_elsewhere(self) -> bool:
        """Whether the agent that began it is still at work on it, in another task."""
        reader = self.reader()
        return reader is not None and not reader.answered and works_elsewhere(self.task)


_begun: OrderedDict[str, _Begun] = OrderedDict()
_lock = threading.Lock()


def locate(
    config: HindsightMemoryConfig, outer: str, reader: Reader, session: str | None
) -> tuple[str, Place]:
    """The id of the run that answers what was read last, and where it goes on.

    `outer` is the run of the agent inside of whose tool this one works, and `session` the
    conversation as far as it is known.
    """
    last = reader.last
    whom = (config.url, config.tenant, config.user, config.agent)
    if config.task_id:
        session = config.task_id
        run_id = stable_id("ag-", *whom, "task", config.task_id)
    else:
        begun = _find((*whom, outer), reader, session)
        session, run_id = begun.session, begun.run_id
    return run_id, Place(
        user=config.user,
        tenant=config.tenant,
        session=session,
        task=config.task or (last.text if last else reader.first),
        nested=bool(outer) if config.nested is None else config.nested,
    )


def _find(place: tuple[str | None, ...], reader: Reader, session: str | None) -> _Begun:
    """A new run, or one that another agent has begun for the same message.

    A conversation with a name has the same ids in another process, where it is resumed.
    """
    last = reader.last
    asked = (str(last.number), last.text) if last else ("0", reader.first)
    where = stable_id("", *place, *asked)
    with _lock:
        known = _begun.get(where)
        if (
            known is not None
            and session in (None, known.session)
            and (reader.others_spoke or known.goes_on_elsewhere())
        ):
            return known
        times = known.times + 1 if known else 0
        session = session or uuid.uuid4().hex
        run_id = stable_id("ag-", *place, session, *asked, str(times))
        _begun[where] = _Begun(run_id, session, times, this_task(), weakref.ref(reader))
        _begun.move_to_end(where)
        while len(_begun) > _MAX_HELD:
            _begun.popitem(last=False)
        return _begun[where]
