"""Policies decide: render a projection into a request, then send it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from harness.protocols.shared import TokenCounter
from harness.values.message import Reply
from harness.values.profile import ModelProfile
from harness.values.projection import Projection, Request

POLICY_PROTOCOL = 1
Blobs = Callable[[str], bytes]


class Policy(Protocol):
    """Decides. `render` is pure; the session stores the request before `send`."""

    PROTOCOL: ClassVar[int]

    @property
    def name(self) -> str:
        """The entry-point name."""
        ...

    @property
    def profile(self) -> ModelProfile:
        """What its model accepts."""
        ...

    @property
    def counter(self) -> TokenCounter | None:
        """Its own token estimate, or None for the harness's."""
        ...

    def render(self, projection: Projection) -> Request:
        """Return the exact request as parts; the same projection gives the same bytes."""
        ...

    async def send(self, request: Request, *, deadline_s: float) -> Reply:
        """Send and return the reply.

        Raises:
            PolicyError: the provider failed for good.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model entry of the configuration."""

    name: str
    use: str
    model: str | None = None
    context_tokens: int | None = None
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """One line of a script.

    Attributes:
        tool: Tool name.
        arguments: Arguments; a mark may be `{"role": …, "name": …}` and texts may hold `${task.NAME}`.
        line: Line in the script file, from 1; 0 when made in code.
    """

    tool: str
    arguments: Mapping[str, object]
    line: int = 0


class Solver(Protocol):
    """A reference solution: `async def solve(task, act, look)`, acting only through tools and marks."""

    def __call__(self, task: str, act: Act, look: LookAround) -> Awaitable[None]:
        """Solve the task; returning means done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMark:
    """A mark as the request's text shows it; everything a keyless policy knows of it."""

    id: int
    role: str
    name: str
    value: str | None = None
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenWindow:
    """An open window of a desktop as the request's text shows it."""

    id: int
    title: str
    is_active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The current observation as a request's text shows it.

    Attributes:
        marks: In reading order.
        lines: Marks and visible text in reading order; a text line is a plain string.
        url: Address, or None.
        title: Title of the page.
        width_px: Width of the frame, 0 when unknown.
        height_px: Height of the frame, 0 when unknown.
        notes: Texts of the active notes, oldest first.
        last_result: Text of the last tool result, empty before the first.
        is_last_error: Whether that result was an error.
        windows: Open windows of a desktop, front to back.
    """

    marks: tuple[SeenMark, ...]
    lines: tuple[SeenMark | str, ...]
    url: str | None = None
    title: str = ""
    width_px: int = 0
    height_px: int = 0
    notes: tuple[str, ...] = ()
    last_result: str = ""
    is_last_error: bool = False
    windows: tuple[SeenWindow, ...] = ()


class Act(Protocol):
    """Calls one tool and returns what the screen shows after it."""

    def __call__(self, tool: str, /, **arguments: object) -> Awaitable[View]:
        """Send the call as one step."""
        ...


class LookAround(Protocol):
    """Returns what the current request shows; sends nothing."""

    def __call__(self) -> View:
        """Return the current view."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySpec:
    """How to make a policy.

    Attributes:
        model: The model entry.
        seed: For policies that draw.
        script: For `scripted`.
        solve: For `reference`.
        recording: For `replay`: the replies of a recorded session, in order.
    """

    model: ModelSpec
    seed: int = 0
    script: tuple[ScriptedCall, ...] = ()
    solve: Solver | None = None
    recording: tuple[Reply, ...] = ()


class PolicyFactory(Protocol):
    """The entry point of the group `transom.policies`."""

    def __call__(self, spec: PolicySpec) -> Policy:
        """Return a policy."""
        ...
