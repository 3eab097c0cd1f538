"""An accessibility recording as JSON lines; docs/guide/accessibility-recording.md describes them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.frame import Frame
from observers.atspi import kinds
from observers.atspi.accessible import Node
from observers.atspi.arrangement import Arrangement, arrange
from observers.atspi.link import DesktopState
from observers.atspi.listing import frame_box
from observers.atspi.placement import Placement
from observers.atspi.survey import Survey
from observers.atspi.vocabulary import State, role_name, state_words

SCHEMA: Final = "transom/accessibility/1"
_TEXT_CHARS: Final = 2000  # of each name, description and value
_Line = dict[str, object]


def write_transcript(survey: Survey, state: DesktopState, frame: Frame, *, notices: Sequence[str]) -> bytes:
    """Return a head line and one line a node: windows front to back, then popups, parents before their children."""
    arranged = [arrange(reading, state.windows) for reading in survey.readings]
    late = [window.id for window in state.windows if window.process_id in survey.late]
    head: _Line = {
        "schema": SCHEMA,
        "frame": frame.sha256,
        "width_px": frame.width_px,
        "height_px": frame.height_px,
        "windows": [_window_line(window, frame) for window in state.windows],
        "notices": [*notices, *(f"window {number} did not describe itself in time" for number in late)],
        "is_complete": not (notices or late) and all(item.reading.tree.is_complete for item in arranged),
    }
    nodes = _Nodes(frame)
    lines = [head, *(line for item, top, where in _in_order(arranged, state) for line in nodes.lines(item, top, where))]
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in lines)


def _in_order(arranged: Sequence[Arrangement], state: DesktopState) -> Iterator[tuple[Arrangement, Node, Placement]]:
    placed = [(item, top, where) for item in arranged for top, where in item.placed]
    for window in state.windows:
        if not window.is_minimized:
            yield from (entry for entry in placed if entry[2].window is not None and entry[2].window.id == window.id)
    yield from (entry for entry in placed if entry[2].window is None)


class _Nodes:
    """Numbers nodes from 1 in the order in which they are written."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._last = 0

    def lines(self, item: Arrangement, top: Node, where: Placement) -> Iterator[_Line]:
        """Yield a line for a window and everything in it."""
        todo: list[tuple[Node, int | None]] = [(top, None)]
        while todo:
            node, parent = todo.pop()
            self._last += 1
            yield self._line(item, node, where, parent)
            todo += [(child, self._last) for child in reversed(item.family.children(node))]

    def _line(self, item: Arrangement, node: Node, where: Placement, parent: int | None) -> _Line:
        box = item.family.box(node) if node.has(State.SHOWING) else None
        return {
            "id": self._last,
            "parent": parent,
            "app": item.reading.application.name[:_TEXT_CHARS],
            "window": None if where.window is None else where.window.id,
            "role": role_name(node.role),
            "name": node.name[:_TEXT_CHARS],
            "description": node.description[:_TEXT_CHARS],
            "states": list(state_words(node.states)),
            "box": None if box is None else _box(where.to_device(box), self._frame),
            "value": _value(item, node),
        }


def _value(item: Arrangement, node: Node) -> str | float | None:
    if node.role in kinds.PASSWORDS:
        return None
    details = item.reading.details
    text = details.texts.get(node.ref)
    return details.numbers.get(node.ref) if text is None else text[:_TEXT_CHARS]


def _window_line(window: DesktopWindow, frame: Frame) -> _Line:
    return {
        "id": window.id,
        "title": window.title[:_TEXT_CHARS],
        "app": window.app[:_TEXT_CHARS],
        "kind": window.kind,
        "is_active": window.is_active,
        "is_minimized": window.is_minimized,
        "box": _box(window.box, frame),
    }


def _box(box: DeviceBox, frame: Frame) -> list[int] | None:
    found = frame_box((box,), frame)
    return None if found is None else [found.x_px, found.y_px, found.width_px, found.height_px]
