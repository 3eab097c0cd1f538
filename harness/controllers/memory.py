"""Outcomes by action id, so that a repeated request acts only once."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.errors import ActionUnknown
from harness.values.outcome import Outcome

WHOLE_OUTCOMES: Final = 16
_DROPPED: Final = "the frame of this repeated outcome is no longer held; capture again"


class OutcomeMemory:
    """Remembers every action id; the frames and recordings of the last few outcomes only."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._outcomes: dict[str, Outcome] = {}

    def recall(self, action_id: str) -> Outcome | None:
        """Return the stored outcome of an action, or None when it was never begun.

        Raises:
            ActionUnknown: it was begun and cut off.
        """
        stored = self._outcomes.get(action_id)
        if stored is None and action_id in self._begun:
            raise ActionUnknown(f"action {action_id!r} was cut off before; it is not repeated: look at the device")
        return stored

    def begin(self, action_id: str) -> None:
        """Note that an action may reach the device from now on."""
        self._begun.add(action_id)

    def forget(self, action_id: str) -> None:
        """Note that an action that was begun reached nothing, so that it may be tried again."""
        self._begun.discard(action_id)

    def keep(self, outcome: Outcome) -> Outcome:
        """Store an outcome and return it."""
        self._outcomes[outcome.action_id] = outcome
        whole = [stored for stored in self._outcomes.values() if stored.capture is not None]
        for old in whole[:-WHOLE_OUTCOMES]:
            self._outcomes[old.action_id] = replace(old, capture=None, observation=None, error=_DROPPED, recordings=())
        return outcome
