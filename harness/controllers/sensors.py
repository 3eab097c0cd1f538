"""The observers that a controller was told to use, by entry-point name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from harness import plugins
from harness.errors import ControllerError
from harness.protocols import AccessibilityRecorder, MarkObserver, Settler

GROUP = "transom.observers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observers:
    """The named observers by what they do; one may do both.

    Attributes:
        marks: Finds marks, or None.
        recorder: Records the accessibility tree, or None.
    """

    marks: MarkObserver | None
    recorder: AccessibilityRecorder | None


def load_observers(names: Sequence[str]) -> Observers:
    """Make each named observer once.

    Raises:
        ControllerError: more than one of them finds marks.
        PluginError: a name is unknown or its plug-in is broken.
    """
    made = [_make(name) for name in names]
    finders = [observer for observer in made if hasattr(observer, "find")]
    if len(finders) > 1:
        raise ControllerError(f"observers {list(names)!r} name {len(finders)} mark observers; keep one")
    recorder = next((observer for observer in made if hasattr(observer, "record")), None)
    return Observers(
        marks=cast("MarkObserver", finders[0]) if finders else None,
        recorder=cast("AccessibilityRecorder | None", recorder),
    )


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
