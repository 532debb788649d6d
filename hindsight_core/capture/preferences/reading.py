"""Preferences, constraints and lasting facts that a user's own words state; no model is needed.

A text is cut into sentences, what others wrote is masked, and each sentence is judged by the word
classes of its language (`preferences.score`). Precision comes before recall: a wrong memory costs
more than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from hindsight_core.capture.languages import EXCLUSIVE_SLOTS
from hindsight_core.capture.preferences.features import classes as classes_of
from hindsight_core.capture.preferences.features import compiled, fold_sentence, language_of
from hindsight_core.capture.preferences.joining import clauses_of, statements
from hindsight_core.capture.preferences.score import Judged, judge
from hindsight_core.capture.preferences.terms import Terms, entities_of, terms_of, topics_of
from hindsight_core.capture.preferences.text import Sentence, mask, sentences, window
from hindsight_core.capture.taking_back import takes_back
from hindsight_core.schema import Kind, Polarity
from hindsight_core.text import clean, fold

__all__ = [
    "MAX_FINDINGS",
    "PreferenceFinding",
    "extract_preferences",
    "judged_sentences",
    "read_preference",
]

MAX_FINDINGS: Final = 8
"""At most so many statements are taken from one text, the surest ones."""
_BEFORE: Final = 400
_TWO: Final = 2
_CLAUSE: Final = re.compile(r"[,;:!?。]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceFinding:
    """One lasting statement of a user.

    `content` is the user's own sentence or sentences, in the user's language. `slot` is what it is
    about, the same for a statement and its later correction. `want`, `avoid`, `except_`, `where`,
    `topic` and `actions` are folded words to compare with the arguments of a tool call: what is
    wanted, what is not, what is excepted from that, where it holds, what it concerns, and which
    acts are ruled out. `lifts` marks what takes back a ban, `of_another` what is said of somebody
    else ("my sister ..."), and `confidence` is a probability.
    """

    content: str
    slot: str
    polarity: Polarity
    kind: Kind
    confidence: float
    condition: str = ""
    exception: str = ""
    is_correction: bool = False
    lifts: bool = False
    of_another: bool = False
    entities: tuple[str, ...] = ()
    want: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


def extract_preferences(
    text: str, *, before: str = "", least: float | None = None
) -> list[PreferenceFinding]:
    """Return the lasting preferences, constraints and facts that a user's text states.

    `before` is what was said just before; it only lends a topic to a statement that names none.
    `least` is the probability from which a sentence counts, the language's own where it is None.
    What asks to forget something said before states nothing. Of a text longer than
    `MAX_CONSIDERED` characters its head and tail are judged; a sentence longer than `MAX_SENTENCE`
    is passed over. Never raises for any string.
    """
    judged: Sequence[Judged] = judged_sentences(text)
    if least is not None:
        judged = [replace(one, threshold=least) for one in judged]
    found = [one for group in statements(judged) for one in _single_facts(_finding(group, before))]
    if len(found) > MAX_FINDINGS:
        floor = sorted((one.confidence for one in found), reverse=True)[MAX_FINDINGS - 1]
        found = [one for one in found if one.confidence >= floor][:MAX_FINDINGS]
    return found


@lru_cache(maxsize=1_024)  # a run may go on for long, and is read anew at each of its ends
def judged_sentences(text: str) -> tuple[Judged, ...]:
    """Return the sentences of a text that may state something, judged; kept for the next time.

    A turn is read more than once, and ahead where there is time to (see `read_ahead`).
    """
    considered = window(clean(text))
    judged = judge(map(_own_clause, sentences(considered, mask(considered))))
    return tuple(one for one in judged if not takes_back(one.sentence.raw))


def read_preference(statement: str) -> PreferenceFinding | None:
    """Return what a statement is about, without asking whether it lasts.

    For the content of a stored preference: its `want`, `avoid` and other terms are not stored with
    it. None for a text in no known language.
    """
    considered = window(clean(statement))
    judged = judge(sentences(considered, considered))
    return _finding(judged, "") if judged else None


def _single_facts(finding: PreferenceFinding) -> list[PreferenceFinding]:
    """The facts of one sentence one by one, where one may change while the others stay."""
    clauses = clauses_of(finding.content) if finding.kind is Kind.FACT else []
    topics = [topics_of(clause) for clause in clauses]
    parts = [part for clause in clauses if (part := read_preference(clause)) is not None]
    if (
        len(parts) < _TWO
        or len(parts) < len(clauses)
        or not any(EXCLUSIVE_SLOTS & found for found in topics)
        or any(first & second for first, second in pairwise(topics))
        or any(one.kind is not Kind.FACT and not of for one, of in zip(parts, topics, strict=True))
    ):
        return [finding]
    return [replace(part, kind=Kind.FACT, confidence=finding.confidence) for part in parts]


def _own_clause(sentence: Sentence) -> Sentence:
    """A sentence without the clause about somebody else that the speaker's own one follows."""
    code = language_of(sentence.masked)
    folded = fold(sentence.masked)
    other = compiled(code).clause_of_another.match(folded) if code else None
    if other is None or len(folded) != len(sentence.masked):
        return sentence
    raw, masked = sentence.raw[other.end() :], sentence.masked[other.end() :]
    return Sentence(raw=raw, masked=masked, line=sentence.line)


def _is_of_another(content: str, code: str, terms: Terms) -> bool:
    """Whether what is said of somebody else is the wish itself, and not the reason for it."""
    named = (*terms.want, *terms.avoid)
    folded = fold_sentence(content, code)
    clauses = [one for one in _CLAUSE.split(folded) if "third_person" in classes_of(one, code)]
    return not named or not clauses or any(term in one for one in clauses for term in named)


def _finding(group: list[Judged], before: str) -> PreferenceFinding:
    code = group[0].code
    spaced = compiled(code).language.spaced
    content = (" " if spaced else "").join(one.sentence.raw for one in group)
    classes = {name for one in group for name in one.classes}
    terms = terms_of(content, code, classes, before=before[-_BEFORE:])
    return PreferenceFinding(
        content=content,
        slot=terms.slot,
        polarity=terms.polarity,
        kind=Kind.FACT if terms.is_fact else Kind.PREFERENCE,
        confidence=round(max(one.probability for one in group), 4),
        condition=terms.condition,
        exception=terms.exception,
        is_correction=bool(classes & compiled(code).language.correcting),
        lifts="lifted" in classes,
        of_another="third_person" in classes and _is_of_another(content, code, terms),
        entities=entities_of(content),
        want=terms.want,
        avoid=terms.avoid,
        except_=terms.except_,
        where=terms.where,
        topic=terms.topic,
        actions=terms.actions,
    )
