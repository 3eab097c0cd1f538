"""Our own side of the comparison: the whole path of a session, from calls to an outcome with its frame."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from desktop.peers import AWAY

from harness.protocols import Controller, DeviceStart
from harness.values.action import Action, Click, DeviceCall, Move, PressKeys, Target
from harness.values.geometry import FramePoint, Size
from harness.values.observation import Observation
from harness.values.outcome import Outcome

_START = DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800))
_DEADLINE_S = 20.0


@dataclass
class Ours:
    """A controller with the frame that its model would have seen last."""

    controller: Controller
    observation: Observation
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    @classmethod
    async def open(cls, controller: Controller, observers: Sequence[str] = ()) -> Ours:
        """Open a controller."""
        sight = await controller.open(_START, tuple(observers))
        return cls(controller, sight.observation)

    async def act(self, action: Action) -> Outcome:
        """Perform one action and return its outcome; one that did not work ends the benchmark."""
        number = next(self.numbers)
        outcome = await self.controller.perform(
            [DeviceCall(call_id=f"c{number}", action=action)],
            action_id=f"bench-{number}",
            decision_frame=self.observation.frame,
            deadline_s=_DEADLINE_S,
        )
        if outcome.calls[0].status != "executed" or outcome.observation is None or outcome.capture is None:
            raise AssertionError(f"{action.kind} did not work: {outcome.calls[0].text} {outcome.error}")
        self.observation = outcome.observation
        return outcome

    async def click(self, x: int, y: int) -> bytes:
        """Click a point and return the PNG that follows."""
        outcome = await self.act(Click(target=Target(point=FramePoint(x_px=x, y_px=y))))
        assert outcome.capture is not None
        return outcome.capture.image

    async def reset(self) -> None:
        """Close what the click opened and move the pointer away."""
        await self.act(PressKeys(keys=("Escape",)))
        await self.act(Move(target=Target(point=FramePoint(x_px=AWAY[0], y_px=AWAY[1]))))
