"""The snippets of the guide on lessons run as they stand, one after the other, without extras."""

import os
import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "lessons.md"


def test_the_snippets_of_the_guide_run_one_after_the_other(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    done = subprocess.run(
        [sys.executable, "-c", "\n".join((*blocks, "print(hs.health())"))],
        env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^[01]\.\d\d .*20:00", done.stdout, re.MULTILINE)
    assert re.search(r"^True .*20:00", done.stdout, re.MULTILINE)
    assert "{'time': '20:00', 'seats': 4}  worked True" in done.stdout
    assert "Health(ok=True" in done.stdout
