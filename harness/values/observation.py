"""What a device shows at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.desktop import DesktopWindow
from harness.values.frame import Capture, Frame
from harness.values.geometry import Size
from harness.values.mark import Mark, VisibleText

SettleKind = Literal["settled", "cap", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleReport:
    """How the wait after an action ended.

    Attributes:
        kind: `settled` when the screen went quiet, `cap` when the limit came first, `idle` when nothing moved.
        waited_s: Seconds from the action's end.
        pending: What was still going on at the cap, for example `2 requests`; empty otherwise.
    """

    kind: SettleKind
    waited_s: float
    pending: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A page dialog that the controller answered. `message` is page text."""

    kind: str
    message: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """An open page. `title` is page text; `id` is a number that stays with the page."""

    id: int
    url: str
    title: str
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A download. `path` is inside the session directory and None until it is complete; `name` is page text."""

    name: str
    size_bytes: int | None = None
    sha256: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the device showed after a step; everything but the image bytes.

    Attributes:
        frame: The clean frame, or None when the capture failed ("no evidence", never "unchanged").
        screen: Size of the device in its own units.
        marks: Interactive elements, numbered from 1.
        texts: Visible text outside marks, in reading order.
        url: Address of the page; None on a desktop.
        title: Title of the page or of the active window; page text.
        app: Application of the active window; None in a browser. Page text.
        settle: How the wait after the action ended; None for a runtime capture.
        dialogs: Dialogs that opened since the last observation.
        tabs: Open pages.
        windows: Open windows of a desktop, front to back.
        downloads: Downloads of the session that are running or new.
        background: Background tasks that are running, one short line each.
        notices: What could not be seen, for example frames out of reach; one short line each.
        error: Why there is no frame, or None.
    """

    frame: Frame | None
    screen: Size
    marks: tuple[Mark, ...] = ()
    texts: tuple[VisibleText, ...] = ()
    url: str | None = None
    title: str = ""
    app: str | None = None
    settle: SettleReport | None = None
    dialogs: tuple[Dialog, ...] = ()
    tabs: tuple[Tab, ...] = ()
    windows: tuple[DesktopWindow, ...] = ()
    downloads: tuple[Download, ...] = ()
    background: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    error: str | None = None

    def mark(self, mark_id: int) -> Mark | None:
        """Return the mark with that number, or None."""
        return next((mark for mark in self.marks if mark.id == mark_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """An observation with the bytes of its frame, on the way from the device to the store."""

    observation: Observation
    capture: Capture | None
