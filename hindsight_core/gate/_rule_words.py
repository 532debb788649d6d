"""Words by which rules and calls are compared, a table for each language."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ANY_ACT",
    "ANY_THING",
    "ARTICLES",
    "COMMANDS",
    "EMPTY",
    "INNER",
    "LATE_ENDS",
    "LOOKS",
    "MENTIONS",
    "PLACES",
    "PLACE_NAMES",
    "PLACE_NOUNS",
    "PROSE",
    "SAME_ACTS",
    "WRAPPERS",
]

_PROSE_EN: Final = """
abstract body caption change changes comment comments content contents description details
explanation html markdown memo message msg note notes prompt question reason remark remarks reply
summary text thought title subject
"""
_PROSE_ZH: Final = """
正文 内容 描述 说明 备注 评论 留言 消息 摘要 标题 主题 原因 文本 问题 回复 更改 改动
"""
PROSE: Final = frozenset((*_PROSE_EN.split(), *_PROSE_ZH.split()))
"""What arguments are called that hold prose: a word in them is talked of, not acted upon."""

_ANY_ACT_EN: Final = "do give go have keep make put take touch use want get be try change work"
_ANY_ACT_ZH: Final = "用 使用 做 动 碰 弄 搞 要 给 来 拿 改"
ANY_ACT: Final = frozenset((*_ANY_ACT_EN.split(), *_ANY_ACT_ZH.split()))
"""Verbs that say nothing of what is done: whatever is done with the thing breaks the rule."""

ARTICLES: Final = frozenset(["a", "an", "any", "my", "our", "the", "your"])
"""Words of a phrase that may stand between a thing and what is said of it."""

_EMPTY_EN: Final = """
a an any at for in my of on or our the to with your against from into onto under inside within
during own
"""
EMPTY: Final = frozenset(_EMPTY_EN.split())
"""Words of a phrase that need not be in a call."""

INNER: Final = ("里面", "里头", "之内", "以内", "里", "内", "中", "的时候", "时")
"""What ends a place or a time in Chinese and need not be in a call."""

ANY_THING: Final = frozenset(
    ["anything", "nothing", "everything", "whatever", "任何", "什么", "一切", "任何东西", "东西"]
)
"""Words for all that there is: where they are what is not to be done, no act is excepted."""

PLACES: Final = (
    frozenset(
        [
            "production",
            "prod",
            "prd",
            "生产环境",
            "生产库",
            "生产",
            "线上环境",
            "线上",
            "正式环境",
            "正式库",
        ]
    ),
    frozenset(
        ["staging", "stage", "preprod", "preproduction", "预发环境", "预发布", "预发", "预生产"]
    ),
    frozenset(["test", "testing", "测试环境", "测试库", "测试"]),
    frozenset(["dev", "development", "开发环境", "开发库", "开发"]),
)
"""Where work is done, each with its names."""
PLACE_NOUNS: Final = frozenset(
    [
        "database",
        "databases",
        "db",
        "dbs",
        "server",
        "servers",
        "cluster",
        "clusters",
        "environment",
        "environments",
        "env",
        "system",
        "systems",
        "service",
        "services",
        "machine",
        "machines",
        "数据库",
        "库",
        "服务器",
        "环境",
        "系统",
        "服务",
        "集群",
        "机器",
    ]
)
"""What a place is made of: "the production database" is production."""
PLACE_NAMES: Final = frozenset(
    [
        "env",
        "environment",
        "db",
        "database",
        "cluster",
        "host",
        "server",
        "stage",
        "target",
        "namespace",
        "profile",
        "context",
        "tier",
        "环境",
        "数据库",
        "库",
        "集群",
        "服务器",
        "目标",
    ]
)
"""What arguments are called that name a place."""

SAME_ACTS: Final = (
    frozenset(["run", "execute", "exec", "跑", "运行", "执行"]),
    frozenset(["restart", "reboot", "重启"]),
    frozenset(["deploy", "release", "rollout", "部署", "发布", "上线", "发版"]),
    frozenset(["delete", "drop", "truncate", "erase", "删除", "删", "清空", "清理"]),
    frozenset(["write", "insert", "写", "写入"]),
    frozenset(["push", "推送", "推"]),
)
"""Verbs of one act."""

LOOKS: Final = frozenset(
    [
        "get",
        "list",
        "read",
        "show",
        "describe",
        "view",
        "find",
        "search",
        "fetch",
        "check",
        "inspect",
        "查",
        "看",
        "列",
        "读",
        "搜",
        "查询",
    ]
)
"""What tools that only look begin with."""

COMMANDS: Final = frozenset(
    ["command", "cmd", "script", "shell", "bash", "sh", "commands", "命令", "脚本", "指令"]
)
"""What arguments are called that hold a shell's command."""
WRAPPERS: Final = frozenset(
    ["sudo", "env", "time", "nohup", "xargs", "exec", "command", "nice", "timeout", "watch"]
)
"""Programs that run the one named after them."""
MENTIONS: Final[dict[str, frozenset[str]]] = {
    name: frozenset[str]()
    for name in [
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "ag",
        "ack",
        "cat",
        "bat",
        "less",
        "more",
        "head",
        "tail",
        "echo",
        "printf",
        "ls",
        "find",
        "wc",
        "which",
        "type",
        "man",
        "whereis",
        "file",
        "stat",
        "diff",
        "sort",
        "uniq",
        "cut",
        "tree",
        "sed",
        "awk",
        "jq",
        "touch",
    ]
} | {
    "git": frozenset(
        [
            "log",
            "show",
            "diff",
            "grep",
            "status",
            "blame",
            "commit",
            "tag",
            "fetch",
            "checkout",
            "switch",
            "branch",
            "add",
            "stash",
        ]
    )
}
"""Programs to which their arguments are things to look at or to say, by subcommand for some."""

LATE_ENDS: Final = frozenset(
    ["end", "ends", "until", "till", "finish", "to", "close", "due", "结束", "截止", "完成"]
)
"""What arguments are called that say when something is over."""
