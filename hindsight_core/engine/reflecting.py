"""One batch of reflection: runs off the queue, questions to a chat model, checked cards to lessons.

A run leaves the queue in the transaction that stores what it taught, so a crash at any step neither
loses a run nor makes a lesson twice.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from hindsight_core.engine.asking import (
    ANSWER_TOKENS,
    Asker,
    NotAskedError,
    Question,
    RejectedError,
    UnusableError,
)
from hindsight_core.engine.carding import Carding
from hindsight_core.engine.core import Core
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.engine.run_logs import read_log
from hindsight_core.errors import ModelError, StoreCorruptError
from hindsight_core.recall import count_tokens
from hindsight_core.reflect import (
    CARD_SCHEMA,
    SYSTEM,
    Card,
    Refused,
    Room,
    RunLog,
    check_card,
    prompts_for,
    read_cards,
)
from hindsight_core.schema import Candidate, Status
from hindsight_core.settings import Settings

__all__ = ["ReflectionReport", "reflect_once"]

logger: Final = logging.getLogger("hindsight_core")
_BATCH: Final = 64
_LARGEST: Final = 6_000
"""Tokens of logs that one question may hold."""
_SMALLEST: Final = 1_500
_MOST_PARTS: Final = 4


@dataclass(slots=True, kw_only=True)
class ReflectionReport:
    """What one batch came to.

    `runs` were taken off the queue; `lessons` are the ids of those that were made or added to, of
    which the guard holds `held` back; `refused` counts cards by the reason why they were not kept;
    `dropped` questions that the model refused or answered with no JSON twice, or that the server
    rejected while it took others. `stopped` says why runs are left: the budget, or a model that
    failed.
    """

    at: datetime
    runs: int = 0
    calls: int = 0
    lessons: list[str] = field(default_factory=list[str])
    held: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    dropped: int = 0
    stopped: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return {
            "at": self.at.isoformat(),
            "runs": self.runs,
            "calls": self.calls,
            "lessons": self.lessons,
            "held": self.held,
            "refused": dict(self.refused),
            "dropped": self.dropped,
            "stopped": self.stopped,
        }


def reflect_once(core: Core, asker: Asker, carding: Carding) -> ReflectionReport:
    """Reflect on the runs that wait; the caller holds the lease."""
    report = ReflectionReport(at=core.clock())
    logs, nothing = _read(core)
    if nothing:
        _take_off(core, carding, report, nothing, [])
    prompts = list(prompts_for(logs.values(), _room(core.settings)))
    last = {log.run_id: at for at, prompt in enumerate(prompts) for log in prompt.runs}
    finished: set[str] = set()
    waiting: list[Candidate] = []
    rejected: dict[int, str] = {}
    answered = False

    def finish(at: int) -> None:
        nonlocal waiting
        done = [run_id for run_id, final in last.items() if final == at]
        finished.update(done)
        # Cards of a run that goes on in the next question wait for that one.
        ready = [card for card in waiting if _runs_of(card) <= finished]
        waiting = [card for card in waiting if card not in ready]
        _take_off(core, carding, report, done, ready)

    for at, prompt in enumerate(prompts):
        question = Question(system=SYSTEM, text=prompt.text, schema=CARD_SCHEMA)
        cards: list[Card] = []
        try:
            cards = asker.ask(question, read_cards)
        except RejectedError as error:
            rejected[at] = str(error)
            continue
        except UnusableError as error:
            logger.warning("reflection: %s; its runs are passed over", error)
            report.dropped += 1
        except NotAskedError as error:
            report.stopped = str(error)
            break
        except ModelError as error:
            core.failsafe.report("reflect", error)
            report.stopped = str(error)
            break
        finally:
            report.calls = asker.calls
        answered = True
        # A part shows some calls of a run; what a card says of them is checked against all.
        waiting += _checked(cards, [logs[part.run_id] for part in prompt.runs], report)
        finish(at)
    for at, error in rejected.items():
        if answered:  # others were taken, so it is this question's fault
            logger.warning("reflection: %s; its runs are passed over", error)
            report.dropped += 1
            finish(at)
        else:
            report.stopped = report.stopped or error
    return report


def _read(core: Core) -> tuple[dict[str, RunLog], list[str]]:
    """The logs of the runs that wait, and the runs in which there is nothing to think about."""
    logs: dict[str, RunLog] = {}
    nothing: list[str] = []
    for run in core.store.unreflected(_BATCH):
        try:
            log = read_log(core, run.run_id)
        except StoreCorruptError as error:
            core.failsafe.report("reflect", error)  # one damaged run must not hold up the queue
            log = None
        if log is not None and log.worth_a_thought:
            logs[run.run_id] = log
        else:
            nothing.append(run.run_id)
    return logs, nothing


def _room(settings: Settings) -> Room:
    """How much to ask at once, so that one run never needs more than half the budget of an hour."""
    fixed = count_tokens(SYSTEM) + ANSWER_TOKENS
    parts = max(1, min(_MOST_PARTS, settings.reflection_calls_per_hour // 2))
    tokens = settings.reflection_tokens_per_hour // 2
    while parts > 1 and tokens // parts - fixed < _SMALLEST:
        parts -= 1
    size = min(_LARGEST, max(_SMALLEST, tokens // parts - fixed))
    return Room(size=size, parts=parts, measure=count_tokens)


def _checked(
    cards: Iterable[Card], runs: Sequence[RunLog], report: ReflectionReport
) -> list[Candidate]:
    kept: list[Candidate] = []
    for card in cards:
        result = check_card(card, runs)
        if isinstance(result, Refused):
            report.refused[result.reason] += 1
        else:
            kept.append(result)
    return kept


def _runs_of(card: Candidate) -> set[str]:
    return {one.run_id for one in card.evidence}


def _take_off(
    core: Core,
    carding: Carding,
    report: ReflectionReport,
    run_ids: Sequence[str],
    cards: Sequence[Candidate],
) -> None:
    """Store what runs taught and take them off the queue, unless another process did meanwhile."""

    def change() -> None:  # again, where a lesson changed or somebody else reflected meanwhile
        waiting = {run.run_id for run in core.store.unreflected(1_000)}
        left = [run_id for run_id in run_ids if run_id in waiting]
        if not left:
            return
        memories = carding.lessons([card for card in cards if _runs_of(card) <= set(left)])
        stored = core.store.reflect(left, memories, at=core.clock())
        report.runs += len(left)
        made = dict.fromkeys(one.id for one in stored)  # two cards may have come to one record
        report.lessons += [memory_id for memory_id in made if memory_id not in report.lessons]
        report.held += sum(m.id in made and m.status is Status.QUARANTINED for m in memories)
        carding.stored(memories)

    repeat_while_stale(change)
