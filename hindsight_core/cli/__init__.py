"""The command line: `hindsight-core ...`; each command prints a table, or JSON with `--json`."""

from hindsight_core.cli.app import main

__all__ = ["main"]
