"""The measurements of this project: `python -m benchmarks NAME --data DIR [--json]`."""
