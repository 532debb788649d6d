"""What the README and the examples promise to a newcomer holds, without any extra."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PROJECT = ROOT / "pyproject.toml"
EXAMPLES = ROOT / "examples"
PATIENT = ROOT / "tests" / "patient.py"
OURS = {
    "autogen_hindsight",
    "crewai_hindsight",
    "hindsight_core",
    "langchain_hindsight",
    "stand_in",
}


def test_the_snippet_by_hand_runs_as_it_stands(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "hs.remember(" in block]
    program = tmp_path / "snippet.py"
    program.write_text(code + "print(hs.health())", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(PATIENT), str(program)],
        env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "restored every Monday" in done.stdout
    assert "Health(ok=True" in done.stdout


def test_the_list_of_commands_is_the_one_that_the_program_has():
    text = README.read_text(encoding="utf-8")
    (listed,) = re.findall(r"`hindsight-core (list \| [^`]*)`", text)
    done = subprocess.run(
        [sys.executable, "-c", "from hindsight_core.cli.app import main; main()", "--help"],
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    shown = set(re.findall(r"^│ ([a-z][a-z-]+) ", done.stdout, re.MULTILINE))
    named = {name.strip() for name in listed.split("|")}
    assert named - shown <= {"mcp", "mcp-proxy"}  # which an installed package adds
    assert shown - named <= {"mcp-token"}  # told of in docs/mcp.md


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_says_what_has_to_be_installed_for_it(example):
    """Each package that it imports is named in its first lines, or in an extra that is."""
    tree = ast.parse(example.read_text(encoding="utf-8"))
    head = ast.get_docstring(tree) or ""
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = ",".join(re.findall(r"hindsight-core\[([\w,-]+)\]", head)).split(",")
    told = head + " ".join(package for extra in named for package in extras.get(extra, ()))
    for module in sorted(set(imported(tree)) - OURS - set(sys.stdlib_module_names)):
        assert module.replace("_", "-") in told, module


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
