"""Checks a card against what really happened, before the guard judges it like any candidate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from hindsight_core.reflect.cards import Card
from hindsight_core.reflect.logs import LoggedCall, RunLog
from hindsight_core.schema import (
    Candidate,
    Correction,
    Evidence,
    Kind,
    Lesson,
    MemoryKey,
    MemoryValue,
    Mistake,
    Source,
    Trigger,
)
from hindsight_core.text import clean, count_cjk, shorten, terms

__all__ = ["Refused", "card_text", "check_card"]

_NAMED: Final = re.compile(
    r"`([^`\n]{1,80})`"
    r"|(?<![A-Za-z0-9_.])([A-Za-z_][A-Za-z0-9_.-]{2,60})\("
    # Without marks: snake_case, camelCase and dotted.names, as no word of a language is written.
    r"|(?<![A-Za-z0-9_.])([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"
    r"|[a-z]{2,}(?:[A-Z][a-z]+)+"
    r"|[a-z]{3,}(?:\.[a-z]{3,})+)(?![A-Za-z0-9_])"
)
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_MAX_KEYWORDS: Final = 12
_LEAST: Final = 0.3
"""A card that its own writer believes less is not kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Why a card is not kept."""

    reason: str


def check_card(card: Card, runs: Sequence[RunLog]) -> Candidate | Refused:
    """Turn a card into a candidate lesson, or say why not.

    The calls that it names must have happened, the mistaken one must have failed (or the run have
    ended badly), by a cause that the agent could decide about; names in its texts must occur in
    the run. A correction is proven only by a later call of the run that worked. The source is the
    agent's channel, since a model wrote the words.
    """
    run = runs[card.run - 1] if 0 < card.run <= len(runs) else None
    if run is None or any(not 0 < number <= len(runs) for number in card.runs):
        return Refused(reason="names a run that was not shown")
    calls = {call.number: call for call in run.calls}
    mistake = calls.get(card.mistake)
    fix = calls.get(card.fix) if card.fix is not None else None
    if mistake is None or (card.fix is not None and fix is None):
        return Refused(reason="names a call that never happened")
    if reason := _why_not(card, run, mistake, fix):
        return Refused(reason=reason)
    return _candidate(card, runs, run, mistake, fix)


def _why_not(card: Card, run: RunLog, mistake: LoggedCall, fix: LoggedCall | None) -> str:
    if not card.decidable or mistake.transient:
        return "is about a cause outside the agent's hands"
    if mistake.ok and run.good is not False:
        return "calls a mistake what worked in a run that did not end badly"
    if fix is not None and (fix.number <= mistake.number or not fix.ok):
        return "gives for a correction what came before, or failed as well"
    if fix is not None and fix.call.signature == mistake.call.signature:
        return "gives the mistake itself for its correction"
    if card.confidence < _LEAST:
        return "is not believed by its own writer"
    unknown = _unknown(card, run)
    return f"names {unknown!r}, which never happened" if unknown else ""


def _unknown(card: Card, run: RunLog) -> str:
    """The first name in the card's texts that stands nowhere in the run."""
    shown = "\n".join([run.head(), *(call.line() for call in run.calls)])
    known = {word.lower() for word in _WORD.findall(shown)}
    for text in (card.wrong, card.instead, card.notice):
        for quoted, called, plain in _NAMED.findall(text):
            for word in _WORD.findall(quoted or called or plain):
                if word.lower() not in known and word.lower() not in _PLAIN:
                    return str(word)
    return ""


_PLAIN: Final = frozenset(("true", "false", "null", "none"))


def _candidate(
    card: Card,
    runs: Sequence[RunLog],
    run: RunLog,
    mistake: LoggedCall,
    fix: LoggedCall | None,
) -> Candidate:
    tool = mistake.call.tool
    tools = (tool,) if fix is None or fix.call.tool == tool else (tool, fix.call.tool)
    wrong, instead, notice = (_line(t) for t in (card.wrong, card.instead, card.notice))
    lesson = Lesson(
        trigger=Trigger(
            task_type=run.task_type,
            tool_sequence=tools,
            context_keywords=tuple(dict.fromkeys(terms(notice)))[:_MAX_KEYWORDS],
        ),
        mistake=Mistake(
            action=f"`{tool}`: {wrong}",
            consequence=shorten(mistake.message, 300),
            error_class=mistake.error_class,
            calls=(mistake.call,),
        ),
        correction=Correction(
            action=instead,
            precondition=notice,
            calls=(fix.call,) if fix else (),
            proven=fix is not None,
        ),
        domain=card.domain or "general",
    )
    seen = dict.fromkeys([card.run, *card.runs])
    ids = tuple(call.call.call_id for call in (mistake, fix) if call and call.call.call_id)
    note = f"reflection, confidence {card.confidence:.2f}"
    return Candidate(
        scope=run.scope,
        kind=Kind.LESSON,
        source=Source.AGENT,
        value=MemoryValue(
            content=card_text(tool, wrong, instead, proven=fix is not None),
            intent=shorten(run.task, 300),
            resolution=notice,
            correction=instead,
        ),
        key=MemoryKey(subject=tool, task_type=run.task_type, tool_sequence=tools),
        query=shorten(run.task, 2_000),
        lesson=lesson,
        lineage=run.lessons,
        evidence=tuple(
            Evidence(
                run_id=runs[number - 1].run_id,
                call_ids=ids if number == card.run else (),
                note=note,
            )
            for number in seen
        ),
        dedupe_key=f"card:{_digest(f'{run.task_type}{mistake.call.signature}')}",
    )


def card_text(tool: str, wrong: str, instead: str, *, proven: bool) -> str:
    """The lesson in the card's language; what no run saw work says so."""
    if count_cjk(wrong):
        return f"`{tool}`：{wrong} 应改为：{instead}{'' if proven else '（尚未试过）'}"
    return f"`{tool}`: {wrong} Instead: {instead}{'' if proven else ' (unproven)'}"


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
