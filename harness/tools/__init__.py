"""Tool declarations, argument parsing, envelopes."""
