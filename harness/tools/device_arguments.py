"""The arguments of the tools that act on a device."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, StrictStr

from harness.tools.arguments import (
    MAX_TEXT_CHARS,
    Arguments,
    FromOne,
    Keys,
    Point,
    Text,
    finite_number,
    whole_number,
)
from harness.tools.calls import DeviceRequest
from harness.tools.keys import read_chord
from harness.tools.pointing import Sighted
from harness.tools.problem import CallProblem, show
from harness.values.action import (
    Action,
    Click,
    Drag,
    GoBack,
    GoForward,
    Hover,
    Look,
    Move,
    Navigate,
    PressKeys,
    Scroll,
    SelectOption,
    Target,
    TypeText,
    Wait,
)

MAX_WAIT_S = 60
_MAX_URL_CHARS = 16_384
MarkField = Annotated[FromOne | None, Field(description="Number of a mark on the newest screen.")]
AtField = Annotated[Point | None, Field(description="[x, y] in pixels of the newest frame, when there is no mark.")]
HeldKeys = Annotated[Keys | None, Field(description="Keys held meanwhile, for example 'Control'.")]
ClickCount = Annotated[int, Field(ge=1, le=3), BeforeValidator(whole_number)]
WheelClicks = Annotated[int, Field(ge=-100, le=100), BeforeValidator(whole_number)]
WaitSeconds = Annotated[float, Field(ge=0, le=MAX_WAIT_S), BeforeValidator(finite_number)]


class DeviceArguments(Arguments):
    """Arguments that become one action."""

    @abstractmethod
    def action(self, sighted: Sighted) -> Action:
        """Return the action; raises CallProblem like `ask`."""

    def ask(self, sighted: Sighted) -> DeviceRequest:
        """Return the action as a request."""
        return DeviceRequest(call_id=sighted.call_id, action=self.action(sighted))


class PointerArguments(DeviceArguments):
    """Arguments with one place: a mark or a point."""

    mark: MarkField = None
    at: AtField = None

    def target(self, sighted: Sighted) -> Target:
        """Return the place."""
        return sighted.target(mark=self.mark, at=self.at)


class ClickArguments(PointerArguments):
    """Click a mark or a point."""

    button: Literal["left", "middle", "right"] = "left"
    count: Annotated[ClickCount, Field(description="2 for a double click, 3 for a triple click.")] = 1
    keys: HeldKeys = None

    def action(self, sighted: Sighted) -> Click:
        """Return the click."""
        target = self.target(sighted)
        return Click(target=target, button=self.button, count=self.count, keys=_held(self.keys))


class MoveArguments(PointerArguments):
    """Move the pointer to a mark or a point without pressing anything."""

    def action(self, sighted: Sighted) -> Move:
        """Return the move."""
        return Move(target=self.target(sighted))


class HoverArguments(PointerArguments):
    """Move the pointer over a mark or a point and let menus and tips open."""

    def action(self, sighted: Sighted) -> Hover:
        """Return the hover."""
        return Hover(target=self.target(sighted))


class ScrollArguments(PointerArguments):
    """Turn the mouse wheel over a mark or a point."""

    dx: Annotated[WheelClicks, Field(description="Wheel clicks to the right; negative is left.")] = 0
    dy: Annotated[WheelClicks, Field(description="Wheel clicks down; negative is up.")] = 0

    def action(self, sighted: Sighted) -> Scroll:
        """Return the scroll."""
        if self.dx == 0 and self.dy == 0:
            raise CallProblem("dx and dy are both 0; give wheel clicks, positive is right and down")
        return Scroll(target=self.target(sighted), dx=self.dx, dy=self.dy)


class DragArguments(DeviceArguments):
    """Press the left button at `from`, move, and release at `to` or at the end of `path`."""

    start: Annotated[FromOne | Point, Field(alias="from", description="Mark number or [x, y].")]
    to: Annotated[FromOne | Point | None, Field(description="Mark number or [x, y]; or give path.")] = None
    path: Annotated[
        list[FromOne | Point] | None,
        Field(min_length=1, max_length=200, description="Mark numbers or [x, y] points to pass; the last is the end."),
    ] = None
    keys: HeldKeys = None

    def action(self, sighted: Sighted) -> Drag:
        """Return the drag."""
        if (self.to is None) == (self.path is None):
            raise CallProblem("give exactly one of to and path")
        stops = [self.to] if self.to is not None else self.path or []
        places = tuple(sighted.place(item) for item in (self.start, *stops))
        return Drag(path=places, keys=_held(self.keys))


class TypeTextArguments(DeviceArguments):
    """Type text as it stands, into a mark or into whatever has the focus."""

    text: Annotated[Text, Field(description="The exact text.")]
    mark: MarkField = None

    def action(self, sighted: Sighted) -> TypeText:
        """Return the typing."""
        return TypeText(text=self.text, target=None if self.mark is None else sighted.mark_target(self.mark))


class PressKeysArguments(DeviceArguments):
    """Press one key or one chord."""

    keys: Annotated[Keys, Field(description="One chord, for example 'Enter', 'Control+a' or ['Control', 'a'].")]

    def action(self, sighted: Sighted) -> PressKeys:
        """Return the chord."""
        return PressKeys(keys=read_chord(self.keys))


class WaitArguments(DeviceArguments):
    """Wait and look again."""

    seconds: Annotated[WaitSeconds, Field(description=f"Seconds, at most {MAX_WAIT_S}.")]

    def action(self, sighted: Sighted) -> Wait:
        """Return the wait."""
        return Wait(duration_s=self.seconds)


class LookArguments(DeviceArguments):
    """Take a fresh look at the screen without acting."""

    def action(self, sighted: Sighted) -> Look:
        """Return the look."""
        return Look()


class NavigateArguments(DeviceArguments):
    """Open an address in the active page."""

    url: Annotated[
        StrictStr, Field(min_length=1, max_length=_MAX_URL_CHARS, description="http://…, https://… or about:blank.")
    ]

    def action(self, sighted: Sighted) -> Navigate:
        """Return the navigation."""
        return Navigate(url=_web_address(self.url))


class GoBackArguments(DeviceArguments):
    """Go one page back in the history."""

    def action(self, sighted: Sighted) -> GoBack:
        """Return the step back."""
        return GoBack()


class GoForwardArguments(DeviceArguments):
    """Go one page forward in the history."""

    def action(self, sighted: Sighted) -> GoForward:
        """Return the step forward."""
        return GoForward()


class SelectOptionArguments(DeviceArguments):
    """Choose an option of a drop-down list."""

    mark: Annotated[FromOne, Field(description="Mark number of the list.")]
    value: Annotated[StrictStr, Field(max_length=MAX_TEXT_CHARS, description="Label or value of the option.")]

    def action(self, sighted: Sighted) -> SelectOption:
        """Return the choice."""
        return SelectOption(target=sighted.mark_target(self.mark), value=self.value)


def _held(keys: str | list[str] | None) -> tuple[str, ...]:
    return () if keys is None else read_chord(keys)


def _web_address(url: str) -> str:
    """Return `url` when it is plainly a web address; the guard of the network decides for real."""
    if url == "about:blank":
        return url
    advice = "; give http://…, https://… or about:blank"
    if not url.isprintable() or " " in url:
        raise CallProblem(f"the url {show(url)} holds spaces or control characters{advice}")
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        raise CallProblem(f"the url {show(url)} is malformed ({exc}){advice}") from exc
    if parts.scheme not in ("http", "https"):
        raise CallProblem(f"the url {show(url)} is not a web address{advice}")
    if not parts.netloc:
        raise CallProblem(f"the url {show(url)} names no host{advice}")
    return url
