"""Shell commands: which one ran, whether its output is data, what its exit code says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["NO_COMMAND", "Command", "read_command", "stages_of"]

_SEQUENCE: Final = re.compile(r"\|\||&&|;|\n|(?<![>&])&(?![>&0-9])")
_TOKEN: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\S+")
_SKIP: Final = re.compile(r"[A-Za-z_]\w*=\S*|[-+]\S*|[0-9]+[smh]?")
_WRAPPERS: Final = frozenset({
    "sudo", "time", "timeout", "nohup", "env", "xargs", "npx", "pnpx", "bunx", "uvx", "nice",
    "exec", "command", "stdbuf", "bash", "sh", "zsh", "-c", "cd", "watch", "pipenv", "poetry", "uv",
    "run", "busybox", "then", "do", "if", "while", "!",
})  # fmt: skip

_CONTENT: Final = frozenset({
    "cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack",
    "awk", "sed", "journalctl", "dmesg", "history", "strings", "jq", "yq", "echo", "printf", "zcat",
    "bat", "sort", "uniq", "cut", "tr", "nl", "tac", "column", "xxd", "od", "ps", "top", "env",
    "man", "last", "fold", "diff", "ls", "find", "tree", "pwd", "stat", "du", "df", "wc", "file",
    "id", "whoami", "date", "uname", "dir", "crontab", "type", "which",
    "whereis", "gc",
    "get-content", "select-string", "findstr",
})  # fmt: skip
_CONTENT_OF: Final[dict[str, frozenset[str]]] = {
    "kubectl": frozenset({"get", "describe", "logs", "top", "events", "explain"}),
    "oc": frozenset({"get", "describe", "logs", "status"}),
    "docker": frozenset({"ps", "logs", "inspect", "images", "stats", "events", "history"}),
    "podman": frozenset({"ps", "logs", "inspect", "images"}),
    "docker-compose": frozenset({"ps", "logs"}),
    "git": frozenset(
        {"log", "show", "diff", "blame", "grep", "status", "branch", "tag", "reflog"}
    ),
    "systemctl": frozenset(
        {"status", "list-units", "is-active", "is-enabled", "is-failed", "show"}
    ),
    "service": frozenset({"status"}),
    "supervisorctl": frozenset({"status", "tail"}),
    "helm": frozenset({"list", "status", "history", "get"}),
    "gh": frozenset({"list", "view", "status", "diff", "checks", "api"}),
    "terraform": frozenset({"show", "output", "state", "plan"}),
    "npm": frozenset({"ls", "audit", "outdated", "view"}),
    "aws": frozenset({"logs"}),
    "pip": frozenset({"list", "show", "freeze", "check"}),
}  # fmt: skip
_FILTERS: Final = frozenset({
    "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "awk", "sed", "jq", "echo", "printf",
    "journalctl", "less", "bat", "sort", "strings", "zcat",
})  # fmt: skip

_PRINTING: Final = frozenset({"logs", "log", "show", "diff", "blame", "grep", "reflog"})

_ANSWERS: Final[dict[str, frozenset[int]]] = {
    **dict.fromkeys(
        ("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[",
         "pgrep", "pidof", "which", "type", "expr", "findstr", "comm", "command", "lsof", "fuser"),
        frozenset({1}),
    ),
    "systemctl": frozenset({1, 2, 3, 4}),
    "service": frozenset({1, 2, 3, 4}),
    "pg_isready": frozenset({1, 2}),
}  # fmt: skip
_ANSWERS_OF: Final[dict[str, dict[str, frozenset[int]]]] = {
    "git": {
        "diff": frozenset({1}), "grep": frozenset({1}), "merge-base": frozenset({1}),
        "check-ignore": frozenset({1}), "show-ref": frozenset({1}), "config": frozenset({1}),
        "ls-remote": frozenset({2}), "rev-parse": frozenset({1}), "diff-index": frozenset({1}),
    },
    "terraform": {"plan": frozenset({2})},
    "kubectl": {"diff": frozenset({1})},
    "docker": {"diff": frozenset({1})},
}  # fmt: skip
_CHECKERS: Final[dict[str, frozenset[int]]] = {
    **dict.fromkeys(
        ("pytest", "ruff", "flake8", "mypy", "pyright", "eslint", "black", "isort", "prettier",
         "shellcheck", "yamllint", "hadolint", "bandit", "jest", "vitest", "mocha", "rspec",
         "phpunit", "unittest", "stylelint", "golangci-lint", "markdownlint", "codespell", "ctest",
         "tflint", "rubocop", "ktlint", "checkstyle", "lint", "biome", "vulture", "nox", "tox",
         "pylint", "pre-commit"),
        frozenset({1}),
    ),
    "pylint": frozenset(range(1, 32)),
}  # fmt: skip
_CHECKING: Final = frozenset(
    {"test", "lint", "check", "audit", "vet", "verify", "fmt", "clippy", "--noEmit"}
)
_RUNNERS: Final = frozenset({
    "npm", "yarn", "pnpm", "bun", "cargo", "go", "mvn", "gradle", "gradlew", "make", "dotnet",
    "mix", "bundle", "tsc", "composer", "deno", "swift", "sbt", "bazel", "mvnw", "just", "task",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """The command that ran last, and the names of all.

    `content`: its output is data. `pure`: it prints what others wrote. `filters`: it prints what it
    was given, so no line but one with its name before it is its own word.
    `checker`: it judges code, and a bad verdict is its answer.
    """

    name: str = ""
    verb: str = ""
    names: tuple[str, ...] = ()
    content: bool = False
    pure: bool = False
    filters: bool = False
    checker: bool = False

    def answers(self, exit_code: int) -> bool:
        """Whether this exit code is an answer ("no match", "they differ") and not a failure."""
        codes = _ANSWERS.get(self.name, frozenset[int]())
        by_verb = _ANSWERS_OF.get(self.name, {}).get(self.verb, frozenset[int]())
        return exit_code in codes or exit_code in by_verb


NO_COMMAND: Final = Command()


def read_command(text: str) -> Command:
    """Read a shell command line.

    Of a pipe the last stage prints; of commands in a row each does, and the last one's exit code is
    that of all. All are named.
    """
    pipes = [
        stages
        for part in _SEQUENCE.split(text[:2_000])
        if (stages := [words for stage in part.split("|") if (words := _words(stage))])
    ]
    if not pipes:
        return NO_COMMAND
    printing = [stages[-1] for stages in pipes]
    last = printing[-1]
    return Command(
        name=last[0],
        verb=_verb(last),
        names=tuple(words[0] for stages in pipes for words in stages),
        content=all(map(_is_content, printing)),
        pure=all(map(_is_pure, printing)),
        filters=all(words[0] in _FILTERS for words in printing),
        checker=any(_is_checker(words) for words in printing),
    )


def stages_of(text: str) -> list[list[str]]:
    """The programs of a command line, each with its arguments as written, wrappers left out."""
    parts = (stage for part in _SEQUENCE.split(text[:2_000]) for stage in part.split("|"))
    return [words for part in parts if (words := _spelt_out(part))]


def _spelt_out(part: str) -> list[str]:
    words = [word.strip("\"'()`$") for word in _TOKEN.findall(part)[:40]]
    if words[:1] == ["cd"]:
        return []
    for index, word in enumerate(words):
        if word and word not in _WRAPPERS and not _SKIP.fullmatch(word):
            return [word.rpartition("/")[2] or word, *words[index + 1 :]]
    return []


def _verb(words: list[str]) -> str:
    return next((word for word in words[1:] if not _SKIP.fullmatch(word)), "")


def _is_pure(words: list[str]) -> bool:
    return words[0] in _FILTERS or (words[0] in _CONTENT_OF and _verb(words) in _PRINTING)


def _words(part: str) -> list[str]:
    words = [word.strip("\"'()`$").rpartition("/")[2] or word for word in _TOKEN.findall(part)[:40]]
    if words[:1] == ["cd"]:
        return []
    for index, word in enumerate(words):
        if word == "python" or word.startswith("python3"):
            module = words[index + 2 : index + 3] if words[index + 1 : index + 2] == ["-m"] else []
            return [*(module or [word]), *words[index + (3 if module else 1) :]]
        if word and word not in _WRAPPERS and not _SKIP.fullmatch(word):
            return words[index:]
    return []


def _is_content(words: list[str]) -> bool:
    verbs = _CONTENT_OF.get(words[0])
    return words[0] in _CONTENT or (verbs is not None and any(word in verbs for word in words[1:4]))


def _is_checker(words: list[str]) -> bool:
    name = words[0]
    if name in _CHECKERS:
        return True
    return name in _RUNNERS and any(word.partition(":")[0] in _CHECKING for word in words[1:5])
