"""Whether a later call served the same aim by other means, judged by what the user had asked for.

Who asks to have the drone arm printed in nylon names what is wanted; the machine that prints it is
the agent's choice, so another machine is the way out. Who asks for two orders to be refunded names
both, and the second is no fix of the first. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from hindsight_core.capture.pairing.corrections import is_measure, words_in
from hindsight_core.han import simplified
from hindsight_core.stem import stem
from hindsight_core.text import fold, is_cjk

__all__ = ["by_other_means", "is_asked_for", "names_an_object"]

_SHORTEST: Final = 3
_MAX_ASKED: Final = 2_000
_OBJECT: Final = re.compile(
    r"(?:^|[_\W])(?:id|no|nr|number|key|code|to|cc|bcc|who|whom|name|recipients?|receiver|email|mail"
    r"|users?|customers?|clients?|accounts?|contacts?|payee|person|people|phone|title|query|q|text)$"
    r"|Id$|ID$|编号$|号$|姓名$|名字$|名称$|标题$|收件人$|收款人$|用户$|客户$|账户$|账号$|联系人$|电话$|邮箱$"
)
"""Arguments that name whom or what a call is about: another value is another thing."""


def by_other_means(
    old: Mapping[str, Any], new: Mapping[str, Any], changed: Collection[str], asked: str
) -> bool:
    """Whether only what the user left open was exchanged, and what the user named was kept.

    `changed` are the arguments that both calls give with other values, `asked` the user's request.
    """
    request = _Request(asked)
    if not request or any(map(names_an_object, changed)):
        return False
    kept = (old.keys() & new.keys()) - set(changed)
    if not any(not is_measure(old[name]) and request.names(old[name]) for name in kept):
        return False
    return all(_is_choice(old[name], new[name], request) for name in changed)


def names_an_object(argument: str) -> bool:
    """Whether an argument by its name says whom or what a call is about."""
    return _OBJECT.search(simplified(argument)) is not None


def is_asked_for(value: Any, asked: str) -> bool:
    """Whether a request names a value, or a word or number of it."""
    return _Request(asked).names(value)


class _Request:
    """The user's words, cut once."""

    def __init__(self, asked: str) -> None:
        parts = words_in(asked[:_MAX_ASKED])
        self.words = {form for part in parts for form in (part, stem(part))}
        self.signs = simplified(fold(asked[:_MAX_ASKED]))

    def __bool__(self) -> bool:
        return bool(self.words)

    def names(self, value: Any) -> bool:
        return any(map(self._has, words_in(str(value))))

    def _has(self, part: str) -> bool:
        if is_cjk(part[0]):
            pairs = [part[i : i + 2] for i in range(len(part) - 1)] or [part]
            return any(pair in self.signs for pair in pairs)
        long = part.isdigit() or len(part) >= _SHORTEST
        return long and (part in self.words or stem(part) in self.words)


def _is_choice(old: Any, new: Any, request: _Request) -> bool:
    """Whether both values are names of which the user said nothing, and not two of one series."""
    if not isinstance(old, str) or not isinstance(new, str) or not old.strip() or not new.strip():
        return False
    if request.names(old) or request.names(new):
        return False
    left, right = ([part for part in words_in(value) if not part.isdigit()] for value in (old, new))
    return left != right
