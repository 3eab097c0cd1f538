"""History selection, projection, validation, token ledger. Pure; imports values alone."""
