"""Judges what goes in (admitted, quarantined, refused) and what comes out."""
