"""A controller on a fresh page of the shared browser."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import pytest
import pytest_asyncio
from playwright.async_api import Page

from harness.controllers.web import WebController
from harness.protocols import ControllerSpec, DeviceStart, Marking
from harness.values.action import Action, DeviceCall, Target
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint, Size
from harness.values.mark import Mark
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from observers.settle.web import WebSettle

FIND_JS = """() => Array.from(document.querySelectorAll("button, input, select, textarea, a, canvas"), element => {
  const rect = element.getBoundingClientRect();
  return {x: Math.floor(rect.x), y: Math.floor(rect.y), width: Math.floor(rect.width),
    height: Math.floor(rect.height), name: element.id};
})"""


class IdMarks:
    """A tiny mark observer: every control is a mark named by its id."""

    PROTOCOL = 1

    async def observe(self, device: object, frame: Frame, *, text_chars: int, deadline_s: float) -> Marking:
        assert isinstance(device, Page)
        marks = []
        for number, item in enumerate(await device.evaluate(FIND_JS), start=1):
            scale = frame.transform.scale_x
            x_px, y_px = int(item["x"] * scale), int(item["y"] * scale)
            width_px, height_px = int(item["width"] * scale), int(item["height"] * scale)
            marks.append(
                Mark(
                    id=number,
                    box=FrameBox(x_px=x_px, y_px=y_px, width_px=width_px, height_px=height_px),
                    click=FramePoint(x_px=x_px + width_px // 2, y_px=y_px + height_px // 2),
                    role="control",
                    name=item["name"],
                )
            )
        return Marking(marks=tuple(marks), handle=device)

    async def find(self, marking: Marking, mark: Mark, *, deadline_s: float) -> str | None:
        assert isinstance(marking.handle, Page)
        is_there = await marking.handle.evaluate("id => !!document.getElementById(id)", mark.name)
        return None if is_there else f"{mark.name} is gone"


@dataclass
class Driven:
    """A controller, its page, and the sight that the next decision is made on."""

    controller: WebController
    page: Page
    sight: Sight
    steps: int = 0

    def mark(self, name: str) -> Target:
        found = next(mark for mark in self.sight.observation.marks if mark.name == name)
        return Target(point=found.click, mark=found)

    async def act(self, *actions: Action, deadline_s: float = 20.0) -> Outcome:
        calls = [DeviceCall(call_id=f"c{index}", action=action) for index, action in enumerate(actions)]
        self.steps += 1
        outcome = await self.controller.perform(
            calls,
            action_id=f"s{self.steps}",
            decision_frame=self.sight.observation.frame,
            deadline_s=deadline_s,
        )
        if outcome.observation is not None:
            self.sight = Sight(observation=outcome.observation, capture=outcome.capture)
        return outcome


Drive = Callable[[str], Awaitable[Driven]]


@pytest_asyncio.fixture(loop_scope="session")
async def drive(page: Page) -> AsyncIterator[Drive]:
    """Return a function that opens an address with a controller attached to the test's page."""
    controller = WebController(ControllerSpec(kind="web", page=page), observer=IdMarks(), settler=WebSettle())

    async def start(url: str) -> Driven:
        first = await controller.open(DeviceStart(url=url, max_sent=Size(width_px=1280, height_px=800)))
        # A headless shell tells each page where the pointer is as it loads: that is no action of ours.
        await page.evaluate("() => { if (window.log) window.log.length = 0; }")
        return Driven(controller=controller, page=page, sight=first)

    yield start
    await controller.close()


@pytest.fixture
def target() -> Callable[[int, int], Target]:
    """Return a function that makes a target without a mark."""
    return lambda x_px, y_px: Target(point=FramePoint(x_px=x_px, y_px=y_px))
