"""Reads Chinese that is written in Latin letters (pinyin), as far as an order needs.

There is no table of all words here, only of those in which orders to an assistant are given: what
is not one of them is left out, and the rules judge what remains.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = ["from_pinyin"]

_WORDS_TEXT: Final = """
hu lue 忽略 | wu shi 无视 | wang ji 忘记 | wang diao 忘掉 | bu yao zun shou 不要遵守 |
bu zai zun shou 不再遵守 | bu yao li hui 不理会 | bu yong guan 不用管 | bie guan 别管 |
rao guo 绕过 | jie chu 解除 | qu xiao 取消 | fu gai 覆盖 | zhi ling 指令 | zhi shi 指示 |
gui ze 规则 | ti shi ci 提示词 | ti shi 提示 | xian zhi 限制 | yue shu 约束 |
she ding 设定 | yao qiu 要求 | ming ling 命令 | suo you 所有 | quan bu 全部 | yi qie 一切 |
zhi qian 之前 | yi qian 以前 | xian qian 先前 | shang mian 上面 | qian mian 前面 |
xi tong 系统 | an quan 安全 | yong hu 用户 | zhu ren 主人 | kai fa zhe 开发者 |
fa song 发送 | fa gei 发给 | fa chu lai 发出来 | fa dao 发到 | shang chuan 上传 |
zhuan fa 转发 | shu chu 输出 | da yin 打印 | gao su 告诉 | mi ma 密码 | mi yao 密钥 |
kou ling 口令 | si yao 私钥 | ling pai 令牌 | zhu ji ci 助记词 | yan zheng ma 验证码 |
shen fen zheng 身份证 | tong xun lu 通讯录 | zhuan zhang 转账 | shan chu 删除 |
guan bi 关闭 | tiao guo 跳过 | jiao yan 校验 | shen he 审核 | shen pi 审批 | pi zhun 批准 |
guan li yuan 管理员 | quan xian 权限 | ju jue 拒绝
"""
_GAP: Final = r"[\W\d_]{0,3}"
_MIN_WORDS: Final = 3
"""Two may be the syllables of a name."""


def _table() -> dict[str, str]:
    entries = (entry.split() for entry in _WORDS_TEXT.split("|"))
    return {"".join(syllables): word for *syllables, word in entries}


_TABLE: Final = _table()
# The longer word first, for one begins with another.
_SPELT: Final = sorted(
    (entry.split()[:-1] for entry in _WORDS_TEXT.split("|")), key=lambda spelt: -len("".join(spelt))
)
_PATTERN: Final = re.compile("|".join(_GAP.join(spelt) for spelt in _SPELT))
# A text with none of these has no order in it; most texts end here.
_SIGN: Final = re.compile(
    rf"gui{_GAP}ze|zhi{_GAP}(?:ling|shi|qian)|ti{_GAP}shi|xian{_GAP}zhi|mi{_GAP}(?:ma|yao)|yan{_GAP}zheng"
    rf"|xi{_GAP}tong|suo{_GAP}you|shen{_GAP}(?:he|pi|fen)|jiao{_GAP}yan"
)
_LETTERS: Final = re.compile(r"[a-z]+")


def from_pinyin(text: str) -> Iterator[tuple[str, str]]:
    """The words of an order that a text spells in pinyin, with or without tones, in Chinese."""
    plain = text.lower()
    if not plain.isascii():
        marked = unicodedata.normalize("NFD", plain)
        plain = "".join(sign for sign in marked if not unicodedata.combining(sign))
    # "lü" is also typed "lv"; without its dots it is "lu".
    plain = plain.replace("lv", "lu").replace("nv", "nu")
    if not _SIGN.search(plain):
        return
    found = ["".join(_LETTERS.findall(match.group())) for match in _PATTERN.finditer(plain)]
    words = [_TABLE[spelt] for spelt in found]
    if len(set(words)) >= _MIN_WORDS:
        yield "pinyin", "".join(words)
