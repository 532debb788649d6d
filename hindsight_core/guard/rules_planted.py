"""Rules for what is planted to last: hidden from the user, copied on, or lent another's voice.

Most of them hold only where the learnt scorer does not see plain work, for an honest note uses the
same ideas; for the scorer each is also a feature. They know no words: those are in the lexicons.
"""

from __future__ import annotations

from typing import Final

from hindsight_core.guard.rule import Rule

__all__ = ["PLANTED"]


_HONEST: Final = ("protect", "guarded")


def _rule(
    reason: str,
    *needs: str,
    span: int = 10,
    firm: bool = False,
    unless: tuple[str, ...] = _HONEST,
) -> Rule:
    return Rule(reason=reason, needs=needs, span=span, unless=unless, firm=firm)


PLANTED: Final[tuple[Rule, ...]] = (
    # Who works for the user hides nothing from him, whatever the work is.
    _rule("hides it from the user", "hushes", firm=True),
    _rule("asks to be carried on", "replicates"),
    # What warned of a fraud is what an attacker wants gone, so that its words clear nothing here.
    _rule("erases memories", "memories", "clears", unless=("guarded",)),
    _rule("names the only contact", "contact", "only_way", span=14),
    _rule("defeats a safety device", "defeats", "guard_device", span=8),
    _rule("raises an allowance", "allowance", "raised", span=8),
    _rule("makes it look other than it was", "forges"),
    _rule("lets no other choice be named", "crowd", "belittles_rest", span=14, firm=True),
    *(
        _rule("belittles what binds", "belittles", bond, span=14)
        for bond in ("principal", "instructions", "check")
    ),
    *(
        _rule("counts on nobody looking", "unwatched", deed, span=14)
        for deed in ("destroy", "drop", "clears", "send")
    ),
    *(_rule("leaks by a name", "in_the_name", held, span=14) for held in ("secret", "personal")),
    *(_rule("feeds a tool what is private", "shadows", held) for held in ("secret", "personal")),
)
