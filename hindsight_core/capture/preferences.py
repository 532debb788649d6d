"""Preferences, constraints and lasting facts that a user's own words state; no model is needed.

A text is cut into sentences, what others wrote is masked, and each sentence is judged by the word
classes of its language (`preferences_score`). Precision comes before recall: a wrong memory costs
more than a missed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.preferences_features import compiled
from hindsight_core.capture.preferences_score import Judged, judge
from hindsight_core.capture.preferences_terms import entities_of, terms_of
from hindsight_core.capture.preferences_text import mask, sentences, window
from hindsight_core.schema import Kind, Polarity
from hindsight_core.text import clean

__all__ = ["MAX_FINDINGS", "PreferenceFinding", "extract_preferences"]

MAX_FINDINGS: Final = 8
"""At most so many statements are taken from one text, the surest ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceFinding:
    """One lasting statement of a user.

    `content` is the user's own sentence or sentences, in the user's language. `slot` is what it is
    about, the same for a statement and its later correction. `want`, `avoid`, `except_`, `where`,
    `topic` and `actions` are folded words to compare with the arguments of a tool call: what is
    wanted, what is not, what is excepted from that, where it holds, what it concerns, and which
    acts are ruled out. `confidence` is a probability.
    """

    content: str
    slot: str
    polarity: Polarity
    kind: Kind
    confidence: float
    condition: str = ""
    exception: str = ""
    is_correction: bool = False
    entities: tuple[str, ...] = ()
    want: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


def extract_preferences(text: str, *, before: str = "") -> list[PreferenceFinding]:
    """Return the lasting preferences, constraints and facts that a user's text states.

    `before` is what was said just before; it only lends a topic to a statement that names none.
    Of a text longer than `MAX_CONSIDERED` characters its head and tail are judged; a sentence
    longer than `MAX_SENTENCE` is passed over. Never raises for any string.
    """
    considered = window(clean(text))
    judged = judge(sentences(considered, mask(considered)))
    taken = [one for one in judged if one.probability >= one.threshold]
    if len(taken) > MAX_FINDINGS:
        floor = sorted((one.probability for one in taken), reverse=True)[MAX_FINDINGS - 1]
        taken = [one for one in taken if one.probability >= floor][:MAX_FINDINGS]
    return [_finding(one, before) for one in taken]


def _finding(judged: Judged, before: str) -> PreferenceFinding:
    content = judged.sentence.raw
    terms = terms_of(content, judged.code, judged.classes, before=before[-400:])
    language = compiled(judged.code).language
    factual = bool(judged.classes & language.factual) and not (terms.want or terms.avoid)
    return PreferenceFinding(
        content=content,
        slot=terms.slot,
        polarity=terms.polarity,
        kind=Kind.FACT if factual else Kind.PREFERENCE,
        confidence=round(judged.probability, 4),
        condition=terms.condition,
        exception=terms.exception,
        is_correction=bool(judged.classes & language.correcting),
        entities=entities_of(content),
        want=terms.want,
        avoid=terms.avoid,
        except_=terms.except_,
        where=terms.where,
        topic=terms.topic,
        actions=terms.actions,
    )
