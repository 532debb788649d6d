"""Memory for agents: captured by itself, guarded, recalled in time, and obeyed at the tool call."""
