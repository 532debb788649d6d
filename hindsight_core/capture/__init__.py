"""Events in, candidate memories out: outcomes, failures and fixes, paths, preferences, redaction."""
