"""The snippets of the guide on lessons run as they stand, one after the other, without extras."""

import os
import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "lessons.md"
PATIENT = Path(__file__).parents[1] / "patient.py"


def test_the_snippets_of_the_guide_run_one_after_the_other(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    program = tmp_path / "guide.py"
    program.write_text("\n".join((*blocks, "print(hs.health())")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(PATIENT), str(program)],
        env={**os.environ, "HINDSIGHT_URL": str(tmp_path / "m.db")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^[01]\.\d\d .*20:00", done.stdout, re.MULTILINE)
    assert re.search(r"^True .*20:00", done.stdout, re.MULTILINE)
    assert "{'time': '20:00', 'seats': 4}  worked True" in done.stdout
    assert "Health(ok=True" in done.stdout
