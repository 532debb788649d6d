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

from hindsight_core.capture.preferences.cutting import cut_terms
from hindsight_core.capture.preferences.features import (
    Compiled,
    compiled,
    fold_sentence,
    language_of,
    spelt_out,
)
from hindsight_core.schema import Polarity
from hindsight_core.text import fold

__all__ = ["TOGETHER", "Terms", "entities_of", "terms_of", "topics_of"]

_BOTH: Final = re.compile(r"\s*(?: and | with | to |和|跟|与|、)\s*")
_MAX_TOPICS_READ: Final = 2_000
_TWO: Final = 2
TOGETHER: Final = " + "
"""What stands between two things of a term that are ruled out together, and free alone."""
_GROUPS: Final = ("want", "avoid", "except", "where", "if", "topic", "both")
_ALONE: Final = ("avoid", "want")
_MAX_TERMS: Final = 6
_ENTITY: Final = re.compile(
    r"(?<![\w])(?:[A-Z][\w+#.-]{0,40}\w|[a-z]{1,20}[A-Z][\w-]{0,40}|[\w-]{1,30}[./_][\w./-]{1,60}\w"
    r"|[a-z]{1,20}\d[\w.-]{0,20})(?![\w])"
)
_QUOTED: Final = re.compile(r"(?<!\w)[“「『\"`']([^”」』\"`'\n]{1,40})[”」』\"`'](?!\w)")


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
    is_fact: bool = False


@lru_cache(maxsize=16)
def _term_patterns(code: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in compiled(code).language.terms)


@lru_cache(maxsize=16)
def _topic_pattern(code: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    language = compiled(code).language
    topics = language.topics
    edge = r"\b" if language.spaced else ""
    parts = [f"(?P<t{n}>{edge}(?:{cues}){edge})" for n, cues in enumerate(topics.values())]
    # Where words have no borders, a word of another script has one on both sides: 用tab.
    flags = re.NOFLAG if language.spaced else re.ASCII
    return re.compile("|".join(parts) or r"(?!)", flags), tuple(topics)


def _topic_slots(folded: str, code: str) -> list[str]:
    pattern, names = _topic_pattern(code)
    found = {int((match.lastgroup or "t0")[1:]) for match in pattern.finditer(folded)}
    return [names[n] for n in sorted(found)]


def _past_the_place(value: str, places: Iterable[str]) -> str:
    """What is not to be done at a place that is named first: 在生产库(跑清理)."""
    for place in places:
        before, found, after = value.partition(place)
        if found and len(before) <= 1 and len(after) > 1:
            return after
    return value


def _captured(folded: str, code: str) -> dict[str, list[str]]:
    """What the patterns find, by group; of two things that are ruled out together none alone."""
    raw: dict[str, list[str]] = {group: [] for group in _GROUPS}
    joint: list[tuple[int, int]] = []
    for pattern in _term_patterns(code):
        for match in pattern.finditer(folded):
            for group, value in match.groupdict().items():
                name = group.rstrip("0123456789_")
                at, end = match.span(group)
                among = any(at < last and first < end for first, last in joint)
                if name in raw and value and value.strip() and not (among and name in _ALONE):
                    raw[name].append(value.strip())
                    joint += [match.span()] if name == "both" else []
    return raw


def _is_refusal(term: str, avoided: Iterable[str], table: Compiled) -> bool:
    """Whether a wanted phrase holds a refusal: "don't use reply-all", 车从不要上铺."""
    before = [term[: term.find(one)] for one in avoided if one in term]
    return any(table.refusal.search(f"{one.strip()} ") for one in before)


def _is_exception(term: str, avoided: Iterable[str], excepted: Iterable[str]) -> bool:
    """Whether a phrase says who alone may: "(only) Rotterdam may have Saturdays"."""
    return any(one in term for one in avoided) and any(one in term for one in excepted)


def _gist(folded: str, table: Compiled) -> str:
    """Return the first two words that are no function words: the slot of last resort."""
    language = table.language
    if not language.spaced:
        return re.sub(r"\W", "", folded)[:8]
    content = [
        word
        for word in re.findall(r"[\w'-]+", folded)
        if language.words.get(word) != word and word not in language.lead
    ]
    return " ".join(content[:2]) or folded[:20]


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))[:_MAX_TERMS]


def entities_of(statement: str) -> tuple[str, ...]:
    """Return names, identifiers and quoted words of a statement, as written, at most 6."""
    quoted = [match[1].strip() for match in _QUOTED.finditer(statement)]
    named = [match[0] for match in _ENTITY.finditer(statement) if match.start() > 0]
    return _unique([*quoted, *named])


@lru_cache(maxsize=256)
def topics_of(text: str) -> frozenset[str]:
    """Return the slots of which a text speaks, whatever it says of them; bounded in length."""
    considered = text[:_MAX_TOPICS_READ]
    code = language_of(considered)
    if not code:
        return frozenset()
    folded = fold_sentence(considered, code)
    return frozenset(_topic_slots(folded, code))


def terms_of(statement: str, code: str, found: set[str], *, before: str = "") -> Terms:
    """Return what a statement is about.

    `found` are the classes of its sentences; `before` is what was said before, which lends its
    topic to a statement that names none.
    """
    table = compiled(code)
    language = table.language
    plain = spelt_out(fold(statement).replace("’", "'"), code)
    folded = plain.translate(table.variants) if table.variants else plain

    def spelt(terms: Iterable[str]) -> tuple[str, ...]:
        """Give the terms back as the user spelt them: one character of a variant is one of ours."""
        places = [(term, folded.find(term)) for term in terms]
        return _unique(plain[at : at + len(term)] if at >= 0 else term for term, at in places)

    raw = _captured(folded, code)
    split: dict[str, list[str]] = {}
    cuts = ("avoid", "want") if language.spaced else ("avoid",)
    actions: list[str] = []
    for group in ("where", "want", "avoid", "except", "topic"):
        split[group] = []
        for value in raw[group]:
            if group == "avoid":
                value = _past_the_place(value, raw["where"])
            terms, verbs = cut_terms(value, language, cut=group in cuts)
            split[group] += terms
            if group == "avoid":
                bare = [term for term in terms if term in language.verbs and not verbs]
                split[group] = [term for term in split[group] if term not in bare]
                actions += verbs + bare
    topic = _unique(split["topic"])
    excepted = set(split["except"])
    joint = [TOGETHER.join(parts) for parts in map(_BOTH.split, raw["both"]) if len(parts) == _TWO]
    avoid = _unique(term for term in (*joint, *split["avoid"]) if term not in excepted)
    want = _unique(
        term
        for term in split["want"]
        if term not in avoid and term not in excepted
        if not _is_refusal(term, avoid, table) and not _is_exception(term, avoid, excepted)
    )
    slots = _topic_slots(folded, code) or (_topic_slots(fold(before), code) if before else [])
    slot = slots[0] if slots else " ".join((topic or want or avoid)[:1])
    factual = bool(found & language.factual) and not found & language.wishing
    if want or not (avoid or found & language.negative):
        polarity = Polarity.NEUTRAL if factual and not want else Polarity.FOR
    else:
        polarity = Polarity.AGAINST
    return Terms(
        slot=slot or _gist(folded, table),
        polarity=polarity,
        want=spelt(want),
        avoid=spelt(avoid),
        except_=spelt(split["except"]),
        where=spelt(split["where"]),
        topic=spelt(topic),
        actions=spelt(actions),
        condition=next(iter(spelt(raw["if"][:1])), ""),
        exception=next(iter(spelt(raw["except"][:1])), ""),
        is_fact=factual,
    )
