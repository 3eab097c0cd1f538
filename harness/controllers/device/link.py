"""How a proxy reaches its device: the seam between a local process and another machine."""

from __future__ import annotations

from typing import Protocol

from harness.controllers.device.messages import Answer, Request


class NothingSent(Exception):
    """A request reached nothing and never will. Never leaves its controller; the text says why and what to do."""


class AnswerLost(Exception):
    """A request may have reached the device, and its answer won't come. Never leaves its controller."""


class Link(Protocol):
    """Carries requests to one device and its answers back. Several may be under way."""

    async def exchange(self, request: Request, *, limit_s: float) -> Answer:
        """Return the answer to a request within `limit_s` seconds.

        Raises:
            NothingSent: the request reached nothing.
            AnswerLost: it may have reached the device, and no answer came in time or at all.
        """
        ...

    def give_up(self, reason: str) -> None:
        """End a device that does not answer, where this side owns it; returns at once."""
        ...

    async def close(self) -> None:
        """Give back what this side holds within 2.5 s; never raises."""
        ...
