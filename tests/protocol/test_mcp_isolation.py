"""Two users of one server cannot see, change or erase what is the other's, whatever they send."""

from __future__ import annotations

import asyncio
import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_hindsight._callers import Caller
from mcp_hindsight.toolbox import Toolbox
from protocol_kit import HTTP_WAYS, TOKENS, TOOLS, connected, http_server

from hindsight_core import Hindsight, Scope, Source

WORDS = "the vault of the observatory"
SECRET = f"Beware, {WORDS} opens with the heron key"
BO = Scope(user="bo")
NAMES = ("memory_id", "memory_ids", "query", "content", "session", "user", "tenant", "scope", "id")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A store with memories of bo's, of an agent's of his, and of a namesake in another tenant."""
    path = str(tmp_path_factory.mktemp("isolation") / "memory.db")
    with Hindsight.open(path, embedder=None) as hindsight:
        places = (BO, Scope(user="bo", agent="scout"), Scope(user="ana", tenant="other"))
        ids = [hindsight.remember(p, f"{SECRET} {n}.").id for n, p in enumerate(places)]
        hindsight.remember(BO, f"I prefer that {SECRET}.", source=Source.USER)
        assert hindsight.flush()
        yield hindsight, ids


def everything(hindsight):
    """All that is stored of everybody but ana."""
    places = (BO, Scope(user="bo", agent="scout"), Scope(user="ana", tenant="other"))
    return [hindsight.memories(place) for place in places]


def values(ids):
    known = st.sampled_from(
        [*ids, "bo", "*", "%", "", "other", WORDS, "' OR 1=1 --", "bo\x00ana", "../bo", "scout"]
    )
    scopes = st.fixed_dictionaries({}, optional=dict.fromkeys(("user", "tenant", "agent"), known))
    leaves = st.one_of(known, st.text(max_size=20), st.integers(), st.booleans(), st.none(), scopes)
    return st.one_of(leaves, st.lists(leaves, max_size=4))


def test_no_arguments_reach_what_is_another_users(shared):
    hindsight, ids = shared
    before = everything(hindsight)
    toolbox = Toolbox(hindsight, queries_per_minute=0)
    caller = Caller(user="ana")
    argument = st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=8)), values(ids))

    @settings(max_examples=200, suppress_health_check=list(HealthCheck))
    @given(tool=st.sampled_from(TOOLS), arguments=argument, target=st.sampled_from(ids))
    def attack(tool, arguments, target):
        proper = {
            "forget": {"memory_ids": [target]},
            "query": {"query": WORDS},
            "store": {"content": str(arguments.get("content", "A plain note."))},
            "summarize": {"session": "bo"},
            "feedback": {"memory_id": target, "helpful": False},
        }.get(tool, {"memory_id": target})
        for sent in (arguments, proper, {**proper, **arguments}):
            reply = asyncio.run(toolbox.call(caller, f"memory_{tool}", sent))
            said = reply.error or (reply.answer.model_dump_json() if reply.answer else "")
            assert "heron" not in said

    attack()
    assert hindsight.flush()
    assert everything(hindsight) == before


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with http_server(
        tmp_path_factory.mktemp("http") / "memory.db", "--queries-per-minute", "0"
    ) as address:
        yield address


@pytest.mark.parametrize("way", HTTP_WAYS)
async def test_users_over_http_see_their_own_alone(url, way):
    held = {}
    for user in TOKENS:
        async with connected(way, url=url, token=TOKENS[user]) as client:
            kept = await client.answer(
                "memory_store", content=f"The locker code of the gym is written by {user} {way}."
            )
            held[user] = kept["memory"]["id"]
    for user in TOKENS:
        async with connected(way, url=url, token=TOKENS[user]) as client:
            found = await client.answer(
                "memory_query", query="the locker code of the gym", limit=10
            )
            mine = {one["id"] for one in found["memories"]}
            assert held[user] in mine
            for other in set(TOKENS) - {user}:
                assert held[other] not in mine
                assert f"by {other} " not in found["notes"]
                for tool in ("details", "verify"):
                    said = await client.error(f"memory_{tool}", memory_id=held[other])
                    assert "no memory of that id" in said
                said = await client.error("memory_feedback", memory_id=held[other], helpful=True)
                assert "no memory of that id" in said
                said = await client.error("memory_forget", memory_ids=[held[user], held[other]])
                assert "no memory of that id" in said
            said = await client.error("memory_query", query="locker", user="bo")
            assert "user: is no argument" in said
            await client.answer("memory_details", memory_id=held[user])


def post(url, body, token=None, path="/mcp", **headers):
    place = urlsplit(url)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=30)) as connection:
        connection.request(
            "POST", path, body if isinstance(body, bytes) else json.dumps(body), sent
        )
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.parametrize(
    "token",
    [None, "", "x", TOKENS["ana"][:-1], TOKENS["ana"] + "a", TOKENS["ana"].upper(), "é" * 30],
)
def test_nobody_is_let_in_without_a_known_token(url, token):
    for path in ("/mcp", "/messages/?session_id=0"):
        status, _, text = post(url, HELLO, token and token.encode().decode("latin-1"), path=path)
        assert status == 401
        assert "heron" not in text


def test_a_session_of_another_user_does_not_exist(url):
    _, headers, _ = post(url, HELLO, TOKENS["bo"])
    session = {name.lower(): value for name, value in headers.items()}["mcp-session-id"]
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert post(url, ask, TOKENS["ana"], Mcp_Session_Id=session)[0] == 404
    assert post(url, ask, TOKENS["ana@other"], Mcp_Session_Id=session)[0] == 404
    assert post(url, ask, TOKENS["bo"], Mcp_Session_Id=session)[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Host": "LOCALHOST:1"}, 200),
    ],
)
def test_pages_of_elsewhere_and_names_that_were_bound_anew_are_turned_away(url, headers, status):
    assert post(url, HELLO, TOKENS["ana"], **headers)[0] == status


async def test_a_token_that_was_taken_out_of_the_file_lets_nobody_in_any_more(tmp_path):
    with http_server(tmp_path / "memory.db") as address:
        assert post(address, HELLO, TOKENS["bo"])[0] == 200
        file = tmp_path / "tokens.toml"
        good = file.read_text()
        file.write_text("[[token]\n")  # a slip of the operator's changes nothing
        assert post(address, HELLO, TOKENS["bo"])[0] == 200
        file.write_text(good.replace(TOKENS["bo"], "another-" + "c" * 20))
        assert post(address, HELLO, TOKENS["bo"])[0] == 401
        assert post(address, HELLO, TOKENS["ana"])[0] == 200
        assert "tokens stay as they were" in (tmp_path / "server.log").read_text()
