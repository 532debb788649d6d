"""Which fields of a tool call are about a person, and what stands before a person's name.

Data tables by language: English, Chinese in both scripts.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["HONORIFIC", "is_personal_field"]

_ENGLISH: Final = (
    "name first last full middle nick surname user username login email mail phone mobile tel fax"
    " address street city zip postcode postal birthday birth dob age gender passport license ssn"
    " customer client patient passenger guest member person people owner contact recipient sender"
    " employee student payee payer holder account iban card billing shipping id ids uuid uid"
    " reservation booking order invoice ticket"
)
_CHINESE: Final = (
    "姓名 名字 姓 名 用户 用戶 账号 帳號 账户 帳戶 邮箱 郵箱 电话 電話 手机 手機 地址 "
    "街道 城市 邮编 郵遞區號 生日 出生 年龄 年齡 性别 性別 护照 護照 身份证 身份證 "
    "客户 客戶 顾客 顧客 乘客 病人 患者 客人 会员 會員 联系人 聯繫人 收件人 发件人 "
    "寄件人 员工 員工 学生 學生 收款 付款 卡号 卡號 编号 編號 单号 單號 订单 訂單 预订 "
    "預訂"
)
_WORDS: Final = frozenset(_ENGLISH.split())
_HAN: Final = tuple(_CHINESE.split())
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NOT_A_PERSONS: Final = frozenset(
    {"file", "tool", "function", "class", "field", "column", "table", "host", "package", "model"}
)

HONORIFIC: Final = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s+[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?"
    r"|\b(?:customer|client|patient|passenger|guest|user)\s+[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?"
    r"|[\u4e00-\u9fff]{1,3}(?:先生|女士|小姐|太太)"
)
"""A person who is named with a title, in a text."""


def is_personal_field(name: str) -> bool:
    """Whether a field of this name holds a value about a person, or one that leads to him."""
    words = {word.lower() for word in _PART.findall(name)}
    if words & _NOT_A_PERSONS:
        return False
    return not words.isdisjoint(_WORDS) or any(word in name for word in _HAN)
