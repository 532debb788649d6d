"""The README's snippet of use by hand runs as it stands, without any extra."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_snippet_by_hand_runs_as_it_stands(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "hs.remember(" in block]
    done = subprocess.run(
        [sys.executable, "-c", code + "print(hs.health())"],
        env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "restored every Monday" in done.stdout
    assert "Health(ok=True" in done.stdout
