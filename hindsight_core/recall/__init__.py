"""Finds the few memories that matter, renders them into a block, and gates tool calls."""
