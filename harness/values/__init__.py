"""Frozen values: no I/O, no dependencies inside the harness."""
