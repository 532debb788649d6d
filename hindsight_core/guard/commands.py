"""Finds what is dangerous by its form: commands that run fetched code, credentials handed out."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["hands_out_credential", "leaks_by_image", "runs_fetched_code"]

_FETCH: Final = r"\b(?:curl|wget|fetch|aria2c|lynx|iwr|irm|invoke-(?:webrequest|restmethod))\b"
_SHELL: Final = (
    r"(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+(?:\S+=\S*\s+)*)?(?:/\S*/)?"
    r"(?:(?:ba|z|da|k|fi|a|c|tc)?sh|python\d?(?:\.\d+)?|perl|ruby|node|php|iex|invoke-expression|pwsh"
    r"|powershell)\b"
)
_RUNS: Final = re.compile(
    rf"{_FETCH}[^\n|]{{0,300}}(?:\|[^\n|]{{0,80}}){{0,3}}\|\s*{_SHELL}"
    rf"|(?:<\(|\$\(|`)\s*(?:sudo\s+)?{_FETCH}"
    rf"|\b(?:iex|invoke-expression)\b[^\n]{{0,20}}{_FETCH}"
    rf"|{_FETCH}[^\n]{{0,300}}(?:&&|;|\n)\s*(?:sudo\s+)?(?:chmod\s+\S*x\S*|(?:ba|z|da)?sh\s+\S|\./\S)"
    rf"|\bbase(?:64|32)\b[^\n|]{{0,80}}(?:-d|-D|--decode)[^\n|]{{0,40}}\|\s*{_SHELL}"
    r"|\bdownloadstring\s*\(|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,60}\s-e(?:nc(?:odedcommand)?)?\s"
    r"|\b(?:exec|eval)\s*\([^\n]{0,60}(?:urlopen|requests\.get|fetch|b64decode|atob|fromhex)\s*\(",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(
    r"curl|wget|fetch|aria2c|lynx|iwr|irm|invoke-|base64|base32|downloadstring|powershell|pwsh|urlopen"
    r"|requests\.get|b64decode|atob|fromhex",
    re.IGNORECASE,
)


_IMAGE: Final = re.compile(
    r"!\[[^\]\n]{0,200}\]\(\s*https?://[^)\n]{0,300}[?&/=][^)\n]{0,100}[{<$\[]"
    r"|<img\b[^>\n]{0,200}src\s*=\s*[\"']?https?://[^>\n]{0,300}[?&=][^>\n]{0,100}[{<$\[]",
    re.IGNORECASE,
)

# A word that says that it works, one for a credential, and what looks like one: with a digit.
_VALUE: Final = r"\s*[\"'`“「]?(?=[\w-]{0,60}\d)[A-Za-z][\w-]{7,}"
_CREDENTIAL: Final = re.compile(
    r"\b(?:valid|correct|working|right|real|actual|master|shared|admin)\b[^.\n]{0,24}"
    rf"\b(?:key|token|password|passcode|secret)\b[^.\n]{{0,30}}?(?:\bis\b|:|=){_VALUE}"
    r"|(?:有效|正确|可用|真正|实际|万能|共用|管理员)[^。\n]{0,12}(?:密钥|令牌|密码|口令|key|token)[^。\n]{0,10}?"
    rf"(?:是|为|：|:|=){_VALUE}",
    re.IGNORECASE,
)
_NAMES_CREDENTIAL: Final = re.compile(
    r"key|token|password|passcode|secret|密钥|令牌|密码|口令", re.IGNORECASE
)


def hands_out_credential(text: str) -> bool:
    """Whether a text says which credential is the one that works: only a person may set one."""
    return _NAMES_CREDENTIAL.search(text) is not None and _CREDENTIAL.search(text) is not None


def leaks_by_image(text: str) -> bool:
    """Whether a text has an image whose address is to be filled in: to show it is to send it."""
    shown = "](" in text or "<img" in text.lower()
    return shown and _IMAGE.search(text) is not None


def runs_fetched_code(text: str) -> bool:
    """Whether a text has a command that runs what it fetches or decodes, as `curl … | sh` does."""
    return _SIGN.search(text) is not None and _RUNS.search(text) is not None
