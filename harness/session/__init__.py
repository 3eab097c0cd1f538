"""The session: event log, fold, loop, limits."""
