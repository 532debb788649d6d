"""What a rule rules out, taken from a statement: things or acts, under a condition of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hindsight_core.capture import PreferenceFinding
from hindsight_core.gate._rule_words import ANY_ACT, ANY_THING, SAME_ACTS
from hindsight_core.gate.arguments import plain

__all__ = ["is_time", "own_condition", "same_acts", "things_and_acts"]

_TIME: Final = re.compile(
    r"(?:on |the |any |every )*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?"
    r"|mornings?|afternoons?|evenings?|nights?|noon|[0-9]{1,2}(?::[0-9]{2})? ?(?:am|pm)?)"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|周末|工作日|早上|上午|下午|晚上|夜里|中午"
)


def is_time(phrase: str) -> bool:
    """Whether a phrase, if any, is no more than a day or a time, which is nothing by itself."""
    return not phrase or bool(_TIME.fullmatch(plain(phrase)))


def things_and_acts(avoided: Iterable[str], actions: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part what is to be avoided from what is not to be done: 重启 is an act.

    A verb that is said once more (打电话别打) is no thing.
    """
    acts_known = frozenset[str]().union(*SAME_ACTS)
    things: list[str] = []
    done: list[str] = []
    for one in avoided:
        if one in acts_known:
            done.append(one)
        elif plain(one) not in ANY_THING and not _is_verb_of(one, actions):
            things.append(one)
    return things, done


def _is_verb_of(term: str, actions: Sequence[str]) -> bool:
    return len(term) == 1 and any(len(act) > 1 and act.startswith(term) for act in actions)


def same_acts(named: Iterable[str]) -> list[str]:
    """Name acts by all their names; those that say nothing are left out."""
    done = [act for act in named if act not in ANY_ACT]
    others = [other for act in done for group in SAME_ACTS if act in group for other in group]
    return [*done, *others]


def own_condition(finding: PreferenceFinding) -> list[str]:
    """The rule's condition; one that is said after the exception belongs to that."""
    excepted = [finding.content.lower().find(term) for term in finding.except_]
    at = finding.content.lower().find(finding.condition)
    within = any(term in finding.condition for term in finding.except_)
    foreign = not finding.condition or within or any(0 <= place < at for place in excepted)
    return [] if foreign else [finding.condition]
