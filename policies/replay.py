"""The policy `replay` answers with the replies of a recorded session, in order, whatever the request shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from harness.errors import PolicyError
from harness.protocols import PolicySpec, TokenCounter
from harness.values.message import Reply
from harness.values.profile import PLAIN, ModelProfile
from harness.values.projection import Projection, Request
from policies import neutral


def create(spec: PolicySpec) -> ReplayPolicy:
    """Return the policy for the spec's recording."""
    return ReplayPolicy(spec.recording)


class ReplayPolicy:
    """Returns recorded replies unchanged, one a request."""

    PROTOCOL: ClassVar[int] = 1

    def __init__(self, recording: Sequence[Reply]) -> None:
        self._recording = tuple(recording)
        self._sent = 0

    @property
    def name(self) -> str:
        """The entry-point name."""
        return "replay"

    @property
    def profile(self) -> ModelProfile:
        """The profile `plain`."""
        return PLAIN

    @property
    def counter(self) -> TokenCounter | None:
        """None: the harness's own estimate."""
        return None

    def render(self, projection: Projection) -> Request:
        """Return the request in the dialect `neutral`."""
        return neutral.render(projection)

    async def send(self, request: Request, *, deadline_s: float) -> Reply:
        """Return the next recorded reply.

        Raises:
            PolicyError: every recorded reply has been given.
        """
        if self._sent >= len(self._recording):
            raise PolicyError(
                f"the recording is over: it holds {len(self._recording)} replies and the session asked for one more; "
                "replay with the recorded task and limits, or go on with a live model"
            )
        self._sent += 1
        return self._recording[self._sent - 1]

    async def close(self) -> None:
        """Nothing is held."""
