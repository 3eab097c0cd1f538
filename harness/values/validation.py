"""Local validation of a step: what can be said without a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What changed on the screen between the decision and the frame after the step.

    Attributes:
        is_executed: Whether every device call of the step was executed.
        is_screen_changed: Whether the pixels differ; None without both frames ("no evidence").
        is_url_changed: Whether the address differs; None without both.
        is_title_changed: Whether the title differs; None without both.
        is_target_present: Whether the first target's mark is still there; None without a mark.
        repeats: How many steps in a row, this one included, did the same action on the same screen.
        idle_steps: How many steps in a row, this one included, only waited or read.
    """

    is_executed: bool
    is_screen_changed: bool | None = None
    is_url_changed: bool | None = None
    is_title_changed: bool | None = None
    is_target_present: bool | None = None
    repeats: int = 1
    idle_steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StallState:
    """What the stall rule remembers.

    Attributes:
        action_key: The last action, or empty before the first.
        screen_key: Hash of the screen on which the row of equal actions began; empty without a frame.
        repeats: How often in a row that action was done on that screen; 0 before the first.
        idle_steps: Steps in a row that only waited or read.
    """

    action_key: str = ""
    screen_key: str = ""
    repeats: int = 0
    idle_steps: int = 0
