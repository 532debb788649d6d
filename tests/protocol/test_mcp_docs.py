"""The settings in the docs are settings: JSON that names commands and options that there are."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")


def commands():
    """The words after `hindsight-core` in each setting and each line of a shell."""
    for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL):
        for servers in json.loads(block).values():
            for setting in servers.values():
                if "args" in setting:
                    words = [setting["command"], *setting["args"]]
                    yield words[words.index("hindsight-core") + 1 :]
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if "hindsight-core" in words:
                words = words[words.index("hindsight-core") + 1 :]
                yield words[: words.index(">>")] if ">>" in words else words


# The oldest typer that is allowed asks the newest click for a name that is going away.
@pytest.mark.filterwarnings("ignore:'click:DeprecationWarning")
@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_a_command_of_the_docs_is_taken(words):
    import typer
    from mcp_hindsight.command import register

    app = typer.Typer()
    register(app)
    group = typer.main.get_command(app)
    command = group.commands[words[0]]
    assert command.make_context(words[0], list(words[1:]))
