"""A desktop on another machine: the server beside it, and the controller that speaks to that server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harness.controllers.remote.factory import create

__all__ = ["create"]

_LATE: Final = {"create": "harness.controllers.remote.factory"}


def __getattr__(name: str) -> object:
    """Load what needs the `remote` extra on first use."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
