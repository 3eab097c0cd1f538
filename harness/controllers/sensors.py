"""The observers that a controller was told to use, by entry-point name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from harness import plugins
from harness.errors import ControllerError
from harness.protocols import AccessibilityRecorder, MarkObserver, Settler

GROUP = "transom.observers"


def load_mark_observer(names: Sequence[str]) -> MarkObserver | None:
    """Return the mark observer among the named observers, or None when none of them finds marks.

    Raises:
        ControllerError: more than one of them finds marks.
        PluginError: a name is unknown or its plug-in is broken.
    """
    made = [_make(name) for name in names]
    finders = [observer for observer in made if hasattr(observer, "find")]
    if len(finders) > 1:
        raise ControllerError(f"observers {list(names)!r} name {len(finders)} mark observers; keep one")
    return cast("MarkObserver", finders[0]) if finders else None


def load_recorder(names: Sequence[str]) -> AccessibilityRecorder | None:
    """Return the recorder among the named observers, or None when none of them records.

    Raises:
        PluginError: a name is unknown or its plug-in is broken.
    """
    recorders = [observer for observer in (_make(name) for name in names) if hasattr(observer, "record")]
    return cast("AccessibilityRecorder", recorders[0]) if recorders else None


def load_settler(name: str) -> Settler:
    """Return the settler of that name.

    Raises:
        PluginError: it is missing or broken.
    """
    return cast("Settler", _make(name))


def _make(name: str) -> object:
    loaded = plugins.load(GROUP, name)
    if not callable(loaded):
        raise ControllerError(f"the observer {name!r} is {loaded!r}, which can't be made; tell its author")
    return loaded()
