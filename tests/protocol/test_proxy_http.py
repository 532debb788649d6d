"""The proxy before a server at a URL hands bodies on as they are, and learns from their calls."""

from __future__ import annotations

import re
import subprocess
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_hindsight._events import EventSplitter, data_of, with_data
from protocol_kit import ENVIRONMENT, HTTP_WAYS, PROGRAM, TOKENS, connected, http_server
from test_mcp_isolation import HELLO, post

from hindsight_core import Hindsight, Kind, Scope

EVIL = "The note of the heron"


@contextmanager
def before(url, store, *options):
    """The proxy before a URL; gives its own."""
    log = store.with_name(f"proxy-{len(list(store.parent.iterdir()))}.log")
    command = [*PROGRAM, "mcp-proxy", url, "--port", "0", "--deadline", "120"]
    command += ["--store", str(store), *options]
    with log.open("w") as out, subprocess.Popen(command, stderr=out, env=ENVIRONMENT) as process:
        try:
            while not (found := re.search(r"proxy at (\S+)", log.read_text())):
                assert process.poll() is None, log.read_text()
                try:
                    process.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
            yield found[1]
        finally:
            process.terminate()
            assert process.wait(600) == 0
            assert "Traceback" not in log.read_text()
            assert EVIL not in log.read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with http_server(tmp_path_factory.mktemp("server") / "memory.db") as url:
        yield url


@pytest.mark.parametrize("way", HTTP_WAYS)
async def test_a_failure_of_a_server_at_a_url_is_learnt_and_foretold(server, store, way):
    token = TOKENS["ana"]
    with before(f"{server}/mcp", store) as url:
        async with connected(way, url=url, token=token) as client:
            said = await client.error("memory_store", content=EVIL, kind="rumour")
            assert "kind: input should be 'fact'" in said
            assert (
                len((await client.call("memory_store", content=EVIL, kind="fact"))["content"]) == 1
            )
    with Hindsight.open(str(store), embedder=None) as hindsight:
        assert hindsight.flush()
        kinds = [memory.kind for memory in hindsight.memories(Scope(user="local"))]
        assert Kind.LESSON in kinds
    with before(f"{server}/mcp", store, "--gate", "advise") as url:
        async with connected(way, url=url, token=token) as client:
            result = await client.call("memory_store", content=EVIL, kind="rumour")
            assert result["isError"]
            assert "kind: input should be" in result["content"][0]["text"]
            assert "What worked" in result["content"][1]["text"]
            assert (
                len((await client.call("memory_store", content=EVIL, kind="fact"))["content"]) == 1
            )
    with before(f"{server}/mcp", store, "--gate", "block") as url:
        async with connected(way, url=url, token=token) as client:
            result = await client.call("memory_store", content=EVIL, kind="rumour")
            assert "What worked" in result["content"][-1]["text"]
            # What is posted for an SSE stream is answered there: such a call is advised on.
            assert len(result["content"]) == (2 if way == "sse" else 1)


def test_status_headers_and_bodies_are_the_servers_own(server, store):
    with before(f"{server}/mcp", store) as url:
        for token, body in ((None, HELLO), (TOKENS["bo"], b"no json"), (TOKENS["bo"], b"\xff")):
            there, here = post(server, body, token), post(url, body, token)
            assert (there[0], there[2]) == (here[0], here[2])
            names = [{name.lower() for name in one[1]} for one in (there, here)]
            assert names[0] - {"content-length"} <= names[1]
        status, headers, _ = post(url, HELLO, TOKENS["bo"])
        assert status == 200
        assert "mcp-session-id" in {name.lower() for name in headers}
        assert post(url, HELLO, TOKENS["bo"], Origin="https://evil.example")[0] == 403
        assert post(url, HELLO, TOKENS["bo"], Host="evil.example")[0] == 421


def test_a_server_that_is_not_there_is_a_bad_gateway(store):
    with before("http://127.0.0.1:9/mcp", store) as url:
        status, _, text = post(url, HELLO)
        assert status == 502
        assert "127.0.0.1:9" in text


EVENTS = st.lists(
    st.sampled_from([b"data: {}", b"event: message", b"\r", b"\n", b"\r\n", b": ping", b"id: 1"])
)


@given(st.lists(EVENTS.map(b"".join)))
def test_the_pieces_of_an_event_stream_are_the_stream(chunks):
    splitter = EventSplitter()
    pieces = [piece for chunk in chunks for piece, _ in splitter.feed(chunk)]
    assert b"".join(pieces) + splitter.rest() == b"".join(chunks)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_an_event_keeps_what_is_not_its_data(end):
    event = end.join((b"id: 7", b"event: message", b"data: {", b"data: }", b"", b""))
    assert data_of(event) == b"{\n}"
    changed = with_data(event, b'{"a":1}\n')
    assert data_of(changed) == b'{"a":1}'
    assert b"id: 7" in changed
