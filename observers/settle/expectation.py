"""What an action may bring about: how long to wait for the first sign of it, and what counts as one. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from harness.values.action import Action, Click, Launch, PressKeys, TypeText

# Between `some` and `much` lies the share of the screen that a highlighted icon or button takes up.
FirstSign = Literal["some change", "much change", "window"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """How long to wait for the first sign that an action took effect.

    Attributes:
        first_wait_s: Seconds from the action's end.
        answered_wait_s: The same, once the application has said that it has dealt with the action.
        first_sign: What ends the wait early; a window or menu that comes always does.
        window_quiet_s: How long the screen must be quiet once a new window has come. It fills itself in several goes,
            with pauses of up to 0.15 s on a busy machine.
    """

    first_wait_s: float
    answered_wait_s: float
    first_sign: FirstSign = "some change"
    window_quiet_s: float = 0.2


# In the same window: menus, buttons, text.
DIRECT: Final = Expectation(first_wait_s=0.15, answered_wait_s=0.15)
# Often a dialog of the same application, which takes 0.1 to 0.5 s to build; a chord is handled once it answers.
OPENING: Final = Expectation(first_wait_s=0.5, answered_wait_s=0.15, first_sign="much change")
# Often another application: the one that answers has nothing to do with it.
SPAWNING: Final = Expectation(first_wait_s=0.5, answered_wait_s=0.5, first_sign="much change")
# A window for certain.
LAUNCHING: Final = Expectation(first_wait_s=math.inf, answered_wait_s=math.inf, first_sign="window", window_quiet_s=0.3)

_SENDING: Final = frozenset({"Enter"})
_MODIFIERS: Final = frozenset({"Control", "Alt", "AltGraph", "Meta"})


def expect(action: Action | None) -> Expectation:
    """Return what an action may bring about; None when the device was only opened."""
    match action:
        case Launch():
            return LAUNCHING
        case Click() if action.count == 2:
            return SPAWNING
        case PressKeys():
            return _expect_chord(frozenset(action.keys))
        case TypeText() if action.text.endswith(("\n", "\r")):
            return SPAWNING
        case _:
            return DIRECT


def _expect_chord(keys: frozenset[str]) -> Expectation:
    if keys & _SENDING or "Meta" in keys:
        return SPAWNING
    is_function_key = any(len(key) > 1 and key[0] == "F" and key[1:].isdigit() for key in keys)
    return OPENING if keys & _MODIFIERS or is_function_key else DIRECT
