"""What a statement is about: its slot, what is wanted and avoided, exceptions and conditions.

Everything comes from a language's `terms` patterns and `topics` cues, applied to one statement.
The terms are lower-case words of the user, for comparing with the arguments of a tool call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hindsight_core.capture.preferences_features import compiled
from hindsight_core.schema import Polarity
from hindsight_core.text import fold

__all__ = ["Terms", "entities_of", "terms_of"]

_GROUPS: Final = ("want", "avoid", "except", "where", "if", "topic")
_MAX_TERMS: Final = 6
_ENTITY: Final = re.compile(
    r"(?<![\w])(?:[A-Z][\w+#.-]{0,40}\w|[a-z]{1,20}[A-Z][\w-]{0,40}|[\w-]{1,30}[./_][\w./-]{1,60}\w"
    r"|[a-z]{1,20}\d[\w.-]{0,20})(?![\w])"
)
_QUOTED: Final = re.compile(r"[“「『\"`']([^”」』\"`'\n]{1,40})[”」』\"`']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a statement is about, in folded words of the user."""

    slot: str
    polarity: Polarity
    want: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    condition: str = ""
    exception: str = ""


@lru_cache(maxsize=16)
def _term_patterns(code: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in compiled(code).language.terms)


@lru_cache(maxsize=16)
def _topic_pattern(code: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    language = compiled(code).language
    topics = language.topics
    edge = r"\b" if language.spaced else ""
    parts = [f"(?P<t{n}>{edge}(?:{cues}){edge})" for n, cues in enumerate(topics.values())]
    return re.compile("|".join(parts) or r"(?!)"), tuple(topics)


def _topic_slots(folded: str, code: str) -> list[str]:
    pattern, names = _topic_pattern(code)
    found = {int((match.lastgroup or "t0")[1:]) for match in pattern.finditer(folded)}
    return [names[n] for n in sorted(found)]


def _split(text: str, code: str) -> tuple[list[str], list[str]]:
    """Split a captured phrase into its terms and the verbs that led to them."""
    language = compiled(code).language
    terms: list[str] = []
    verbs: list[str] = []
    for part in re.split(r"\s*(?:,|、|/(?=\w)| or | and | nor |或者|或|和|以及)\s*", text):
        if language.spaced:
            words = part.strip(" .!?\"'()").split()
            while words and words[0] in language.lead:
                if words[0] in language.verbs:
                    verbs.append(words[0])
                words = words[1:]
            while words and words[-1] in language.trail:
                words = words[:-1]
            term = " ".join(words[:5])
        else:
            term = part.strip(" .。!?\"'()")
            cut = True
            while cut:
                cut = False
                for lead in language.lead:
                    if term.startswith(lead) and len(term) > len(lead):
                        if lead in language.verbs:
                            verbs.append(lead)
                        term, cut = term[len(lead) :], True
                        break
                for trail in language.trail:
                    if term.endswith(trail) and len(term) > len(trail):
                        term, cut = term[: -len(trail)], True
        term = term.strip(" \"'“”「」`")
        if term and term not in language.stop:
            terms.append(term)
    return terms, verbs


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:_MAX_TERMS]


def entities_of(statement: str) -> tuple[str, ...]:
    """Return names, identifiers and quoted words of a statement, as written, at most 6."""
    quoted = [match[1].strip() for match in _QUOTED.finditer(statement)]
    named = [match[0] for match in _ENTITY.finditer(statement) if match.start() > 0]
    return _unique([*quoted, *named])


def terms_of(statement: str, code: str, found: set[str], *, before: str = "") -> Terms:
    """Return what a statement is about.

    `found` are the classes of its sentences; `before` is what was said before, which lends its
    topic to a statement that names none.
    """
    table = compiled(code)
    folded = fold(statement).replace("’", "'")
    if table.variants:
        folded = folded.translate(table.variants)
    raw: dict[str, list[str]] = {group: [] for group in _GROUPS}
    for pattern in _term_patterns(code):
        for match in pattern.finditer(folded):
            for group, value in match.groupdict().items():
                if value and value.strip():
                    raw[group.rstrip("0123456789_")].append(value.strip())
    split: dict[str, list[str]] = {}
    actions: list[str] = []
    for group in ("want", "avoid", "except", "where", "topic"):
        split[group] = []
        for value in raw[group]:
            terms, verbs = _split(value, code)
            split[group] += terms
            if group == "avoid":
                actions += verbs
    excepted = set(split["except"])
    avoid = _unique(term for term in split["avoid"] if term not in excepted)
    want = _unique(term for term in split["want"] if term not in avoid and term not in excepted)
    topic = _unique(split["topic"])
    slots = _topic_slots(folded, code) or (_topic_slots(fold(before), code) if before else [])
    slot = slots[0] if slots else " ".join((topic or want or avoid)[:2])
    negative = bool(avoid) or bool(found & table.language.negative)
    if want and avoid:
        polarity = Polarity.FOR
    else:
        polarity = Polarity.AGAINST if negative and not want else Polarity.FOR
    if not (want or avoid or negative) and found & table.language.factual:
        polarity = Polarity.NEUTRAL
    return Terms(
        slot=slot or " ".join(folded.split()[:4])[:40],
        polarity=polarity,
        want=want,
        avoid=avoid,
        except_=_unique(split["except"]),
        where=_unique(split["where"]),
        topic=topic,
        actions=_unique(actions),
        condition=raw["if"][0] if raw["if"] else "",
        exception=raw["except"][0] if raw["except"] else "",
    )
