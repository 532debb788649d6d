"""A record that was changed behind our back does not verify."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.errors import ConfigurationError, StoreUnavailableError
from hindsight_core.guard.signing import KEY_VARIABLE, load_key, sign, verify
from hindsight_core.schema import (
    Kind,
    Lesson,
    Memory,
    MemoryKey,
    MemoryValue,
    Mistake,
    Scope,
    Source,
    Status,
    Trigger,
)

KEY = b"0123456789abcdef0123456789abcdef"
NOW = datetime(2031, 4, 3, tzinfo=UTC)
MEMORY = Memory(
    id="m1",
    scope=Scope(user="ann"),
    kind=Kind.LESSON,
    source=Source.TOOL,
    trust=0.4,
    value=MemoryValue(content="Pages hold 50 items."),
    lesson=Lesson(trigger=Trigger(), mistake=Mistake(action="asked for 80", consequence="422")),
    lineage=("m0",),
    created_at=NOW,
    updated_at=NOW,
)
CHANGES: dict[str, Any] = {
    "id": "m2",
    "scope": Scope(user="bob"),
    "kind": Kind.FACT,
    "source": Source.USER,
    "trust": 0.9,
    "key": MemoryKey(subject="x"),
    "query": "when paging",
    "value": MemoryValue(content="Pages hold 500 items."),
    "lineage": (),
    "lesson": None,
}
COUNTED: dict[str, Any] = {
    "status": Status.ARCHIVED,
    "references": 7,
    "hits": 3,
    "verified_runs": 2,
    "updated_at": datetime(2032, 1, 1, tzinfo=UTC),
    "conflicts_with": ("m9",),
}


def test_a_signed_record_verifies_also_after_it_was_stored_and_read() -> None:
    signed = sign(MEMORY, KEY)
    assert verify(signed, KEY)
    assert verify(Memory.model_validate_json(signed.model_dump_json()), KEY)


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_field_breaks_the_signature(field: str) -> None:
    assert not verify(sign(MEMORY, KEY).model_copy(update={field: CHANGES[field]}), KEY)


@pytest.mark.parametrize("field", COUNTED)
def test_what_the_store_counts_does_not_break_the_signature(field: str) -> None:
    assert verify(sign(MEMORY, KEY).model_copy(update={field: COUNTED[field]}), KEY)


@given(st.text(), st.text())
def test_two_texts_never_share_a_signature(first: str, second: str) -> None:
    signed = [
        sign(MEMORY.model_copy(update={"value": MemoryValue(content=text)}), KEY).signature
        for text in (first, second)
    ]
    assert (signed[0] == signed[1]) == (first == second)


def test_another_key_or_no_signature_does_not_verify() -> None:
    assert not verify(sign(MEMORY, KEY), b"f" * 32)
    assert not verify(MEMORY, KEY)


def test_the_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.key"
    key = load_key(path, environment={})
    assert load_key(path, environment={}) == key
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.key"
    assert load_key(path, environment={KEY_VARIABLE: "k" * 32}) == b"k" * 32
    assert not path.exists()


def test_a_short_key_is_refused_with_the_way_out() -> None:
    with pytest.raises(ConfigurationError, match="token_hex"):
        load_key(None, environment={KEY_VARIABLE: "short"})


def test_a_key_that_others_can_read_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "memory.key"
    load_key(path, environment={})
    path.chmod(0o644)
    load_key(path, environment={})
    assert "chmod 600" in caplog.text


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match=KEY_VARIABLE):
        load_key(tmp_path / "missing" / "memory.key", environment={})


def test_a_file_system_without_hard_links_keeps_the_key_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "memory.key"
    assert load_key(path, environment={}) == load_key(path, environment={})
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


def test_processes_that_start_at_once_share_one_key(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from hindsight_core.guard import load_key; "
        "print(load_key(Path(sys.argv[1]), environment={}).hex())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "memory.key")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    keys = [process.communicate(timeout=600)[0].strip() for process in started]
    assert all(keys)
    assert len(set(keys)) == 1
