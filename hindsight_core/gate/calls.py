"""A call as rules are compared with it: read once, whatever the number of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight_core.capture import TOGETHER
from hindsight_core.gate._rule_words import COMMANDS, EMPTY, INNER, PROSE
from hindsight_core.gate.arguments import Argument, arguments_of, name_words, plain
from hindsight_core.gate.commands import doing
from hindsight_core.recall import shipped_synonyms
from hindsight_core.schema import ToolCall

__all__ = ["CallView", "Term", "acts", "anywhere", "in_tool", "terms_of_rule", "view_of"]

_PROSE_WORDS: Final = 12
_INNER: Final = re.compile(f"(?:{'|'.join(INNER)})$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """A phrase of a rule; `tokens` are the stems of its words, none for Chinese.

    Of things that count only together each is one of the `parts`.
    """

    text: str
    tokens: frozenset[str]
    parts: tuple[Term, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CallView:
    """A call read once for any number of rules; `text` and `words` are of all of it.

    Of a shell's command the arguments hold only what acts.
    """

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
        arguments=tuple(_acting(one, tool_words) for one in arguments),
        text=" ".join(texts),
        words=tool_words | names | said,
    )


def _acting(value: Argument, tool_words: frozenset[str]) -> Argument:
    if name_words(value.name) & COMMANDS or (tool_words & COMMANDS and acts(value)):
        return replace(value, text=doing(value.text))
    return value


def terms_of_rule(
    phrases: Iterable[str], *, spelt: bool = False, within: bool = False
) -> tuple[Term, ...]:
    """Cut phrases into terms, with other words for them unless they count only as `spelt`.

    Of what lies `within` a thing (Docker 里, inside Docker) the thing is the term.
    """
    found: dict[str, Term] = {}
    for phrase in phrases:
        for spelling in (phrase,) if spelt else shipped_synonyms().spellings([phrase]):
            text = plain(spelling)
            if TOGETHER in text:
                parts = terms_of_rule(text.split(TOGETHER), spelt=True)
                found[text] = Term(text=text, tokens=frozenset(), parts=parts)
                continue
            if within:
                text = _INNER.sub("", text).strip() or text
            if text.isascii():
                cut = (name_words(word) for word in text.split() if word not in EMPTY)
                stems = frozenset(min(forms, key=len) for forms in cut if forms)
                if stems:
                    found[text] = Term(text=text, tokens=stems)
            elif text:
                found[text] = Term(text=text, tokens=frozenset())
    return tuple(found.values())


def acts(value: Argument) -> bool:
    """Whether a value says what is done; prose only talks of it."""
    last = plain(value.name.rpartition(".")[2])
    return last not in PROSE and len(value.text.split()) <= _PROSE_WORDS * 2


def anywhere(terms: Sequence[Term], call: CallView) -> bool:
    """Whether a call speaks of one of the terms, wherever it does."""
    return any(
        term.tokens <= call.words if term.tokens else term.text in call.text for term in terms
    )


def in_tool(term: Term, call: CallView) -> bool:
    """Whether the tool's name holds a term."""
    return term.tokens <= call.tool_words if term.tokens else term.text in call.tool_text
