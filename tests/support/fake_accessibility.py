"""An accessibility bus of a test's own, with applications that answer, lie, hang and die as a test wants."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jeepney import HeaderFields, Message, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, Proxy, open_dbus_connection

from harness.protocols import Pixels
from harness.values.desktop import DesktopWindow, DeviceBox
from observers.atspi.vocabulary import ROLE_NAMES, State

ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
USUAL = (State.SHOWING, State.VISIBLE, State.SENSITIVE, State.ENABLED)
ITEMS = "a((so)(so)(so)iiassusau)"
_IN_WINDOW = 1
Box = tuple[int, int, int, int]
Answer = tuple[str, tuple[Any, ...]]


@dataclass
class Widget:
    """One accessible object. Boxes are in screen units."""

    role: str
    name: str = ""
    box: Box = (0, 0, 0, 0)
    inside: list[Widget] = field(default_factory=list)
    states: tuple[State, ...] = USUAL
    text: str | None = None


class Service(threading.Thread):
    """Answers calls on one connection until it is closed."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.connection: DBusConnection = open_dbus_connection(address)
        self.bus_name: str = self.connection.unique_name
        self._stop_read, self._stop_write = os.pipe()

    def answer(self, member: str, path: str, body: tuple[Any, ...]) -> Answer | None:
        """Return signature and values of the answer, or None for an error."""
        raise NotImplementedError

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                message = self._next()
                if message is None:
                    return
                if message.header.message_type is MessageType.method_call:
                    self._reply(message)

    def _next(self) -> Message | None:
        while (message := self.connection.parser.get_next_message()) is None:
            ready, _, _ = select.select([self.connection.sock, self._stop_read], [], [])
            if self._stop_read in ready:
                return None
            data = self.connection.sock.recv(1 << 16)
            if not data:
                return None
            self.connection.parser.add_data(data)
        return message

    def _reply(self, message: Message) -> None:
        fields = message.header.fields
        found = self.answer(fields[HeaderFields.member], fields[HeaderFields.path], message.body)
        if found is None:
            reply = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        else:
            reply = new_method_return(message, *found)
        self.connection.send(reply)

    def own(self, name: str) -> None:
        Proxy(message_bus, self.connection).RequestName(name)

    def close(self) -> None:
        os.write(self._stop_write, b"x")
        self.join()
        self.connection.close()
        os.close(self._stop_read)
        os.close(self._stop_write)


class Registry(Service):
    """The registry, and what tells its address."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._address = address
        self.applications: list[str] = []
        self.own("org.a11y.Bus")
        self.own("org.a11y.atspi.Registry")

    def answer(self, member: str, path: str, body: tuple[Any, ...]) -> Answer | None:
        if member == "GetAddress":
            return "s", (self._address,)
        if member == "GetChildren":
            return "a(so)", ([(name, ROOT) for name in self.applications],)
        return "", ()


class FakeApplication(Service):
    """An application with a tree.

    Attributes:
        calls: How often each method was called.
        is_hanging: Whether it answers nothing from now on.
        junk: An answer that it gives to everything, or None.
        lies: Answers that it gives to some methods.
    """

    def __init__(
        self, address: str, tops: Sequence[Widget], *, has_cache: bool = True, toolkit: str = "gtk", name: str = "fake"
    ) -> None:
        super().__init__(address)
        self.calls: Counter[str] = Counter()
        self.is_hanging = False
        self.junk: Answer | None = None
        self.lies: dict[str, Answer] = {}
        self._has_cache = has_cache
        self._toolkit = toolkit
        self._name = name
        self.root = Widget("application", name, inside=list(tops))
        self._paths: dict[int, str] = {id(self.root): ROOT}
        self._widgets: dict[str, tuple[Widget, str, int]] = {ROOT: (self.root, NULL, -1)}
        self._placed: dict[int, list[Widget]] = {}
        self._number(self.root, ROOT)

    def _number(self, widget: Widget, path: str) -> None:
        todo = [(widget, path)]
        while todo:
            holder, holder_path = todo.pop()
            self._placed[id(holder)] = [inner for inner in holder.inside if any(inner.box)]
            for index, inner in enumerate(holder.inside):
                if id(inner) in self._paths:
                    continue
                inner_path = f"/org/a11y/atspi/accessible/{len(self._widgets)}"
                self._paths[id(inner)] = inner_path
                self._widgets[inner_path] = (inner, holder_path, index)
                todo.append((inner, inner_path))

    def answer(self, member: str, path: str, body: tuple[Any, ...]) -> Answer | None:
        self.calls[member] += 1
        if self.is_hanging:
            select.select([self._stop_read], [], [])
        if self.junk is not None or member in self.lies:
            return self.lies.get(member, self.junk)
        if member == "GetItems":
            return (ITEMS, (self._items(),)) if self._has_cache else None
        known = self._widgets.get(path)
        if known is None:
            return None
        widget, parent, index = known
        if member == "Get":
            return self._property(widget, parent, body[1])
        return self._method(widget, index, member, body)

    def _property(self, widget: Widget, parent: str, name: str) -> Answer | None:
        values = {
            "Name": ("s", widget.name),
            "Description": ("s", ""),
            "ChildCount": ("i", len(widget.inside)),
            "Parent": ("(so)", (self.bus_name, parent)),
            "ToolkitName": ("s", self._toolkit),
            "CharacterCount": ("i", len(widget.text or "")),
            "CaretOffset": ("i", 0),
        }
        return ("v", (values[name],)) if name in values else None

    def _method(self, widget: Widget, index: int, member: str, body: tuple[Any, ...]) -> Answer | None:
        match member:
            case "GetChildren":
                return "a(so)", ([self._ref(inner) for inner in widget.inside],)
            case "GetChildAtIndex":
                inside = 0 <= body[0] < len(widget.inside)
                return "(so)", (self._ref(widget.inside[body[0]]) if inside else (self.bus_name, NULL),)
            case "GetIndexInParent":
                return "i", (index,)
            case "GetRole":
                return "u", (ROLE_NAMES.index(widget.role),)
            case "GetState":
                return "au", (_words(widget),)
            case "GetExtents":
                x, y, width, height = widget.box
                left, top = self._corner(widget) if body[0] == _IN_WINDOW else (0, 0)
                return "(iiii)", ((x - left, y - top, width, height),)
            case "GetAccessibleAtPoint":
                hit = next((inner for inner in self._placed[id(widget)] if _holds(inner.box, *body[:2])), None)
                return "(so)", ((self.bus_name, NULL) if hit is None else self._ref(hit),)
            case "GetText":
                return "s", ((widget.text or "")[body[0] : body[1]],)
            case "GetRelationSet":
                return "a(ua(so))", ([],)
            case _:
                return None

    def _corner(self, widget: Widget) -> tuple[int, int]:
        path = self._paths[id(widget)]
        while self._widgets[path][1] not in {ROOT, NULL}:
            path = self._widgets[path][1]
        return self._widgets[path][0].box[:2]

    def _ref(self, widget: Widget) -> tuple[str, str]:
        return self.bus_name, self._paths[id(widget)]

    def _items(self) -> list[tuple[Any, ...]]:
        return [
            (
                (self.bus_name, path),
                (self.bus_name, ROOT),
                (self.bus_name, parent),
                index,
                len(widget.inside),
                [] if widget is self.root else ["org.a11y.atspi.Component", "org.a11y.atspi.Text"],
                widget.name,
                ROLE_NAMES.index(widget.role),
                "",
                _words(widget),
            )
            for path, (widget, parent, index) in self._widgets.items()
        ]


def _words(widget: Widget) -> list[int]:
    bits = sum(1 << state for state in set(widget.states))
    return [bits & 0xFFFFFFFF, bits >> 32]


def _holds(box: Box, x: int, y: int) -> bool:
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


AREA = DeviceBox(x=0, y=0, width=1000, height=800)


@dataclass
class FakeView:
    """A desktop with the windows that a test puts there."""

    environment: Mapping[str, str]
    shown: list[DesktopWindow] = field(default_factory=list)
    area: DeviceBox = AREA

    def windows(self) -> tuple[DesktopWindow, ...]:
        return tuple(self.shown)

    def popups(self) -> tuple[DeviceBox, ...]:
        return ()

    def grab(self) -> Pixels:
        raise NotImplementedError


class FakeAccessibility:
    """A message bus and what is on it. Used as a context."""

    def __init__(self, folder: Path) -> None:
        self.address = f"unix:path={folder / 'bus'}"
        self.view = FakeView({"DBUS_SESSION_BUS_ADDRESS": self.address})
        self._services: list[Service] = []
        self._daemon: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", f"--address={self.address}", "--print-address=1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._daemon.stdout is not None
        self._daemon.stdout.readline()
        self.registry = Registry(self.address)
        self._serve(self.registry)

    def stop(self) -> None:
        for service in self._services:
            service.close()
        self._services.clear()
        self.view.shown.clear()
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.communicate()

    def add(self, *tops: Widget, has_cache: bool = True, toolkit: str = "gtk", name: str = "fake") -> FakeApplication:
        """Return an application that is there now; its tops are windows of this process."""
        made = FakeApplication(self.address, tops, has_cache=has_cache, toolkit=toolkit, name=name)
        self._serve(made)
        self.registry.applications.append(made.bus_name)
        for top in tops:
            x, y, width, height = top.box
            self.view.shown.append(
                DesktopWindow(
                    id=len(self.view.shown) + 1,
                    title=top.name,
                    app=name,
                    box=DeviceBox(x=x, y=y, width=width, height=height),
                    is_active=not self.view.shown,
                    process_id=os.getpid(),
                )
            )
        return made

    def _serve(self, service: Service) -> None:
        self._services.append(service)
        service.start()

    def __enter__(self) -> FakeAccessibility:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@contextlib.contextmanager
def fake_accessibility(folder: Path) -> Iterator[FakeAccessibility]:
    """Return a running bus with a registry and no application."""
    with FakeAccessibility(folder) as made:
        yield made
