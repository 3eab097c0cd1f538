"""Fences around text that is not the user's."""
