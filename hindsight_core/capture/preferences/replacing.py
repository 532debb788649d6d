"""Whether a newer preference takes the place of an older one that says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

from hindsight_core.capture.languages import EXCLUSIVE_SLOTS
from hindsight_core.capture.limits import limits_of
from hindsight_core.capture.preferences import PreferenceFinding
from hindsight_core.capture.preferences.aims import aims_of, says_more
from hindsight_core.capture.preferences.features import compiled, fold_sentence, language_of
from hindsight_core.capture.wording import Wording
from hindsight_core.schema import Kind, Polarity
from hindsight_core.stem import stem
from hindsight_core.text import count_cjk, is_cjk

__all__ = ["hold_apart", "replaces", "stands_beside"]

Spellings = Callable[[Sequence[str]], Sequence[str]]
"""From names to the same names and every other word for each."""
_LANGUAGE: Final = "answer language"
_MEASURE: Final = 2
"""Signs that may follow a thing in a language without spaces and make it no other one: 火车(票)."""
_ALIKE: Final = 0.5
"""Share of words in the same order from which two sentences are built alike."""
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_.+#-]*")


def replaces(
    new: PreferenceFinding, old: PreferenceFinding, *, spellings: Spellings = tuple
) -> bool:
    """Whether `new`, said later by the same user, takes the place of `old`.

    Both must be about the same slot and not hold apart (`hold_apart`), and both must stand or fall
    together (`stands_beside`): in doubt both stay. It does when it says that it corrects, when it
    is against what the older one wanted or wants what that one was against, and, for a slot that
    holds one value at a time (seat, editor, answer language ...), when both want something and
    nothing of it is shared, or both are facts.
    Whatever the slots, a correction that turns against the very thing which the older one wanted,
    or to what it was against ("no trains any more" after "I go by train"), takes its place;
    `spellings` knows other names of the thing. A ban is taken back by who lifts it by its name.
    """
    if new.lifts and old.polarity is Polarity.AGAINST:
        wording = Wording.read(new.content)
        return any(wording.shared(term) for term in (*old.avoid, *old.topic))
    if new.content == old.content or hold_apart(new, old) or says_more(old, new):
        return False
    # "火锅就不要订了": the act that is ruled out is done to what it begins with.
    against = new.avoid or (new.topic if new.actions else ())
    if new.is_correction and (
        _ends(against, spellings(old.want)) or _ends(new.want, spellings(old.avoid))
    ):
        return True
    if new.slot != old.slot or _of_another_reach(new, old):
        return False
    if (bounds := _bounds(new)) and bounds == _bounds(old):
        return True
    if not new.is_correction and bool(bounds) != bool(_bounds(old)):
        return False
    if new.is_correction or _share(new.avoid, old.want) or _share(new.want, old.avoid):
        return True
    if new.slot not in EXCLUSIVE_SLOTS:
        return False
    if new.want and old.want:
        return not _share(new.want, old.want)
    return new.kind is old.kind is Kind.FACT


def stands_beside(new: PreferenceFinding, old: PreferenceFinding) -> bool:
    """Whether a newer statement is no ground to put the whole of an older one away.

    The older one says more than that, or one of the two is for one thing alone.
    """
    return says_more(old, new) or (new.slot == old.slot and _of_another_reach(new, old))


def hold_apart(one: PreferenceFinding, other: PreferenceFinding) -> bool:
    """Whether two statements about one slot hold for different things, so that both stand.

    Another condition, place, day or bound ("tabs in Go", "spaces in Python"), another object beside
    what is wanted ("reply to Bob in English", "reply to Li in Chinese"), another topic (code
    comments in English, answers in German), or somebody else's affair: "my brother moved to Ghent"
    is no news of a sister.
    """
    if one.condition != other.condition or one.where != other.where:
        return True
    if one.of_another or other.of_another or _on_other_days(one, other):
        return True
    if (bounds := _bounds(one)) and _bounds(other) and bounds != _bounds(other):
        return True
    first, second = aims_of(one), aims_of(other)
    if one.slot == other.slot and first and second and first.isdisjoint(second):
        return True
    if one.kind is other.kind is Kind.PREFERENCE and _differ_twice(one, other):
        return True
    if one.topic and other.topic:
        if _share(one.topic, other.topic) or _told(one, other) or _told(other, one):
            return False
        if not (_names_no_more(one) or _names_no_more(other)):
            return True
    # The language of one kind of text is not that of all answers; elsewhere a lone topic may be
    # no more than how a sentence begins ("a new rule for seats: ...").
    return one.slot == _LANGUAGE and bool(
        one.topic or other.topic or (first != second and not (first and second))
    )


def _names_no_more(finding: PreferenceFinding) -> bool:
    """Whether its topics say no more than its slot does: "parcels" of where to deliver."""
    code = language_of(finding.content)
    return bool(code) and not compiled(code).language.spaced and not aims_of(finding)


def _of_another_reach(new: PreferenceFinding, old: PreferenceFinding) -> bool:
    """Whether only one of two statements is for one thing alone: "tabs in Go" and "spaces"."""
    if new.is_correction and new.kind is Kind.FACT:
        return False
    aims, older = aims_of(new), aims_of(old)
    if aims and older:
        return not (aims <= older or older <= aims)
    return bool(aims) or (bool(older) and not new.is_correction)


def _on_other_days(one: PreferenceFinding, other: PreferenceFinding) -> bool:
    first, second = _days(one), _days(other)
    return bool(first and second) and first.isdisjoint(second)


def _bounds(finding: PreferenceFinding) -> frozenset[tuple[str, bool]]:
    """What a statement bounds, and on which side: before 10:00 and after 18:00 are two bounds."""
    return frozenset((limit.unit, limit.below) for limit in limits_of(finding.content))


def _days(finding: PreferenceFinding) -> frozenset[str]:
    """The recurring days on which a statement holds; one that is wanted or not is no condition."""
    code = language_of(finding.content)
    if not code:
        return frozenset()
    found = compiled(code).days.findall(fold_sentence(finding.content, code))
    valued = " ".join((*finding.want, *finding.avoid)).casefold()
    return frozenset(day for day in found if day not in valued)


def _told(one: PreferenceFinding, other: PreferenceFinding) -> bool:
    """Whether the topic of the one is told in the words of the other."""
    return any(_within(topic, other.content.casefold()) for topic in one.topic)


def _ends(avoided: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether a thing that is to be no more is one that was wanted, under whichever name."""
    names = {*map(_plain, wanted)}
    return any(_is_one_of(_plain(thing), names) for thing in avoided)


def _plain(term: str) -> str:
    return " ".join(map(stem, term.casefold().split()))


def _is_one_of(thing: str, names: Iterable[str]) -> bool:
    if not is_cjk(thing[:1]):
        return thing in names
    return any(
        name and thing.startswith(name) and len(thing) - len(name) <= _MEASURE for name in names
    )


def _differ_twice(one: PreferenceFinding, other: PreferenceFinding) -> bool:
    """Whether two like sentences differ in two places: what is wanted, and of whom or what.

    Never so for a language whose words have no borders. Cues that were exchanged ("always", "from
    now on") are no difference.
    """
    code = language_of(one.content)
    if not code or code != language_of(other.content) or not compiled(code).language.spaced:
        return False
    known = compiled(code).language.words
    valued = set(_WORD.findall(" ".join((*one.want, *one.avoid, *other.want, *other.avoid))))
    first, second = (_WORD.findall(fold_sentence(f.content, code)) for f in (one, other))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return False
    places = 0
    for step, a, b, c, d in matcher.get_opcodes():
        told = [word for word in (*first[a:b], *second[c:d]) if word in valued or word not in known]
        places += step == "replace" and bool(told)
    return places > 1


def _share(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a term of the one is a term of the other, or part of it: no npm in a pnpm."""
    rest = list(others)
    return any(_within(one, other) or _within(other, one) for one in some for other in rest)


def _within(part: str, whole: str) -> bool:
    if count_cjk(part):
        return part in whole  # such words have no borders
    return f" {part} " in f" {whole} "
