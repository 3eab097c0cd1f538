"""What the policy does only on a desktop: applications, windows, and typing where no field is marked."""

from __future__ import annotations

from policies.heuristic.goal import Click, Fill
from policies.heuristic.scene import Desktop, Reason, Scene, step
from policies.heuristic.words import plain
from policies.keyless import Decision


def open_named(scene: Scene, part: Click, reason: Reason) -> Decision | None:
    """Return the focus of a window, or the launch of an application, that a part names; None for neither."""
    if scene.desktop is None:
        return None
    wanted = [plain(name) for name in part.names if plain(name)]
    app = next((app for app in scene.desktop.apps if plain(app) in wanted), None)
    window = _behind(scene.desktop, wanted)
    if window is not None:
        return step(scene, reason, "focus_window", {"window": window})
    return None if app is None else step(scene, reason, "launch", {"app": app})


def _behind(desktop: Desktop, wanted: list[str]) -> int | None:
    """Return the number of a window in the background whose title holds a wanted name."""
    for window in desktop.windows:
        if not window.is_active and any(name in window.title.casefold() for name in wanted):
            return window.id
    return None


def type_blindly(scene: Scene, part: Fill, text: str, reason: Reason) -> Decision | None:
    """Return the typing into whatever has the keyboard, where a desktop marks no field and the task names none."""
    if scene.desktop is None or scene.screen.fields or part.is_field_quoted:
        return None
    return step(scene, reason, "type_text", {"text": text})
