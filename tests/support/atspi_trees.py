"""Trees of applications that do not run: what the pure parts of AT-SPI are tested with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.protocols import Marking
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import Transform
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.app_tree import AppTree
from observers.atspi.applications import Application
from observers.atspi.assembly import assemble
from observers.atspi.details import Details
from observers.atspi.link import DesktopState
from observers.atspi.placement import TopLevel
from observers.atspi.survey import AppReading, Survey
from observers.atspi.vocabulary import ROLE_NAMES, State

AREA = DeviceBox(x=0, y=0, width=1000, height=800)
USABLE = (State.SHOWING, State.VISIBLE, State.SENSITIVE, State.ENABLED)
Box = tuple[int, int, int, int]


@dataclass
class Thing:
    """An accessible object: role, name, box on the screen in toolkit units, and what is inside."""

    role: str
    name: str = ""
    box: Box | None = None
    inside: Sequence[Thing] = ()
    states: tuple[State, ...] = ()
    description: str = ""
    text: str | None = None
    is_usable: bool = True
    labelled_by: str = ""


@dataclass
class TreeBuilder:
    """Numbers things in the order in which they come."""

    bus: str
    nodes: dict[Ref, Node] = field(default_factory=dict)
    boxes: dict[Ref, Extents] = field(default_factory=dict)
    texts: dict[Ref, str] = field(default_factory=dict)
    wanted_labels: dict[Ref, str] = field(default_factory=dict)

    def add(self, thing: Thing, parent: Ref, index: int) -> Node:
        ref = Ref(self.bus, f"/{len(self.nodes) + 1}")
        usual = USABLE if thing.is_usable else (State.SHOWING, State.VISIBLE)
        node = Node(
            ref=ref,
            parent=parent,
            index=index,
            role=ROLE_NAMES.index(thing.role),
            states=sum(1 << state for state in {*usual, *thing.states}),
            name=thing.name,
            description=thing.description,
            child_count=len(thing.inside),
        )
        self.nodes[ref] = node
        if thing.box is not None:
            self.boxes[ref] = Extents(*thing.box)
        if thing.text is not None:
            self.texts[ref] = thing.text
        if thing.labelled_by:
            self.wanted_labels[ref] = thing.labelled_by
        for place, inner in enumerate(thing.inside):
            self.add(inner, ref, place)
        return node

    def labels(self) -> dict[Ref, tuple[Ref, ...]]:
        named = {node.name: ref for ref, node in self.nodes.items()}
        return {ref: (named[label],) for ref, label in self.wanted_labels.items()}


def window(
    number: int = 1,
    box: Box = (100, 100, 400, 300),
    *,
    title: str = "",
    is_active: bool = True,
    process_id: int | None = 7,
    is_minimized: bool = False,
    frame_box: Box | None = None,
) -> DesktopWindow:
    return DesktopWindow(
        id=number,
        title=title,
        app="app",
        box=device_box(box),
        is_active=is_active,
        is_minimized=is_minimized,
        process_id=process_id,
        frame_box=None if frame_box is None else device_box(frame_box),
    )


def device_box(box: Box) -> DeviceBox:
    return DeviceBox(x=box[0], y=box[1], width=box[2], height=box[3])


def reading(
    *tops: Thing,
    toolkit: str = "gtk",
    process_id: int | None = 7,
    corner: tuple[int, int] | None = None,
    is_complete: bool = True,
) -> AppReading:
    """Return an application as it was read. `corner` is the content's corner where the frame counts into boxes."""
    bus = f":1.{process_id}"
    root = Ref(bus, "/root")
    builder = TreeBuilder(bus)
    made = [builder.add(top, root, index) for index, top in enumerate(tops)]
    placed = [(node, builder.boxes[node.ref]) for node in made]
    return AppReading(
        application=Application(root=root, process_id=process_id, toolkit=toolkit, name="app"),
        tree=AppTree(root=root, nodes=builder.nodes, boxes=builder.boxes, is_complete=is_complete),
        details=Details(texts=builder.texts, labels=builder.labels()),
        tops=tuple(TopLevel(node=node, box=box, corner=corner or (box.x, box.y)) for node, box in placed),
    )


def frame(area: DeviceBox = AREA, scale: float = 1.0) -> Frame:
    return Frame(
        sha256="0" * 64,
        media_type="image/png",
        width_px=round(area.width * scale),
        height_px=round(area.height * scale),
        device_scale=1.0,
        captured_at_s=0.0,
        source="runtime",
        transform=Transform(scale_x=scale, scale_y=scale, origin_x=area.x, origin_y=area.y),
    )


def marking(
    *readings: AppReading,
    windows: Sequence[DesktopWindow] = (),
    popups: Sequence[Box] = (),
    area: DeviceBox = AREA,
    scale: float = 1.0,
    text_chars: int = 1000,
    late: frozenset[int | None] = frozenset(),
) -> Marking:
    """Return the marks of applications on a desktop; without windows there is one, of the first application's top."""
    if not windows:
        top = readings[0].tops[0]
        x, y = top.corner
        windows = (window(box=(x, y, top.box.width, top.box.height), title=top.node.name),)
    state = DesktopState(area=area, windows=tuple(windows), popups=tuple(map(device_box, popups)))
    made, _ = assemble(Survey(readings=readings, late=late), state, frame(area, scale), text_chars=text_chars)
    return made


def listed(made: Marking) -> list[tuple[str, str]]:
    return [(mark.role, mark.name) for mark in made.marks]
