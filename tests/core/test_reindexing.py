"""Changing the embedder of a store that is in use."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Scope
from hindsight_core.cli import reindexing as command
from hindsight_core.cli.app import app
from hindsight_core.engine import reindex
from hindsight_core.errors import EmbedderMismatchError
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import make_memory

ADA = Scope(user="ada")


class Hashing:
    """Counts signs in 16 places, which are others for a model of another name."""

    def __init__(self, name):
        self.info = IndexInfo(model=name, dimension=16, relevance=0.2, same_subject=0.7)

    def query(self, text):
        vector = np.zeros(16, np.float32)
        for sign in text:
            vector[(ord(sign) + ord(self.info.model[0])) % 16] += 1
        return vector / max(np.linalg.norm(vector), 1e-9)

    def passages(self, texts):
        return np.stack([self.query(text) for text in texts])


OLD, NEW = Hashing("old"), Hashing("new")


def stored(path, count=200):
    store = SqliteStore(path)
    store.put([make_memory(f"m{n}", f"text number {n}") for n in range(count)])
    reindex(store, OLD)
    return store


def test_every_record_has_a_vector_of_the_new_embedder(tmp_path):
    store = stored(tmp_path / "s.db")
    assert store.index_info() == OLD.info
    seen = []
    assert reindex(store, NEW, on_progress=lambda *state: seen.append(state)) == 200
    assert seen[0] == (0, 200)
    assert seen[-1] == (200, 200)
    assert store.index_info() == NEW.info
    for name in ("m0", "m77"):
        (memory,) = store.get(ADA, [name])
        cosine = store.cosines(ADA, [name], NEW.query(memory.content))
        assert cosine[name] == pytest.approx(1, abs=1e-5)
    assert reindex(store, NEW) == 0
    assert store.check()["vectors"] == 200
    store.close()


def test_a_store_of_another_embedder_is_refused_by_the_name_of_the_command(tmp_path):
    stored(tmp_path / "s.db", 3).close()
    with pytest.raises(EmbedderMismatchError, match="hindsight-core reindex"):
        Hindsight.open(tmp_path / "s.db", embedder=NEW)


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from test_reindexing import NEW
from hindsight_core.engine import reindex
from hindsight_core.stores import SqliteStore
def stop(done, total):
    if done >= 100:
        print(done, flush=True)
        sys.stdin.read()
reindex(SqliteStore(sys.argv[1]), NEW, on_progress=stop)
"""


def test_a_killed_reindexing_changes_nothing_and_is_gone_on_with(tmp_path):
    store = stored(tmp_path / "s.db")
    going = subprocess.Popen(
        [sys.executable, "-c", KILLED, store.path, os.path.dirname(__file__)],  # noqa: PTH120
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    done = int(going.stdout.readline())
    os.kill(going.pid, signal.SIGKILL)
    going.communicate()
    assert store.index_info() == OLD.info
    assert len(store.nearest(ADA, Where(), OLD.query("text number 7"), 5)) == 5
    assert store.check()["problems"] == []
    assert reindex(store, NEW) == 200 - done
    assert store.index_info() == NEW.info
    assert store.check()["vectors"] == 200
    store.close()


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from test_reindexing import ADA, OLD
from hindsight_core import Hindsight
hindsight = Hindsight.open(sys.argv[1], embedder=OLD)
number = 0
while not hindsight.health().embedder_error or number < 40:
    hindsight.remember(ADA, f"written meanwhile {number} of many")
    number += 1
    print(number, flush=True)
    hindsight.flush()
hindsight.remember(ADA, "written after the switch")
assert hindsight.recall(ADA, "written after the switch").report.candidates
hindsight.close()
print("end", number, flush=True)
"""


def test_what_another_process_writes_meanwhile_is_there_after_the_switch(tmp_path):
    store = stored(tmp_path / "s.db")
    writing = subprocess.Popen(
        [sys.executable, "-c", WRITER, store.path, os.path.dirname(__file__)],  # noqa: PTH120
        stdout=subprocess.PIPE,
        text=True,
    )
    for _ in range(3):
        writing.stdout.readline()
    reindex(store, NEW)
    assert store.index_info() == NEW.info
    last = writing.communicate()[0].split()
    assert writing.returncode == 0
    written = int(last[-1])
    assert sum(store.count().values()) == 200 + written + 1
    assert reindex(store, NEW) >= 1
    assert store.unencoded(9) == []
    for memory in store.select(ADA, Where(), limit=written + 1):
        cosine = store.cosines(ADA, [memory.id], NEW.query(memory.content))
        assert cosine[memory.id] == pytest.approx(1, abs=1e-5)
    assert store.check()["problems"] == []
    store.close()


@pytest.mark.swallows
def test_a_process_whose_embedder_was_replaced_goes_on_by_words_and_says_so(tmp_path):
    store = stored(tmp_path / "s.db", 5)
    hindsight = Hindsight.open(tmp_path / "s.db", embedder=OLD)
    assert hindsight.recall(ADA, "text number 3").report.embedder == "old"
    reindex(store, NEW)
    found = hindsight.recall(ADA, "text number 3")
    assert found.report.embedder == ""
    assert found.report.candidates
    assert "hindsight-core reindex" in hindsight.health().embedder_error
    assert not hindsight.health().ok
    hindsight.close()
    store.close()


@pytest.mark.swallows
def test_a_lazily_opened_memory_never_asks_an_index_of_another_embedder(tmp_path):
    stored(tmp_path / "s.db", 5).close()
    hindsight = Hindsight.open(tmp_path / "s.db", embedder=NEW, lazy=True)
    found = hindsight.recall(ADA, "text number 3")
    assert found.report.embedder == ""
    assert all(candidate.cosine is None for candidate in found.report.candidates)
    assert "reindex" in hindsight.health().embedder_error
    hindsight.close()


def test_the_command_switches_and_says_what_it_did(tmp_path, monkeypatch):
    path = str(tmp_path / "s.db")
    stored(path).close()
    monkeypatch.setattr(command, "open_embedder", lambda name: {"new": NEW, "old": OLD}[name])
    done = CliRunner().invoke(app, ["reindex", "--store", path, "-e", "new", "--json"])
    assert json.loads(done.stdout) == {"from": "old", "to": "new", "encoded": 200, "waiting": 0}
    done = CliRunner().invoke(app, ["reindex", "--store", path, "-e", "old"])
    assert "200 memories encoded; the index is now of old" in " ".join(done.stdout.split())
    Hindsight.open(path, embedder=OLD).close()


def test_without_an_embedder_the_command_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "open_embedder", lambda name: None)
    done = CliRunner().invoke(app, ["reindex", "--store", str(tmp_path / "s.db")])
    assert "hindsight-core[embed]" in str(done.exception)
