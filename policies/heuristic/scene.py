"""Everything the policy decides from: the parts of the task, the screen, its past steps and its notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.protocols import SeenWindow
from policies.heuristic.clauses import read_goal
from policies.heuristic.goal import Fill, Part
from policies.heuristic.past import PastStep, Purpose, read_past, write_thought
from policies.heuristic.screen import Item, Screen, read_screen
from policies.keyless import Decision
from policies.view import RequestView


@dataclass(frozen=True, slots=True, kw_only=True)
class Desktop:
    """What only a desktop has: open windows, and applications that can be launched."""

    windows: tuple[SeenWindow, ...]
    apps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything the policy decides from.

    Attributes:
        task: The task text.
        parts: What it asks for, in order.
        screen: The current screen.
        past: Earlier steps for this task, oldest first.
        notes: Texts of the active notes, oldest first.
        note_tool: The declared note tool, or None when notes are off.
        desktop: What only a desktop has; None on a page.
    """

    task: str
    parts: tuple[Part, ...]
    screen: Screen
    past: tuple[PastStep, ...]
    notes: tuple[str, ...]
    note_tool: str | None
    desktop: Desktop | None = None

    @property
    def fills(self) -> tuple[Fill, ...]:
        """The parts that put text into fields."""
        return tuple(part for part in self.parts if isinstance(part, Fill))

    def done_steps(self, number: int) -> tuple[PastStep, ...]:
        """Return the steps that did part `number` (from 1): not refused, and not undone by a popup right after."""
        following = (*self.past[1:], None) if self.past else ()
        return tuple(
            step
            for step, after in zip(self.past, following, strict=True)
            if step.part == number
            and step.purpose == "do"
            and not step.is_error
            and (after is None or after.purpose != "dismiss")
        )

    def tries(self, number: int) -> int:
        """Return how many steps tried to do part `number`, failed ones included."""
        return sum(step.part == number and step.purpose == "do" for step in self.past)

    def was_used(self, item: Item, *, on_this_screen: bool = False) -> bool:
        """Return whether an earlier step acted on a mark of that role and name."""
        return any(
            step.mark is not None
            and (step.mark.role, step.mark.name) == (item.mark.role, item.mark.name)
            and (not on_this_screen or step.screen == self.screen.fingerprint)
            for step in self.past
        )


def read_scene(view: RequestView) -> Scene:
    """Return the scene that a request shows."""
    return Scene(
        task=view.task,
        parts=tuple(part for text in view.instructions for part in read_goal(text)),
        screen=read_screen(view.view, view.task),
        past=read_past(view.calls, task=view.task),
        notes=view.view.notes,
        note_tool=next((name for name in ("web_note", "note") if name in view.tools), None),
        desktop=Desktop(windows=view.view.windows, apps=view.apps) if view.is_desktop else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a step is taken: for which part (from 1), to what end, in one line."""

    part: int
    purpose: Purpose
    why: str


def step(
    scene: Scene, reason: Reason, tool: str, arguments: Mapping[str, object], item: Item | None = None
) -> Decision:
    """Return a call together with the words by which later steps know of it."""
    thought = write_thought(
        task=scene.task,
        part=reason.part,
        purpose=reason.purpose,
        why=reason.why,
        screen=scene.screen.fingerprint,
        mark=None if item is None else item.mark,
    )
    return Decision(tool=tool, arguments=arguments, thought=thought)


def click(scene: Scene, reason: Reason, item: Item) -> Decision:
    """Return a click on a mark."""
    return step(scene, reason, "click", {"mark": item.mark.id}, item)
