"""Whether a user's next words say that it worked, or that it did not; one table a language."""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.text import fold

__all__ = ["read_feedback"]

_CONSIDERED: Final = 240
"""Characters from the start; what comes later is mostly the next request."""
_FIRST: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?[^.!?。！？\n]*")

_BAD: Final = re.compile(
    r"\b(?:still|again) (?:not|no|does|is|fail\w*|broken|wrong|the same|get\w*|says?|an? error"
    r"|crash\w*)"
    r"|\b(?:does|did|do|is|was|has|have|are)(?:n['’]t| not) (?:work|help|right|correct|what i|fix"
    r"|solve"
    r"|quite|enough|good|true|it\b|run|start|done)|\bnot (?:what i|right|correct|working|good"
    r"|quite|fixed"
    r"|solved|there|the right|it\b)|\bnope\b|^no[,.! ]|^no$|\bwrong\b|\bincorrect\b|\bfail(?:s|ed"
    r"|ing)?\b"
    r"|\bbroken?\b|\bworse\b|\buseless\b|\bmistake\b|\bundo\b|\brevert\b|\bsame (?:error|problem"
    r"|issue)"
    r"|\bnot? (?:use|luck|change|effect)\b|\bbad\b|\bcan(?:no|['’])t (?:be right|see|open)"
    r"|还是(?:不|没|错|报|有|那|一样|出|失败)|还(?:是)?没|不(?:行|对|好用|正确|管用|起作用|能用"
    r"|工作|是我|是这个|太对)"
    r"|没(?:有)?(?:用|效果|变|解决|成功|改|生效|反应|修好)|错了|错误|有误|失败|报错|又(?:错|失败"
    r"|出错|报|坏|不)|怎么又|白费"
    r"|搞错|弄错|做错|撤销|撤回|改回|不满意|不是(?:这样|我|这个)|糟|无效|依然|仍然(?:不|没|报)"
)
_GOOD: Final = re.compile(
    r"\b(?:works?|worked|working)\b|\b(?:thanks?|thank you|thx|cheers|ty)\b|\bperfect(?:ly)?\b"
    r"|\bgreat\b"
    r"|\bexcellent\b|\bawesome\b|\b(?:that|this|it|all|looks?|very|so|is|was"
    r"|just)(?:['’]s)? (?:is )?"
    r"(?:good|right|correct|fine|it\b|fixed|solved|well|done)|\bsolved\b|\bfixed\b|\bexactly\b"
    r"|\bwell done\b"
    r"|\bnice\b|\bspot on\b|\bbrilliant\b|\bgood job\b|\bjust what i\b|\bas i wanted\b|\bresolved\b"
    r"|谢谢|多谢|感谢|辛苦|可以了|好了|好的[,，。!！]|对了|对[,，。!！]|^对$|没问题|成功了|搞定"
    r"|解决了|完美|很好|不错|正是|就是这"
    r"|正确|太好|棒|赞|行了|收到了|满意|没错|好用|能用了|好使|妥了|这就对|没毛病"
)
_ASK: Final = re.compile(r"[?？]\s*$|\b(?:could|can|would|will) you\b|\bplease\b|请|帮我|吗")


def read_feedback(text: str) -> bool | None:
    """Return True for praise, False for complaint, None where the words tell neither.

    Complaint outweighs praise ("good code, wrong place"). Thanks inside a question or a new request
    are politeness, not a verdict. Only the first sentences count.
    """
    head = simplified(fold(text.strip()[:_CONSIDERED]))
    first = _FIRST.match(head)
    said = first[0] if first else head
    if not said.strip():
        return None
    if _BAD.search(said):
        return False
    if not _GOOD.search(said):
        return None
    polite = re.sub(r"\b(?:thanks?|thank you|thx)\b|谢谢|多谢|感谢|辛苦", " ", said)
    if _ASK.search(said) and not _GOOD.search(polite):
        return None
    return True
