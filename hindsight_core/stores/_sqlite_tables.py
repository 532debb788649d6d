"""The tables of version 1 of the SQLite store; published, so never edited.

What later versions change is in `_sqlite_schema`, one function a version.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FIRST"]

FIRST: Final = (
    # One row: `change` grows with every writing transaction, `forgotten` is the change up to which
    # tombstones were dropped.
    """CREATE TABLE state (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        change INTEGER NOT NULL,
        forgotten INTEGER NOT NULL)""",
    "INSERT INTO state VALUES (1, 0, 0)",
    # An agent or session that is not named is ''. `documents` and `tokens` are the statistics
    # of its text index as of `text_change`, so that no user's ranking depends on another's texts.
    """CREATE TABLE scopes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tenant TEXT NOT NULL,
        user TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        documents INTEGER NOT NULL DEFAULT 0,
        tokens REAL NOT NULL DEFAULT 0,
        text_change INTEGER NOT NULL DEFAULT 0,
        UNIQUE (tenant, user, agent, session))""",
    # `time` is the key's time or that of creation. Times are microseconds since 1970, UTC.
    # `body` is the record as JSON; the columns that `touch` counts are newer than it.
    """CREATE TABLE memories (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        kind TEXT NOT NULL,
        status TEXT NOT NULL,
        superseded INTEGER NOT NULL,
        time INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        subject TEXT NOT NULL,
        task_type TEXT,
        dedupe_key TEXT NOT NULL,
        revision INTEGER NOT NULL,
        "references" INTEGER NOT NULL,
        last_referenced_at INTEGER,
        change INTEGER NOT NULL,
        body TEXT NOT NULL)""",
    """CREATE UNIQUE INDEX memories_dedupe ON memories (scope_id, dedupe_key)
        WHERE dedupe_key <> ''""",
    "CREATE INDEX memories_newest ON memories (scope_id, created_at)",
    """CREATE INDEX memories_subject ON memories (scope_id, subject, created_at)
        WHERE subject <> ''""",
    "CREATE INDEX memories_changed ON memories (change)",
    """CREATE TABLE entities (
        rid INTEGER NOT NULL REFERENCES memories (rid) ON DELETE CASCADE,
        entity TEXT NOT NULL,
        PRIMARY KEY (rid, entity)) WITHOUT ROWID""",
    """CREATE TABLE tools (
        rid INTEGER NOT NULL REFERENCES memories (rid) ON DELETE CASCADE,
        tool TEXT NOT NULL,
        PRIMARY KEY (rid, tool)) WITHOUT ROWID""",
    # What the text index holds of a record: tokens that are cut, stemmed and marked with their
    # scope by us, each between blanks; `length` is their weighted number.
    """CREATE TABLE words (
        rid INTEGER PRIMARY KEY REFERENCES memories (rid),
        own TEXT NOT NULL,
        context TEXT NOT NULL,
        length REAL NOT NULL)""",
    # To the ascii tokenizer every sign of a token is one, of whatever script.
    """CREATE VIRTUAL TABLE texts USING fts5 (
        own, context, content = 'words', content_rowid = 'rid', tokenize = 'ascii')""",
    """CREATE TABLE embedder (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        model TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        relevance REAL NOT NULL,
        same_subject REAL NOT NULL)""",
    """CREATE TABLE vectors (
        rid INTEGER PRIMARY KEY REFERENCES memories (rid) ON DELETE CASCADE,
        change INTEGER NOT NULL,
        vector BLOB NOT NULL)""",
    "CREATE INDEX vectors_changed ON vectors (change)",
    """CREATE TABLE unencoded (
        rid INTEGER PRIMARY KEY REFERENCES memories (rid) ON DELETE CASCADE)""",
    # By these the caches of other processes learn that a vector is gone.
    "CREATE TABLE tombstones (change INTEGER NOT NULL, rid INTEGER NOT NULL)",
    "CREATE INDEX tombstones_changed ON tombstones (change)",
    """CREATE TRIGGER vectors_gone AFTER DELETE ON vectors BEGIN
        INSERT INTO tombstones SELECT change, old.rid FROM state; END""",
    # `total` events arrived, the first `judged` of them are judged.
    """CREATE TABLE runs (
        run_id TEXT PRIMARY KEY,
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        owner TEXT NOT NULL,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        total INTEGER NOT NULL,
        judged INTEGER NOT NULL,
        ended INTEGER NOT NULL)""",
    "CREATE INDEX runs_pending ON runs (first_at) WHERE total > judged",
    # Of a run whose transcript was forgotten only the keys stay, under no run.
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT REFERENCES runs (run_id),
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        key TEXT NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (scope_id, key))""",
    "CREATE INDEX events_of_run ON events (run_id, seq)",
    # The gate's counts. `failures` counts since the last success of the user, in any scope.
    """CREATE TABLE calls (
        tenant TEXT NOT NULL,
        user TEXT NOT NULL,
        signature TEXT NOT NULL,
        situation TEXT NOT NULL,
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        shape TEXT NOT NULL,
        tool TEXT NOT NULL,
        failures INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        error_class TEXT NOT NULL,
        transient INTEGER NOT NULL,
        memory_id TEXT NOT NULL,
        last_failure_at INTEGER,
        last_success_at INTEGER,
        PRIMARY KEY (signature, tenant, user, situation, scope_id)) WITHOUT ROWID""",
    "CREATE INDEX calls_of_shape ON calls (shape, tenant, user)",
    """CREATE TABLE counted (
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        run_id TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (scope_id, run_id, key)) WITHOUT ROWID""",
    """CREATE TABLE recalls (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        scope_id INTEGER NOT NULL REFERENCES scopes (id),
        recall_id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        report TEXT NOT NULL,
        UNIQUE (scope_id, recall_id))""",
    "CREATE INDEX recalls_of_run ON recalls (run_id)",
    "CREATE INDEX recalls_newest ON recalls (scope_id)",
    """CREATE TABLE audit (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL,
        prev_hash TEXT NOT NULL,
        hash TEXT NOT NULL)""",
    """CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN
        SELECT RAISE (ABORT, 'the audit log is append-only'); END""",
    """CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit BEGIN
        SELECT RAISE (ABORT, 'the audit log is append-only'); END""",
)
