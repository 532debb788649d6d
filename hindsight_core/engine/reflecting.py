"""One batch of reflection: runs off the queue, questions to a chat model, checked cards to lessons.

A run leaves the queue in the transaction that stores what it taught, so a crash at any step neither
loses a run nor makes a lesson twice.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from hindsight_core.engine.carding import Carding
from hindsight_core.engine.core import Core
from hindsight_core.engine.run_logs import read_log
from hindsight_core.errors import ModelError, ModelRefusedError, StaleError
from hindsight_core.ports_reflection import ChatModel, Spent
from hindsight_core.recall import count_tokens
from hindsight_core.reflect import (
    CARD_SCHEMA,
    SYSTEM,
    Card,
    CardError,
    Prompt,
    Refused,
    RunLog,
    check_card,
    prompts_for,
    read_cards,
)
from hindsight_core.schema import Candidate

__all__ = ["ReflectionReport", "reflect_once"]

logger: Final = logging.getLogger("hindsight_core")
_BATCH: Final = 64
_ANSWER: Final = 2_000
"""Tokens that an answer may have."""
_HOUR: Final = timedelta(hours=1)


@dataclass(slots=True, kw_only=True)
class ReflectionReport:
    """What one batch came to.

    `runs` were taken off the queue; `refused` counts cards by the reason why they were not kept;
    `dropped` answers that were no JSON twice, or that the model refused. `stopped` says why runs
    are left: the budget, or a model that failed.
    """

    at: datetime
    runs: int = 0
    calls: int = 0
    lessons: list[str] = field(default_factory=list[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    dropped: int = 0
    stopped: str = ""


def reflect_once(core: Core, model: ChatModel, carding: Carding) -> ReflectionReport:
    """Reflect on the runs that wait; the caller holds the lease."""
    report = ReflectionReport(at=core.clock())
    logs = [read_log(core, run.run_id) for run in core.store.unreflected(_BATCH)]
    read = [log for log in logs if log is not None]
    idle = [log.run_id for log in read if not log.worth_a_thought]
    if idle:
        _take_off(core, carding, report, idle, [])
    prompts = list(prompts_for(log for log in read if log.worth_a_thought))
    last = {log.run_id: at for at, prompt in enumerate(prompts) for log in prompt.runs}
    waiting: list[Candidate] = []
    for at, prompt in enumerate(prompts):
        try:
            answer = _ask(core, model, prompt, report)
        except ModelError as error:
            core.failsafe.report("reflect", error)
            report.stopped = str(error)
            break
        if answer is None:
            break
        waiting += _checked(answer, prompt.runs, report)
        done = [run_id for run_id, final in last.items() if final == at]
        # Cards of a run that goes on in the next question wait for that one.
        ready = [card for card in waiting if _runs_of(card) <= {r for r in last if last[r] <= at}]
        waiting = [card for card in waiting if card not in ready]
        _take_off(core, carding, report, done, ready)
    return report


def _ask(
    core: Core, model: ChatModel, prompt: Prompt, report: ReflectionReport
) -> list[Card] | None:
    """The cards of an answer; None where the budget is spent. A bad answer is asked for once more.

    Raises `ModelError` when the model cannot be reached.
    """
    said = prompt.text
    for _ in range(2):
        if not _may_spend(core, count_tokens(SYSTEM) + count_tokens(said) + _ANSWER):
            report.stopped = "the hourly budget is spent"
            return None
        report.calls += 1
        try:
            answer = model.answer(SYSTEM, said, schema=CARD_SCHEMA, max_tokens=_ANSWER)
            return read_cards(answer)
        except CardError as error:
            said = f"{prompt.text}\n\nYour last answer was not valid ({error}). Give JSON alone."
        except ModelRefusedError as error:
            logger.warning("reflection: %s", error)
            report.dropped += 1
            return []
    logger.warning("reflection: %s gave no valid JSON twice; its runs are passed over", model.name)
    report.dropped += 1
    return []


def _may_spend(core: Core, tokens: int) -> bool:
    settings, now = core.settings, core.clock()
    most = Spent(
        calls=settings.reflection_calls_per_hour, tokens=settings.reflection_tokens_per_hour
    )
    return core.store.spend(at=now, since=now - _HOUR, tokens=tokens, most=most)


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
    for _ in range(8):
        memories = carding.lessons(cards)
        try:
            core.store.reflect(run_ids, memories, at=core.clock())
        except StaleError:
            # A lesson changed meanwhile, or somebody else has reflected on one of the runs.
            waiting = {run.run_id for run in core.store.unreflected(1_000)}
            run_ids = [run_id for run_id in run_ids if run_id in waiting]
            cards = [card for card in cards if _runs_of(card) <= set(run_ids)]
            if not run_ids:
                return
            continue
        report.runs += len(run_ids)
        report.lessons += [memory.id for memory in memories]
        carding.stored(memories)
        return
