"""Whether a call plainly breaks a rule of the user: compared word by word, no model is asked.

A rule has what is to be avoided, or acts that are ruled out, and may say where it holds, what it is
about and what is excepted. All of it must fit the call; a word in prose (a message, a title) is
talked of and not acted upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture import PreferenceFinding
from hindsight_core.gate._rule_words import ANY_ACT, EMPTY, PROSE
from hindsight_core.gate.arguments import Argument, arguments_of, name_words, plain
from hindsight_core.recall import shipped_synonyms
from hindsight_core.schema import ToolCall

__all__ = ["CallView", "Wish", "breaks", "view_of"]

_NEGATIONS: Final = ("un{}", "in{}", "non{}", "non-{}", "not {}", "no {}", "不{}", "无{}", "非{}")
_ONLY: Final = re.compile(
    r"\b(?:only|always|nowhere else|nothing else|no other|exclusively|every time|must)\b"
    r"|只|一律|都|必须|统一|总是|全部|仅"
)
_PROSE_WORDS: Final = 12
_SPOKEN_HAN: Final = 3
"""So many signs of a term in Chinese are no chance, even in prose."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Term:
    """A phrase of a rule; `tokens` are the stems of its words, none for Chinese."""

    text: str
    tokens: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """A rule of the user as the gate compares it.

    `only` says that nothing else than what is wanted will do. `tools` and `arguments` are those
    that it was said about.
    """

    memory_id: str
    avoid: tuple[_Term, ...]
    want: tuple[_Term, ...]
    excepted: tuple[_Term, ...]
    where: tuple[_Term, ...]
    topic: tuple[_Term, ...]
    slot: tuple[_Term, ...]
    actions: tuple[_Term, ...]
    condition: str
    only: bool
    tools: frozenset[str]
    arguments: frozenset[str]

    @classmethod
    def read(
        cls,
        memory_id: str,
        finding: PreferenceFinding,
        *,
        tools: Iterable[str] = (),
        arguments: Iterable[str] = (),
    ) -> Wish | None:
        """Take what a call may break from a statement; None where there is nothing of the kind."""
        if not (finding.avoid or finding.actions or finding.want):
            return None
        return cls(
            memory_id=memory_id,
            avoid=_terms(finding.avoid, spelt=True),
            want=_terms(finding.want, spelt=True),
            excepted=_terms(finding.except_),
            where=_terms(finding.where),
            topic=_terms(finding.topic),
            slot=_terms([finding.slot] if finding.slot else ()),
            actions=_terms(act for act in finding.actions if act not in ANY_ACT),
            condition=_own_condition(finding),
            only=_ONLY.search(plain(finding.content)) is not None,
            tools=frozenset(tools),
            arguments=frozenset(arguments),
        )


def _own_condition(finding: PreferenceFinding) -> str:
    """The rule's condition; one that is said after the exception belongs to that."""
    excepted = [finding.content.lower().find(term) for term in finding.except_]
    at = finding.content.lower().find(finding.condition)
    return "" if any(0 <= place < at for place in excepted) else finding.condition


@dataclass(frozen=True, kw_only=True, slots=True)
class CallView:
    """A call read once for any number of rules; `text` and `words` are of all of it."""

    tool: str
    tool_text: str
    tool_words: frozenset[str]
    arguments: tuple[Argument, ...]
    text: str
    words: frozenset[str]


def view_of(call: ToolCall) -> CallView:
    """Read a call."""
    arguments = arguments_of(call)
    tool_words = name_words(call.tool)
    names = frozenset(word for one in arguments for word in name_words(one.name))
    said = frozenset(word for one in arguments for word in (*one.words, *name_words(one.text)))
    texts = (plain(call.tool), *(f"{one.name} {one.text}" for one in arguments))
    return CallView(
        tool=call.tool,
        tool_text=texts[0],
        tool_words=tool_words,
        arguments=arguments,
        text=" ".join(texts),
        words=tool_words | names | said,
    )


def breaks(wish: Wish, call: CallView) -> bool:
    """Whether a call does what a rule of the user rules out."""
    if wish.condition and not _about(_terms([wish.condition]), call):
        return False
    if any(_anywhere(term, call) for term in wish.excepted):
        return False
    if wish.where and not any(_done(term, (), call) for term in wish.where):
        return False
    acts = any(_in_tool(term, call) or _commands(term, call) for term in wish.actions)
    free = not (wish.actions or wish.topic)
    if any(_done(term, wish.want, call) for term in wish.avoid):
        return acts or free or _concerns(wish, call)
    if acts and (wish.where or not wish.avoid):
        return bool(wish.where) or not wish.topic or _concerns(wish, call)
    return _denied(wish.want, call) or _replaced(wish, call)


def _terms(phrases: Iterable[str], *, spelt: bool = False) -> tuple[_Term, ...]:
    """Cut phrases into terms, with other words for them unless they count only as `spelt`."""
    found: dict[str, _Term] = {}
    for phrase in phrases:
        for spelling in (phrase,) if spelt else shipped_synonyms().spellings([phrase]):
            text = plain(spelling)
            if text.isascii():
                cut = (name_words(word) for word in text.split() if word not in EMPTY)
                stems = frozenset(min(forms, key=len) for forms in cut if forms)
                if stems:
                    found[text] = _Term(text=text, tokens=stems)
            elif text:
                found[text] = _Term(text=text, tokens=frozenset())
    return tuple(found.values())


def _concerns(wish: Wish, call: CallView) -> bool:
    return call.tool in wish.tools or _about((*wish.topic, *wish.slot), call)


def _about(topic: Sequence[_Term], call: CallView) -> bool:
    return any(_anywhere(term, call) for term in topic)


def _anywhere(term: _Term, call: CallView) -> bool:
    if term.tokens:
        return term.tokens <= call.words
    return term.text in call.text


def _in_tool(term: _Term, call: CallView) -> bool:
    return term.tokens <= call.tool_words if term.tokens else term.text in call.tool_text


def _commands(term: _Term, call: CallView) -> bool:
    return any(term.tokens and term.tokens <= one.words for one in call.arguments if _acts(one))


def _done(term: _Term, want: Sequence[_Term], call: CallView) -> bool:
    """Whether a value, or the tool itself, is what is to be avoided."""
    if _in_tool(term, call):
        return True
    for one in call.arguments:
        held = any(term.text in w.text and w.text in one.text for w in want if w.text != term.text)
        if not held and _is(term, one, call):
            return True
    return False


def _is(term: _Term, value: Argument, call: CallView) -> bool:
    if value.format == "bool":
        return _said_by_switch(term, value)
    if not _acts(value):
        if term.tokens:
            return len(term.tokens) > 1 and term.text in value.text
        return len(term.text) >= _SPOKEN_HAN and term.text in value.text
    if term.tokens:
        around = value.words | name_words(value.name) | call.tool_words
        return term.tokens <= around and bool(term.tokens & value.words)
    return _covered(term.text, value.text, f"{plain(value.name)} {call.tool_text}")


def _covered(term: str, value: str, around: str) -> bool:
    """Whether a Chinese term is in a value, or is cut in two between it and the name of it."""
    if term in value and (len(term) > 1 or term == value):
        return True
    cuts = ((term[:at], term[at:]) for at in range(2, len(term) - 1))
    return any((a in value and b in around) or (b in value and a in around) for a, b in cuts)


def _acts(value: Argument) -> bool:
    """Whether a value says what is done; prose only talks of it."""
    last = plain(value.name.rpartition(".")[2])
    return last not in PROSE and len(value.text.split()) <= _PROSE_WORDS * 2


def _said_by_switch(term: _Term, value: Argument) -> bool:
    names = name_words(value.name)
    if value.text == "true":
        return bool(term.tokens) and term.tokens <= names
    said = {form.format(name) for name in names for form in _NEGATIONS}
    return term.text in said or bool(term.tokens and term.tokens & said)


def _denied(want: Sequence[_Term], call: CallView) -> bool:
    """Whether what is wanted is switched off."""
    return any(
        term.tokens and value.format == "bool" and value.text == "false" and term.tokens <= names
        for value in call.arguments
        for names in (name_words(value.name),)
        for term in want
    )


def _replaced(wish: Wish, call: CallView) -> bool:
    """Whether an argument that was to be one thing only is another."""
    if not (wish.only and wish.want and wish.arguments):
        return False
    if not _about((*wish.topic, *wish.slot), call):
        return False
    return any(
        f"{call.tool}/{value.name}" in wish.arguments
        and bool(value.text)
        and not any(_is(term, value, call) for term in wish.want)
        for value in call.arguments
    )
