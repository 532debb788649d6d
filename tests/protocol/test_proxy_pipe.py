"""The proxy is a pipe: what passes it is what was sent, byte for byte, whatever it is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap

import pytest
from protocol_kit import ENVIRONMENT, PROGRAM

SERVER = """
    import sys
    taken, given = sys.argv[1:3]
    sys.stderr.buffer.write(b"the server's own \\xff stderr\\n")
    sys.stderr.flush()
    sys.stdout.buffer.write(open(given, "rb").read())
    sys.stdout.flush()
    with open(taken, "wb") as file:
        while chunk := sys.stdin.buffer.read1(65536):
            file.write(chunk)
    sys.exit(7)
"""

TRAFFIC = [
    b"",
    b"\n\r\n\x00\xff\xfe not json \n",
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}\n',
    b'{"jsonrpc": "2.0",  "id": 1, "result" : {"z": 1, "a": 1e0, "z": 2}}\r\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}\n',
    b'{"jsonrpc":"2.0","id":"\\u0061\\ud800","method":"tools\\/call","params":{"name":"\xe4\xb9\xa6"}}\n',
    b'[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}},5,null]\n',
    b'{"jsonrpc":"2.0","id":4,"method":"no/such","params":[]}\n',
    b'{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}\n',
    b'{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no","data":{"deep":[[]]}}}\n',
    b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5,"arguments":7}}\n',
    b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"big","arguments":{"a":"'
    + b"x" * 3_000_000
    + b'"}}}\n',
    b'{"jsonrpc":"2.0","id":6,"result":{"content":"odd","isError":"maybe"}}\n',
    b"y" * 17_000_000 + b"\n",
    b'{"jsonrpc":"2.0","id":7,"method":"ping"} with no end of line',
]


@pytest.fixture
def script(tmp_path):
    """Writes a server."""

    def write(code, name="server.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(code))
        return str(path)

    return write


def proxy(store, *command, gate="", **more):
    """The proxy before a command, as a process."""
    options = ["--store", str(store), "--deadline", "120", *(("--gate", gate) if gate else ())]
    return subprocess.Popen(
        [*PROGRAM, "mcp-proxy", *options, "--", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        **more,
    )


@pytest.mark.parametrize("gate", ["", "advise", "confirm", "block"])
def test_bytes_pass_both_ways_as_they_are(store, script, tmp_path, gate):
    sent, given = b"".join(TRAFFIC), b"".join(reversed(TRAFFIC[:-1])) + TRAFFIC[-1]
    (tmp_path / "given").write_bytes(given)
    server = (sys.executable, script(SERVER), str(tmp_path / "taken"), str(tmp_path / "given"))
    with proxy(store, *server, gate=gate) as process:
        out, err = process.communicate(sent, 600)
    assert process.returncode == 7
    assert (tmp_path / "taken").read_bytes() == sent
    assert out == given
    assert b"the server's own \xff stderr\n" in err
    assert b"Traceback" not in err


@pytest.mark.parametrize("place", ["/dev/null/memory.db", "no-such-scheme://x"])
def test_the_traffic_goes_on_without_a_memory_and_stderr_says_so(script, tmp_path, place):
    (tmp_path / "given").write_bytes(TRAFFIC[3])
    server = (sys.executable, script(SERVER), str(tmp_path / "taken"), str(tmp_path / "given"))
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}\n'
    with proxy(place, *server, gate="block") as process:
        out, err = process.communicate(call, 600)
    assert process.returncode == 7
    assert (tmp_path / "taken").read_bytes() == call
    assert out == TRAFFIC[3]
    assert err.count(b"the traffic goes on without it") == 1


def test_a_store_that_breaks_in_the_middle_does_not_stop_the_traffic(store, script):
    echo = """
        import sys
        for line in sys.stdin.buffer:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
    """
    call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}\n'
    with proxy(store, sys.executable, script(echo)) as process:
        for number in range(40):
            process.stdin.write(call % number)
            process.stdin.flush()
            assert process.stdout.readline() == call % number
            if number == 10:
                # Not its -shm: that is SQLite's memory, and whoever cuts it off kills any process.
                for path in store.parent.glob("memory.db*"):
                    if not path.name.endswith("-shm"):
                        path.write_bytes(b"this is no database any more" * 1_000)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (0, b"")
    assert b"Traceback" not in err


def test_the_exit_code_of_the_server_is_that_of_the_proxy(store, script):
    for code in (0, 3, 255):
        server = script(f"import sys; sys.exit({code})", f"exit{code}.py")
        with proxy(store, sys.executable, server) as process:
            process.communicate(timeout=600)
        assert process.returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_signal_that_ended_the_server_ends_the_proxy(store, script, number):
    server = script(f"import os; os.kill(os.getpid(), {int(number)})")
    with proxy(store, sys.executable, server) as process:
        process.communicate(timeout=600)
    assert process.returncode == -number


def test_a_signal_to_the_proxy_reaches_the_server(store, script):
    server = script("""
        import signal, sys
        def end(number, frame):
            print("ended by", number, flush=True)
            sys.exit(5)
        signal.signal(signal.SIGTERM, end)
        print("ready", flush=True)
        while True:
            signal.pause()
    """)
    with proxy(store, sys.executable, server) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == b"ended by 15\n"
        process.communicate(timeout=600)
    assert process.returncode == 5


def test_a_command_that_is_not_there_is_one_clear_line(store):
    with proxy(store, "no-such-command-anywhere") as process:
        _, err = process.communicate(timeout=600)
    assert process.returncode == 1
    assert b"no-such-command-anywhere: No such file or directory" in err
    assert b"Traceback" not in err


def test_nothing_that_was_said_stands_in_the_log(store, script, tmp_path):
    (tmp_path / "given").write_bytes(b"")
    server = (sys.executable, script(SERVER), str(tmp_path / "taken"), str(tmp_path / "given"))
    arguments = {"note": "heron-key", "odd": "\ud800"}
    call = {
        "id": 1,
        "method": "tools/call",
        "params": {"name": "heron-key", "arguments": arguments},
    }
    with proxy(store, *server, gate="advise") as process:
        _, err = process.communicate(json.dumps(call).encode() + b"\n", 120)
    assert b"heron-key" not in err
