"""English names: the keys under which results report, and the words in tools' names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["KEYS", "WORDS"]

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "error": (
        "error", "errors", "err", "errmsg", "errormsg", "errormessage", "errordescription",
        "exception", "fault", "faultstring", "failure", "failurereason", "lasterror", "stderr",
    ),
    "flag": ("success", "ok", "succeeded", "successful", "issuccess", "issuccessful"),
    "negative_flag": ("iserror", "haserror", "failed", "isfailed", "haserrors"),
    "done": (
        "accepted", "created", "sent", "delivered", "updated", "deleted", "saved", "applied",
        "reserved", "booked", "executed", "completed", "submitted", "published", "written",
        "queued", "scheduled", "cancelled", "canceled", "refunded", "paid", "charged", "moved",
        "uploaded", "added", "removed", "registered", "changed", "confirmed", "merged", "set",
        "stored", "posted", "placed", "approved", "processed", "done", "started", "stopped",
        "opened", "closed", "locked", "unlocked", "renamed", "restored", "imported", "exported",
        "installed", "deployed", "assigned", "granted", "transferred", "persisted", "committed",
    ),
    "code": (
        "code", "errcode", "errorcode", "errno", "errorno", "ret", "retcode", "returncode",
        "resultcode", "statuscode", "status", "httpstatus", "httpcode", "infocode",
        "httpstatuscode",
        "subcode", "responsecode", "rescode", "rtncode",
    ),
    "exit": ("exitcode", "returncode", "exitstatus", "rc", "exit"),
    "state": ("status", "state", "result", "outcome", "resultstatus"),
    "message": (
        "message", "msg", "reason", "detail", "details", "description", "note", "info", "title",
        "errmsg", "errormsg", "errormessage", "errordescription", "statusmessage", "submsg",
        "statustext", "statusdesc", "text", "explanation", "hint", "warning", "content", "output",
        "resultmsg", "retmsg", "displaymessage", "usermessage", "comment", "remark", "cause",
    ),
    "body": (
        "data", "result", "body", "response", "output", "payload", "content", "results", "value",
        "return", "toolresult",
    ),
    "meta": (
        "requestid", "traceid", "timestamp", "time", "path", "docs", "documentationurl", "help",
        "type", "retryafter", "url", "version", "jsonrpc", "id", "statustext", "headers",
        "duration", "ms", "elapsed", "tool", "method", "logid", "instance", "param", "extensions",
    ),
}  # fmt: skip

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "shell": (
        "bash", "sh", "shell", "terminal", "cmd", "exec", "execute", "powershell", "zsh",
        "kubectl", "git", "docker", "terraform", "ansible", "gcloud", "aws", "az", "helm", "npm",
        "cli", "make", "console", "ssh",
    ),
    "program": (
        "kubectl", "oc", "git", "docker", "podman", "terraform", "ansible", "gcloud", "aws", "az",
        "aws_cli", "helm", "npm", "yarn", "pnpm", "make", "curl", "pip", "cargo", "go", "gh", "ssh",
    ),
    "code": ("python", "code", "repl", "interpreter", "jupyter", "notebook", "node", "ipython"),
    "sql": ("sql", "psql", "mysql", "postgres", "sqlite", "database", "bigquery"),
    "http": ("http", "https", "request", "curl", "api", "rest", "graphql", "webhook"),
    "act": (
        "create", "update", "write", "set", "send", "post", "delete", "remove", "book", "reserve",
        "order", "pay", "refund", "submit", "upload", "apply", "deploy", "push", "install", "edit",
        "move", "add", "register", "cancel", "turn", "control", "print", "schedule", "publish",
        "transfer", "put", "insert", "save", "copy", "rename", "reply", "comment", "merge", "start",
        "stop", "restart", "open", "close", "click", "fill", "buy", "ship", "assign", "invite",
        "patch", "replace", "rollback", "commit", "charge", "notify", "go", "take", "use", "import",
        "export", "enable", "disable", "scale", "run", "invoke", "trigger", "lock", "unlock",
    ),
    "transform": (
        "translate", "ocr", "transcribe", "stt", "asr", "speech", "summarize", "summarise",
        "caption", "extract", "rewrite", "classify", "paraphrase", "convert", "render", "parse",
        "tts", "describe", "vision", "complete", "chat", "generate", "embed", "recognize",
    ),
    "status": (
        "status", "state", "poll", "check", "exists", "health", "monitor", "monitoring", "alerts",
        "watch", "inspect", "progress", "track", "tracking", "validate", "verify", "audit", "diff",
        "compare", "lint", "review", "is", "ping", "test", "metrics", "diagnose", "scan", "wait",
    ),
    "read": (
        "search", "find", "lookup", "grep", "read", "cat", "view", "get", "load", "log", "logs",
        "tail", "history", "list", "browse", "retrieve", "fetch", "show", "query", "inbox", "mail",
        "docs", "kb", "news", "wiki", "wikipedia", "faq", "select", "download", "crawl", "scrape",
        "look", "page", "browser", "web", "navigate", "visit",
    ),
    "agent": ("agent", "subagent", "assistant", "delegate", "worker", "ask", "llm"),
}  # fmt: skip
