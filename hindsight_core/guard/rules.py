"""Which ideas must not meet in one sentence of a text that nobody vouches for.

A rule names concepts of the lexicons that stand close together. It says nothing about words, so
one rule holds for every language that has a lexicon. `judge_text` is pure and linear.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from hindsight_core.guard import commands
from hindsight_core.guard.phrases import Hit
from hindsight_core.guard.reading import Reading, Sentence
from hindsight_core.guard.roles import role_markers
from hindsight_core.guard.rule import Finding, Gravity, Rule
from hindsight_core.guard.rules_planted import PLANTED

__all__ = [
    "RULES",
    "Finding",
    "Gravity",
    "Rule",
    "findings_of",
    "judge_text",
    "meets",
    "role_markers",
]


_REFUSE: Final = Gravity.REFUSE

_COMMANDS: Final = tuple(
    (Finding(reason=reason, gravity=Gravity.QUARANTINE, firm=True), shows)
    for reason, shows in (
        ("runs code from the network", commands.runs_fetched_code),
        ("sends what it shows by an image", commands.leaks_by_image),
        ("hands out a credential", commands.hands_out_credential),
    )
)


def _accounts() -> Iterator[Rule]:
    """Who is paid only the user or an operator says, however it is put."""
    reason = "names an account"
    ways = (("rightful", "wallet"), ("pay", "wallet"), ("account", "states", "wallet"))
    ways += (("rightful", "account", "digits"), ("pay", "account", "digits"))
    ways += (("payee", "pay", "digits"), ("payee", "pay", "mailbox"))
    for needs in (*ways, ("account", "states", "digits")):
        ordered = "states" in needs
        yield Rule(
            reason=reason, needs=needs, ordered=ordered, unless=("failing", "protect"), firm=True
        )
    # A failure excuses the account that failed, and not the one that is named in its place.
    yield Rule(reason=reason, needs=("failing", "change", "wallet"), ordered=True, firm=True)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        reason="overrides instructions",
        needs=("dismiss", "instructions"),
        gravity=_REFUSE,
        span=8,
        unless=("protect", "machinery"),
    ),
    Rule(reason="claims to be unbound", needs=("unbound",), gravity=_REFUSE, unless=("protect",)),
    *(
        Rule(
            reason="claims to be unbound",
            needs=(whom, "unlimited"),
            gravity=_REFUSE,
            unless=("protect",),
        )
        for whom in ("persona", "assistant")
    ),
    Rule(
        reason="lifts the assistant's rules",
        needs=("dismiss", "own_rules"),
        gravity=_REFUSE,
        span=6,
        ordered=True,
        unless=("protect",),
        firm=True,
    ),
    Rule(reason="asks to decode and obey", needs=("decode",), gravity=_REFUSE),
    Rule(reason="lies dormant", needs=("dormant", "trigger"), gravity=_REFUSE, span=30),
    Rule(
        reason="approves on a trigger", needs=("trigger", "approve"), gravity=_REFUSE, ordered=True
    ),
    Rule(
        reason="leaks on a trigger", needs=("trigger", "send", "outside"), gravity=_REFUSE, span=24
    ),
    Rule(
        reason="answers falsely on a trigger",
        needs=("trigger", "answer", "slant"),
        gravity=_REFUSE,
        span=20,
    ),
    Rule(
        reason="grants a right on a trigger",
        needs=("trigger", "grant", "privilege"),
        gravity=_REFUSE,
        span=16,
    ),
    Rule(
        reason="lifts the instructions",
        needs=("dismiss", "prior"),
        gravity=_REFUSE,
        span=7,
        ordered=True,
        unless=("protect", "machinery"),
        firm=True,
    ),
    Rule(
        reason="disregards the user",
        needs=("dismiss", "principal"),
        span=4,
        ordered=True,
        unless=("protect",),
    ),
    *_accounts(),
    Rule(reason="disowns the user", needs=("disowned",), unless=("protect",), firm=True),
    Rule(reason="appoints", needs=("appoints",), unless=("protect", "asking"), firm=True),
    Rule(
        reason="keeps a secret in the clear",
        needs=("plaintext", "secret", "keep"),
        unless=("protect",),
        firm=True,
    ),
    Rule(
        reason="keeps personal data in the clear",
        needs=("plaintext", "personal", "keep"),
        unless=("protect",),
        firm=True,
    ),
    Rule(reason="turns a check off", needs=("check_off",), unless=("protect",), firm=True),
    Rule(reason="sets a credential", needs=("rightful", "secret", "states"), unless=("protect",)),
    Rule(reason="sets an endpoint", needs=("rightful", "endpoint", "states"), unless=("protect",)),
    Rule(reason="drops a check", needs=("drop", "check"), span=7, unless=("protect",)),
    Rule(reason="sends a secret", needs=("send", "secret"), span=10, unless=("protect",)),
    Rule(
        reason="sends personal data out",
        needs=("send", "personal", "outside"),
        span=20,
        unless=("protect",),
    ),
    Rule(reason="changes a credential", needs=("change", "secret"), span=6, unless=("protect",)),
    Rule(reason="changes an endpoint", needs=("change", "endpoint"), span=10, unless=("protect",)),
    Rule(reason="changes a payee", needs=("change", "payee"), span=12, unless=("protect",)),
    Rule(reason="changes a permission", needs=("grant", "privilege"), span=8, unless=("protect",)),
    Rule(reason="installs without a check", needs=("unsafe_install",), unless=("protect",)),
    Rule(reason="acts covertly", needs=("covert",), unless=("protect",)),
    Rule(reason="shifts authority", needs=("authority_shift",), unless=("protect",)),
    Rule(
        reason="sets a norm for assistants",
        needs=("assistant", "norm"),
        span=14,
        unless=("protect",),
    ),
    Rule(reason="steers answers", needs=("answer", "slant"), span=8, unless=("protect",)),
    Rule(reason="claims corroboration", needs=("corroborated",), unless=("protect",)),
    Rule(reason="swaps identities", needs=("swap", "personal"), span=20),
    *PLANTED,
)


_NEGATED_BY: Final = 5
"""How many tokens before a phrase a negator still governs it."""
_HARM: Final = frozenset(
    {
        *("drop", "send", "change", "grant", "approve", "destroy", "unsafe_install", "dismiss"),
        *("pay", "keep", "plaintext", "check_off", "appoints"),
        *("defeats", "clears", "replicates", "raised", "forges"),
    }
)
_RIGHTS: Final = frozenset({"grant", "approve", "privilege"})
"""What is not there where the text says that it is lacking ("has no right to approve")."""


def judge_text(reading: Reading, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """The rules that a text meets, each once; hidden texts are not looked at."""
    found: dict[str, Finding] = {}
    for concepts in reading.sentences.values():
        for finding in findings_of(concepts, rules):
            found.setdefault(finding.reason, finding)
    for finding, shows in _COMMANDS:
        if shows(reading.plain):
            found[finding.reason] = finding
    return list(found.values())


def findings_of(concepts: Sentence, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """The rules that one sentence meets."""
    kept = _without_negated(concepts)
    return [
        Finding(reason=rule.reason, gravity=rule.gravity, firm=rule.firm)
        for rule in rules
        if meets(rule, kept)
    ]


def _without_negated(concepts: Sentence) -> Sentence:
    negators, gaps = concepts.get("negator", ()), concepts.get("lacking", ())
    if not negators and not gaps:
        return concepts
    kept = dict(concepts)
    ends = sorted(negator.end for negator in negators)
    opened = sorted((gap.start, gap.end) for gap in gaps)
    closed = list(accumulate((end for _, end in opened), max))
    for concept in (_HARM | _RIGHTS) & concepts.keys():
        hits = [
            hit
            for hit in concepts[concept]
            if not (concept in _HARM and _just_after(ends, hit))
            and not (concept in _RIGHTS and _within(opened, closed, hit))
        ]
        if hits:
            kept[concept] = hits
        else:
            del kept[concept]
    return kept


def _just_after(ends: Sequence[int], hit: Hit) -> bool:
    """Whether one of these ends, in their order, is shortly before a phrase."""
    return bisect_right(ends, hit.start) > bisect_right(ends, hit.start - _NEGATED_BY)


def _within(opened: Sequence[tuple[int, int]], closed: Sequence[int], hit: Hit) -> bool:
    """Whether a phrase is inside of a span; `closed` is the last end of all spans up to each."""
    before = bisect_right(opened, (hit.start, math.inf))
    return before > 0 and hit.end <= closed[before - 1]


def meets(rule: Rule, concepts: Sentence) -> bool:
    """Whether one sentence meets a rule."""
    for concept in rule.needs:
        if concept not in concepts:
            return False
    if any(concept in concepts for concept in rule.unless):
        return False
    hits = [concepts[concept] for concept in rule.needs]
    return len(hits) == 1 or any(_near(rule, first, hits[1:]) for first in hits[0])


def _near(rule: Rule, first: Hit, others: Sequence[Sequence[Hit]]) -> bool:
    return all(
        any(
            other.start < first.start + rule.span
            and first.start < other.end + rule.span
            and not (first.start < other.end and other.start < first.end)
            and (not rule.ordered or other.start >= first.end)
            for other in hits
        )
        for hits in others
    )
