"""Suites: named sets of tasks with their pages and checks."""
