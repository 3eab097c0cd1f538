"""Which applications own the windows that are open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from harness.values.desktop import DesktopWindow
from observers.atspi import questions
from observers.atspi.accessible import Ref
from observers.atspi.bus import Bus

_GTK: Final = frozenset({"gtk", "gail"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application on the accessibility bus.

    Attributes:
        root: Its topmost object.
        process_id: The process that owns it, or None.
        name: What it calls itself; hostile.
        toolkit: The name of its toolkit in lower case, `gtk`, `gail` or `qt` for example; '' when it would not say.
    """

    root: Ref
    process_id: int | None
    toolkit: str
    name: str = ""

    @property
    def is_gtk(self) -> bool:
        """Whether it draws with GTK: scales are whole numbers then, and tables act by row."""
        return self.toolkit in _GTK

    @property
    def is_gtk2(self) -> bool:
        """Whether it draws with GTK 2, whose accessibility layer is called GAIL."""
        return self.toolkit == "gail"

    @property
    def is_qt(self) -> bool:
        """Whether it draws with Qt: widgets never stick out of their parents then."""
        return self.toolkit == "qt"


class Roster:
    """The applications of one bus. What does not change in an application's life is asked once."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._process_ids: dict[str, int | None] = {}
        self._applications: dict[Ref, Application] = {}

    async def owners(self, windows: Iterable[DesktopWindow]) -> tuple[tuple[Ref, int | None], ...]:
        """Return the roots and processes of the applications that may own some of these windows; waits for none.

        Raises:
            NoAccessibility: the connection is gone.
        """
        roots = await self._bus.ask_one(questions.children(questions.REGISTRY)) or ()
        new = sorted({root.bus for root in roots} - self._process_ids.keys())
        found = await self._bus.ask([questions.process_id(bus) for bus in new])
        self._process_ids.update(zip(new, found, strict=True))
        wanted = {window.process_id for window in windows}
        owners = tuple((root, self._process_ids[root.bus]) for root in roots)
        if None in wanted:
            return owners
        return tuple((root, process_id) for root, process_id in owners if process_id in {*wanted, None})

    async def application(self, root: Ref, process_id: int | None) -> Application:
        """Return an application with its toolkit; a new one is asked and has to answer.

        Raises:
            NoAccessibility: the connection is gone.
        """
        known = self._applications.get(root)
        if known is not None:
            return known
        toolkit, name = await self._bus.ask((questions.toolkit(root), questions.name(root)))
        found = Application(root=root, process_id=process_id, toolkit=(toolkit or "").lower(), name=name or "")
        if toolkit is not None:
            self._applications[root] = found
        return found
