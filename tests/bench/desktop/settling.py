"""How many frames show what the screen came to rest at, over the actions that people and agents do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop.clicks import Menu, desktop_spec
from desktop.ours import Ours
from desktop.screen_truth import ScreenTruth

from harness.controllers.desktop import create
from harness.values.action import Action, Click, PressKeys, Target, TypeText
from harness.values.geometry import FramePoint

FRAMES = 200


@dataclass
class Settling:
    """Frames and wrong ones by action, and how the waits ended."""

    frames: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    reports: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """The share of frames that were right."""
        return 1 - self.wrong.total() / self.frames.total()


async def count_settled(environment: Mapping[str, str], menu: Menu) -> Settling:
    """Act two hundred times and compare each frame with the screen 0.8 s later."""
    counted, truth = Settling(), ScreenTruth(environment)
    ours = await Ours.open(create(desktop_spec(environment)))
    try:
        cycle = _cycle(menu)
        for number in range(FRAMES):
            name, action = cycle[number % len(cycle)]
            outcome = await ours.act(action)
            assert outcome.capture is not None
            assert outcome.observation is not None
            assert outcome.observation.settle is not None
            counted.frames[name] += 1
            counted.reports[outcome.observation.settle.kind] += 1
            counted.wrong[name] += not truth.is_settled(outcome.capture.image)
    finally:
        await ours.controller.close()
        truth.close()
    return counted


def _cycle(menu: Menu) -> list[tuple[str, Action]]:
    """Return actions that leave the editor as they found it."""
    text = Target(point=FramePoint(x_px=500, y_px=400))
    return [
        ("click in the text", Click(target=text)),
        ("type 40 characters", TypeText(text="forty characters of text are typed here ")),
        ("open a menu", Click(target=Target(point=FramePoint(x_px=menu.x, y_px=menu.y)))),
        ("close the menu", PressKeys(keys=("Escape",))),
        ("open a dialog", PressKeys(keys=("Control", "o"))),
        ("close the dialog", PressKeys(keys=("Escape",))),
        ("select everything", PressKeys(keys=("Control", "a"))),
        ("delete it", PressKeys(keys=("Delete",))),
    ]
