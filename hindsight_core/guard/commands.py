"""Finds commands that fetch code from the network and run it unseen."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["leaks_by_image", "runs_fetched_code"]

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


def leaks_by_image(text: str) -> bool:
    """Whether a text has an image whose address is to be filled in: to show it is to send it."""
    shown = "](" in text or "<img" in text.lower()
    return shown and _IMAGE.search(text) is not None


def runs_fetched_code(text: str) -> bool:
    """Whether a text has a command that runs what it fetches or decodes, as `curl … | sh` does."""
    return _SIGN.search(text) is not None and _RUNS.search(text) is not None
