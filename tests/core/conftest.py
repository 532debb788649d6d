"""Which tests need a package that not every environment brings."""

from importlib.util import find_spec

collect_ignore = (
    [] if find_spec("fastembed") and find_spec("onnx") else ["test_embedders_fastembed.py"]
)
