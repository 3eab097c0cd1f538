"""Which windows an X server has and how they are stacked, with a window manager and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from Xlib import X

from harness.controllers.desktop.x11.questions import Questions, answered, words_of, xid_of

_STACKING: Final = "_NET_CLIENT_LIST_STACKING"
_CLIENTS: Final = "_NET_CLIENT_LIST"
_ACTIVE: Final = "_NET_ACTIVE_WINDOW"
_MANAGER: Final = "_NET_SUPPORTING_WM_CHECK"
_DESKTOP: Final = "_NET_CURRENT_DESKTOP"
NAMES: Final = (_STACKING, _CLIENTS, _ACTIVE, _MANAGER, _DESKTOP)
_DEEPEST: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOrder:
    """The windows at one moment, by their X ids.

    Attributes:
        windows: Front to back; docks and the like are among them.
        active: The one that has the keyboard, or None.
        has_manager: Whether a window manager says so; else they are the root's mapped children.
        desktop: The virtual desktop that is shown, or None.
        focus: What has the keyboard as the server sees it: a window, 0 for nothing, or 1 for what the pointer is on.
    """

    windows: tuple[int, ...]
    active: int | None
    has_manager: bool
    desktop: int | None
    focus: int


def read_order(questions: Questions) -> WindowOrder:
    """Return the windows as they are stacked now; two waits for the server, one more without a window manager."""
    root = questions.root
    answers = {name: questions.property(root, name) for name in NAMES}
    focus_answer = questions.focus()
    words = {name: words_of(answer) for name, answer in answers.items()}
    focus_answer.reply()
    focus = xid_of(focus_answer.focus)
    if not _is_managed(questions, words[_MANAGER]):
        windows = _mapped_children(questions)
        return WindowOrder(
            windows=windows, active=_holder(questions, focus, windows), has_manager=False, desktop=None, focus=focus
        )
    active = words[_ACTIVE][0] if words[_ACTIVE] else X.NONE
    return WindowOrder(
        windows=tuple(reversed(words[_STACKING] or words[_CLIENTS])),
        active=active or None,
        has_manager=True,
        desktop=words[_DESKTOP][0] if words[_DESKTOP] else None,
        # Without any window a manager gives the keyboard to a window of its own.
        focus=X.NONE if focus in words[_MANAGER] else focus,
    )


def _is_managed(questions: Questions, manager: Sequence[int]) -> bool:
    """Return whether the window manager that the root names is alive: one that was killed leaves its name there."""
    return bool(manager) and words_of(questions.property(manager[0], _MANAGER)) == tuple(manager)


def _mapped_children(questions: Questions) -> tuple[int, ...]:
    return tuple(window for window, is_popup in shown_children(questions) if not is_popup)


def shown_children(questions: Questions) -> tuple[tuple[int, bool], ...]:
    """Return the root's children that are on the screen, front to back, each with whether no manager may touch it."""
    tree = answered(questions.tree(questions.root))
    if tree is None:
        return ()
    asked = [(xid_of(child), questions.attributes(xid_of(child))) for child in reversed(tree.children)]
    return tuple(
        (window, bool(answer.override_redirect))
        for window, answer in asked
        if answered(answer) is not None and answer.map_state == X.IsViewable and answer.win_class == X.InputOutput
    )


def _holder(questions: Questions, focus: int, windows: Sequence[int]) -> int | None:
    """Return which of the windows holds the focus: the focused window itself, or the one that it is in."""
    if focus in {X.NONE, X.PointerRoot, questions.root}:
        return None
    return next(iter(frames_of(questions, (focus,)) & set(windows)), None)


def frames_of(questions: Questions, windows: Iterable[int]) -> frozenset[int]:
    """Return the root's children that windows are in: themselves, or what a window manager put around them."""
    frames: set[int] = set()
    level = set(windows)
    for _ in range(_DEEPEST):
        trees = {window: questions.tree(window) for window in level}
        parents = {window: xid_of(tree.parent) for window, tree in trees.items() if answered(tree) is not None}
        frames.update(window for window, parent in parents.items() if parent == questions.root)
        level = set(parents.values()) - {X.NONE, questions.root}
        if not level:
            break
    return frozenset(frames)
