"""Errors of the X protocol itself, which python-xlib's RANDR extension overwrites.

It registers its three errors under the numbers 0 to 2, where they take the place of BadRequest and BadValue, and its
classes can't be made of an answer: the first BadValue then ends as an AttributeError inside python-xlib.
"""

from __future__ import annotations

from Xlib.display import Display
from Xlib.error import xerror_class


def restore_core_errors(display: Display) -> None:
    """Give the protocol's own errors their numbers back, for this connection and for every other one."""
    display.display.error_classes.update(xerror_class)
