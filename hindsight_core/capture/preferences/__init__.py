"""Preferences, constraints and lasting facts that a user's own words state; no model is needed."""

from hindsight_core.capture.preferences.reading import (
    MAX_FINDINGS,
    PreferenceFinding,
    extract_preferences,
    read_preference,
)

__all__ = ["MAX_FINDINGS", "PreferenceFinding", "extract_preferences", "read_preference"]
