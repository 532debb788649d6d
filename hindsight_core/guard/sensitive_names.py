"""Names of arguments that say who gets paid, who may do what, and what opens a door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SENSITIVE"]

_NAMES: Final = {
    "credential": (
        "password passwd pwd secret token apikey credential credentials otp pin passphrase "
        "密码 口令 令牌 密钥 密碼 金鑰"
    ),
    "payee": (
        "payee iban bic swift beneficiary recipient wallet payout "
        "收款人 收款账户 收款账号 收款帳戶 账号 卡号 钱包"
    ),
    "permission": (
        "role roles permission permissions privilege privileges sudo admin grant acl 权限 角色 權限"
    ),
    "endpoint": (
        "endpoint webhook callback proxy registry mirror host hostname 代理 镜像 主机 回调"
    ),
    "check": "verify validate ssl tls insecure force skip bypass override 审批 校验",
}

SENSITIVE: Final[Mapping[str, frozenset[str]]] = {
    what: frozenset(names.split()) for what, names in _NAMES.items()
}
"""By what they set, words of an argument's name, in lower case."""
