"""Events in, candidate memories out: preferences, outcomes, failures and fixes, paths."""
