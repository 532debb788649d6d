"""Which tests need a package that not every environment brings, and where their kits are."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

collect_ignore = (
    [] if find_spec("fastembed") and find_spec("onnx") else ["test_embedders_fastembed.py"]
)
