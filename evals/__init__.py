"""Suites, the runner, statistics and reports."""
