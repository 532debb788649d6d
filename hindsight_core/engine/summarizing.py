"""Makes one record of a session: its runs read back, summed up, judged by the guard, stored."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from hindsight_core.capture import Redactor, entities_of, judge_run, outcome_of
from hindsight_core.engine.admitting import verdict_on
from hindsight_core.engine.asking import Asker, NotAskedError, Question, UnusableError
from hindsight_core.engine.core import Core
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.errors import InvalidMemoryError, ModelError, NotFoundError, StaleError
from hindsight_core.events import AgentSaid, Event, RunStarted, ToolCalled, UserSaid
from hindsight_core.guard import Decision, Verdict
from hindsight_core.recall import count_tokens, strip_blocks
from hindsight_core.reflect import (
    SUMMARY_SCHEMA,
    SUMMARY_SYSTEM,
    SessionLog,
    Summary,
    read_summary,
    session_text,
    summary_by_rules,
)
from hindsight_core.schema import (
    Candidate,
    Evidence,
    Kind,
    Memory,
    MemoryKey,
    MemoryValue,
    Scope,
    Source,
    Status,
    Tier,
    check_text,
)
from hindsight_core.text import shorten

__all__ = ["SUMMARY_SUBJECT", "summarize"]

logger: Final = logging.getLogger("hindsight_core")
SUMMARY_SUBJECT: Final = "session"
_ROOM: Final = 6_000
"""Tokens of a session that a model is shown."""
_WORSE: Final = (
    Decision.ADMITTED,
    Decision.ADVICE_ONLY,
    Decision.QUARANTINED,
    Decision.REFUSED,
)
_RESULT: Final = 200


def summarize(
    core: Core, intake: Intake, asker: Asker | None, scope: Scope, session: str
) -> Memory:
    """Make the record of a session, or renew the one that stands; see `Hindsight.summarize`."""
    check_text("session", session, limit=512)
    log = _read(core, scope, session)
    home = scope.model_copy(update={"session": None})
    by_rules, verdict = _by_rules(core, home, log)
    summaries = [by_rules]
    if asker is not None and (asked := _ask(core, asker, log)) is not None:
        summaries.insert(0, asked)
    held: Memory | None = None
    for summary in summaries:
        candidate = _candidate(home, session, log, summary)
        judged = verdict if summary is by_rules else None
        memory = intake.admit(candidate, actor="reflection", verdict=judged)
        if memory is not None and memory.status is Status.ACTIVE:
            return _store(core, memory, log)
        held = memory or held
    if held is None:
        raise InvalidMemoryError(
            "session", "its summary was refused by the guard", "'hindsight-core audit' tells why"
        )
    return _store(core, held, log)


def _by_rules(core: Core, scope: Scope, log: SessionLog) -> tuple[Summary, Verdict]:
    """The summary by rules, and the verdict on its parts: the user's words, and the agent's.

    The sentences around them are ours: read as one note of an agent, an order of the user is taken
    for planted advice. An answer of the agent that the guard would hold back is left out.
    """
    verdicts = [_judged(core, scope, Source.USER, "\n".join(log.asks))]
    if log.answers:
        verdict = _judged(core, scope, Source.AGENT, log.answers[-1])
        if verdict.decision in (Decision.ADMITTED, Decision.ADVICE_ONLY):
            verdicts.append(verdict)
        else:
            log = replace(log, answers=())
    worst = max(verdicts, key=lambda verdict: _WORSE.index(verdict.decision))
    trust = min(Source.AGENT.trust, *(verdict.trust for verdict in verdicts))
    return summary_by_rules(log, entities_of), replace(worst, trust=trust)


def _judged(core: Core, scope: Scope, source: Source, text: str) -> Verdict:
    value = MemoryValue(content=text)
    return verdict_on(core, Candidate(scope=scope, kind=Kind.FACT, source=source, value=value))


def _ask(core: Core, asker: Asker, log: SessionLog) -> Summary | None:
    """The model's summary; None where there is none, and the rules do."""
    text = session_text(log, room=_ROOM, measure=count_tokens)
    question = Question(system=SUMMARY_SYSTEM, text=text, schema=SUMMARY_SCHEMA)
    try:
        return asker.ask(question, lambda answer: read_summary(answer, log))
    except (UnusableError, NotAskedError) as error:
        logger.warning("a session is summed up by rules: %s", error)
    except ModelError as error:
        core.failsafe.report("summarize", error)
    return None


def _read(core: Core, scope: Scope, session: str) -> SessionLog:
    runs = core.store.session_runs(scope, session)
    events = [event for run in runs for event in core.store.events(run.run_id)]
    lines = list(_lines(events))
    tasks = [e.task for e in events if isinstance(e, RunStarted) and e.task and not e.nested]
    said = [e.text for e in events if isinstance(e, UserSaid) and not e.nested]
    asks = [text for text in map(strip_blocks, said or tasks) if text.strip()]
    if not asks:
        raise NotFoundError(
            f"{session!r}: no run of that session is kept in this scope. Runs are kept for "
            "Settings.keep_runs_days; name the session as it was given to 'run'"
        )
    calls = [e for e in events if isinstance(e, ToolCalled)]
    judgements = [judge_run(core.store.events(run.run_id)).good for run in runs]
    known = [good for good in judgements if good is not None]
    return SessionLog(
        run_ids=tuple(run.run_id for run in runs),
        begun=min(run.first_at for run in runs),
        ended=max(run.last_at for run in runs),
        lines=tuple(lines),
        asks=tuple(asks),
        answers=tuple(e.text for e in events if isinstance(e, AgentSaid) and e.text.strip()),
        worked=tuple(dict.fromkeys(e.call.tool for e in calls if outcome_of(e).ok)),
        failed=tuple(dict.fromkeys(e.call.tool for e in calls if not outcome_of(e).ok)),
        good=known[-1] if known else None,
    )


def _lines(events: list[Event]) -> Iterator[str]:
    for event in events:
        match event:
            case RunStarted() if event.task and not event.nested:
                yield f"Task: {strip_blocks(event.task)}"
            case UserSaid() if not event.nested:
                yield f"User: {strip_blocks(event.text)}"
            case AgentSaid():
                yield f"Agent: {strip_blocks(event.text)}"
            case ToolCalled():
                came = "ok" if outcome_of(event).ok else "FAILED"
                yield f"Tool {event.call.tool}({event.call.args}) -> {came}: " + shorten(
                    event.result, _RESULT
                )
            case _:
                continue


def _candidate(scope: Scope, session: str, log: SessionLog, summary: Summary) -> Candidate:
    """The agent's channel: its words, or a model's, stand beside those of the user."""
    clean = Redactor().text
    mark = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return Candidate(
        scope=scope,
        kind=Kind.FACT,
        source=Source.AGENT,
        tier=Tier.SHORT,
        value=MemoryValue(
            content=clean(summary.content),
            intent=clean(summary.intent),
            resolution=clean(summary.resolution),
        ),
        key=MemoryKey(
            subject=SUMMARY_SUBJECT,
            entities=tuple(map(clean, summary.entities)),
            tool_sequence=log.worked,
            time=log.begun,
        ),
        query=clean(summary.intent),
        evidence=tuple(
            Evidence(run_id=run_id, at=log.ended, note="session") for run_id in log.run_ids[-32:]
        ),
        dedupe_key=f"session:{mark}",
    )


def _store(core: Core, memory: Memory, log: SessionLog) -> Memory:
    """Store the record, or write it over the one of the same session."""
    # What tools said went into it, and trust is the least of its sources.
    if log.worked or log.failed:
        memory = memory.model_copy(update={"trust": min(memory.trust, Source.TOOL.trust)})

    def change() -> Memory:
        known = core.store.find(memory.scope, [memory.dedupe_key])
        new = memory
        if known:
            old = known[0]
            if (old.value, old.key, old.status) == (memory.value, memory.key, memory.status):
                return old
            kept = {"id": old.id, "created_at": old.created_at, "revision": old.revision + 1}
            new = memory.model_copy(update=kept)
        result = core.store.put([new])[0]
        if not known and not result.created:
            raise StaleError("somebody else wrote the record of this session at the same moment")
        core.generation += 1
        return core.store.get(new.scope, [new.id])[0]

    return repeat_while_stale(change)
