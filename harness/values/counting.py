"""Counts in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an `s` unless there is exactly one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
