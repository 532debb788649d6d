"""Runs an example as its users do, but for the deadline of a hook.

    python tests/patient.py EXAMPLE [ARGUMENT ...]

A model is loaded at the first recall: where all of the tests share two cores that takes longer than
the two seconds after which a run goes on without memory.
"""

import runpy
import sys
from pathlib import Path

from hindsight_core.settings import DEFAULT_SETTINGS

object.__setattr__(DEFAULT_SETTINGS, "deadline", 60.0)
sys.argv = sys.argv[1:]
sys.path[0] = str(Path(sys.argv[0]).parent)
runpy.run_path(sys.argv[0], run_name="__main__")
