"""Backends behind the store ports."""
