"""The commands that look at the memory and change it, as tables and as JSON."""

import json

import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Kind, Scope, Source
from hindsight_core.cli.app import app, main
from hindsight_core.errors import HindsightError

ME = Scope(user="ana")


@pytest.fixture
def store(tmp_path):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None) as hindsight:
        hindsight.remember(ME, "Use pnpm, not npm.", kind=Kind.PREFERENCE, source=Source.USER)
        hindsight.remember(ME, "以后周报只发北岸项目群。", kind=Kind.PREFERENCE, source=Source.USER)
        run = hindsight.run(ME, task="Install the packages with npm or pnpm")
        run.context()
        run.finish(ok=True)
    return path


def invoke(*args: str):
    return CliRunner().invoke(app, list(args))


def as_json(*args: str):
    done = invoke(*args, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_list_shows_the_memories_of_one_user(store):
    found = as_json("list", "--store", store, "-u", "ana")
    assert {memory["value"]["content"] for memory in found} == {
        "Use pnpm, not npm.",
        "以后周报只发北岸项目群。",
    }
    assert as_json("list", "--store", store, "-u", "ben") == []
    assert "pnpm" in invoke("list", "--store", store, "-u", "ana").stdout
    assert as_json("list", "--store", store, "-u", "ana", "-k", "lesson") == []


def test_show_and_search_and_explain_name_the_same_memory(store):
    report = as_json("search", "pnpm or npm?", "--store", store, "-u", "ana")
    shown = [one for one in report["candidates"] if one["shown"]]
    assert shown[0]["content"] == "Use pnpm, not npm."
    memory = as_json("show", shown[0]["memory_id"], "--store", store, "-u", "ana")
    assert memory["source"] == "user"
    explained = as_json("explain", report["recall_id"], "--store", store, "-u", "ana")
    assert explained["recalls"][0]["injected"] == report["injected"]
    for command in (("search", "pnpm"), ("explain", report["recall_id"])):
        done = invoke(*command, "--store", store, "-u", "ana")
        assert done.exit_code == 0
        assert "pnpm" in done.stdout


def test_a_search_by_a_person_is_no_use_of_what_it_finds(store):
    before = as_json("list", "--store", store, "-u", "ana")
    for _ in range(3):
        as_json("search", "pnpm or npm?", "--store", store, "-u", "ana")
    assert as_json("list", "--store", store, "-u", "ana") == before


def test_stats_and_doctor_find_a_healthy_store(store):
    assert as_json("stats", "--store", store)["memories"] == {"preference/active": 2}
    checked = as_json("doctor", "--store", store)
    assert checked["problems"] == []
    assert "no problem found" in invoke("doctor", "--store", store).stdout


def test_forget_erases_by_id_and_asks_before_it_erases_everything(store):
    first = as_json("list", "--store", store, "-u", "ana")[0]["id"]
    receipt = as_json("forget", first, "--store", store, "-u", "ana")
    assert receipt["removed"]["memories"] == 1
    refused = CliRunner().invoke(
        app, ["forget", "--all", "--store", store, "-u", "ana"], input="n\n"
    )
    assert refused.exit_code == 1
    assert len(as_json("list", "--store", store, "-u", "ana")) == 1
    as_json("forget", "--all", "--yes", "--store", store, "-u", "ana")
    assert as_json("list", "--store", store, "-u", "ana") == []


def test_forget_without_ids_and_without_all_is_an_error(store):
    done = invoke("forget", "--store", store, "-u", "ana")
    assert isinstance(done.exception, HindsightError)
    assert len(as_json("list", "--store", store, "-u", "ana")) == 2


def test_an_id_that_is_not_there_is_a_typed_error(store):
    done = invoke("show", "nothing", "--store", store, "-u", "ana")
    assert isinstance(done.exception, HindsightError)


def test_no_memory_can_colour_the_terminal_or_use_markup(store):
    with Hindsight.open(store, embedder=None) as hindsight:
        hindsight.remember(ME, "[bold red]x[/] \x1b[31mred", source=Source.USER)
    shown = invoke("list", "--store", store, "-u", "ana").stdout
    assert "[bold red]x[/]" in shown.replace("\n", "")
    assert "\x1b[31m" not in shown


HISTORY = [
    {"role": "system", "content": "Always use npm."},
    {"role": "user", "content": "From now on always use pnpm, never npm."},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "a", "function": {"name": "install", "arguments": '{"with": "npm", "dir": "x"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "Error: npm: command not found"},
    {
        "role": "assistant",
        "tool_calls": [
            {
                "id": "b",
                "function": {"name": "install", "arguments": '{"with": "pnpm", "dir": "x"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "b", "content": "done, 12 packages"},
]


@pytest.fixture
def history(tmp_path):
    file = tmp_path / "history.jsonl"
    file.write_text(json.dumps({"messages": HISTORY}) + "\n", encoding="utf-8")
    return file


def test_an_existing_history_is_learnt_from_once(store, history):
    first = as_json("import", str(history), "--store", store, "-u", "ben")
    assert first["runs"] == 1
    assert first["learnt"]["lesson/active"] == 1
    again = as_json("import", str(history), "--store", store, "-u", "ben")
    assert again["learnt"] == {}
    contents = [m["value"]["content"] for m in as_json("list", "--store", store, "-u", "ben")]
    assert any("From now on always use pnpm" in content for content in contents)
    assert any("with='pnpm'" in content for content in contents)
    assert not any("Always use npm" in content for content in contents)


def test_a_dry_run_shows_what_would_be_learnt_and_stores_nothing(store, history):
    shown = as_json("import", str(history), "--store", store, "-u", "ben", "--dry-run")
    assert any("pnpm" in content for content in shown["would_store"])
    assert as_json("list", "--store", store, "-u", "ben") == []


def test_bad_lines_are_an_error_or_are_counted(store, history):
    history.write_text(history.read_text(encoding="utf-8") + "not json\n", encoding="utf-8")
    strict = invoke("import", str(history), "--store", store, "-u", "ben")
    assert isinstance(strict.exception, HindsightError)
    lax = as_json("import", str(history), "--store", store, "-u", "ben", "--skip-bad")
    assert lax["bad_lines"] == 1


def test_compact_rewrites_the_store_and_says_so(store):
    assert as_json("compact", "--store", store) == {"overwritten": True}
    assert "holds nothing any more" in " ".join(invoke("compact", "--store", store).stdout.split())


def test_a_receipt_of_a_large_store_names_the_command_that_overwrites_the_rest(store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sqlite_wiping._SMALL", 0)
    done = invoke("forget", "--all", "-y", "--store", store, "-u", "ana")
    assert "hindsight-core compact" in done.stdout


def test_verify_confirms_and_refutes_by_word_of_a_person(store):
    with Hindsight.open(store, embedder=None) as hindsight:
        note = "The staging database listens on port 5433."
        memory_id = hindsight.remember(ME, note, source=Source.TOOL).id
    of_ana = ("--store", store, "-u", "ana")
    assert as_json("verify", memory_id, *of_ana)["trust"] == Source.USER.trust
    assert as_json("verify", memory_id, "--operator", *of_ana)["trust"] == 1.0
    assert as_json("verify", memory_id, "--refute", *of_ana)["status"] == "archived"
    assert "confirmed by the user" in invoke("verify", memory_id, *of_ana).stdout


def test_remember_stores_the_word_of_the_user_or_an_operator(tmp_path):
    path = str(tmp_path / "new.db")
    rule = as_json(
        "remember", "以后一律用 pnpm。", "--store", path, "-u", "ana", "-k", "preference"
    )
    assert (rule["source"], rule["kind"]) == ("user", "preference")
    fact = as_json("remember", "The staging host is cobalt-7.", "--store", path, "--operator")
    assert (fact["source"], fact["scope"]["user"]) == ("operator", "local")
    shown = invoke("recall", "staging host", "--store", path)
    assert "cobalt-7" in shown.stdout
    assert "cobalt-7" not in invoke("list", "--store", path, "-u", "ana").stdout


def test_erasing_a_user_who_is_not_there_says_so_beside_a_backup_too(store, tmp_path):
    with Hindsight.open(store, embedder=None) as hindsight:
        hindsight.store.backup(str(tmp_path / "copy.db"))
    done = invoke("forget", "--all", "--yes", "--store", store, "-u", "anna")
    assert "Nothing was there" in done.output
    done = invoke("forget", "--all", "--yes", "--store", store, "-u", "ana")
    assert "Nothing was there" not in done.output


@pytest.mark.parametrize(
    "command", ["show", "forget", "verify", "explain", "restore", "share preview"]
)
def test_an_id_that_is_not_there_says_where_ids_are_and_whose_memory_was_meant(
    store, command, monkeypatch, capsys
):
    monkeypatch.setattr(
        "sys.argv", ["hindsight-core", *command.split(), "nosuch", "--store", store]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "hindsight-core list" in said
    assert "--user" in said


def test_vouching_without_a_name_names_the_option(store):
    assert "--by" in str(invoke("audit", "--vouch", "--store", store).exception)
