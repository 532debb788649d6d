"""An estimate of a text's tokens that needs no model's vocabulary."""

from __future__ import annotations

from hindsight_core.text import count_cjk

__all__ = ["count_tokens"]


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: one a CJK character, one for four others."""
    cjk = count_cjk(text)
    return cjk + (len(text) - cjk + 3) // 4
