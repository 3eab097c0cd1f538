"""The tasks by application."""
