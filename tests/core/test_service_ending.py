"""A service that is told to end ends: in order where it can, and in any case."""

import signal
import subprocess
import sys

START = (
    "import signal, sys, threading\n"
    "from hindsight_core.service import end_on_sigterm\n"
    "gone = threading.Event()\n"
    "{told}\n"
    "print('ready', flush=True)\n"
)


def told_to_end(told, then):
    with subprocess.Popen(
        [sys.executable, "-c", START.format(told=told) + then],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(600)
        finally:
            process.kill()
        return process.returncode, process.stdout.read(), process.stderr.read()


def test_what_is_asked_to_end_ends_in_order() -> None:
    code, out, err = told_to_end(
        "end_on_sigterm(gone.set, code=5)", "gone.wait()\nprint('closed')\nsys.exit(3)"
    )
    assert (code, out, err) == (3, "closed\n", "")


def test_what_does_not_end_is_left_after_a_while() -> None:
    code, out, err = told_to_end(
        "end_on_sigterm(gone.set, code=5, within=0.5)", "threading.Event().wait()"
    )
    assert (code, out) == (5, "")
    assert "told to end 0.5 s ago and still held up: leaving" in err


def test_the_word_is_left_wherever_the_signal_finds_the_process() -> None:
    swallows = (
        "class Deaf:\n"
        "    def __del__(self):\n"  # what is raised in here goes nowhere
        "        sum(range(100))\n"
        "while not gone.is_set():\n"
        "    Deaf()\n"
        "sys.exit(3)"
    )
    for _ in range(5):
        assert told_to_end("end_on_sigterm(gone.set, code=5)", swallows) == (3, "", "")
