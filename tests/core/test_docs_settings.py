"""The page on settings names every setting with its default."""

import re
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path

from hindsight_core import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| `(.*?)` \|", re.MULTILINE)


def spelt(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value).__module__.startswith("hindsight_core"):
        return f"{type(value).__name__}()"
    return repr(value).replace("'", '"')


def test_every_setting_is_there_with_its_default() -> None:
    defaults = {
        one.name: one.default if one.default is not MISSING else one.default_factory()
        for one in fields(Settings)
    }
    assert dict(ROW.findall(PAGE)) == {name: spelt(value) for name, value in defaults.items()}
