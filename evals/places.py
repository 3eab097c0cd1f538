"""Where samples run: a fresh page or a fresh desktop for each of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from evals.results import Sample
from harness.protocols.suites import Episode, SuitePage


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page or desktop on which the episode of one sample was started.

    Attributes:
        episode: The started episode.
        page: The page that the session acts on, or None.
        environment: Variables of the desktop that the session acts on, or None.
        settings: `path=value` settings that every agent has here, below the user's own.
    """

    episode: Episode
    page: SuitePage | None = None
    environment: Mapping[str, str] | None = None
    settings: tuple[str, ...] = ()


class Places(Protocol):
    """Hands out one fresh place at a time. A worker has one of these to itself."""

    def fresh(self, sample: Sample) -> AbstractAsyncContextManager[Place]:
        """Return a context: the sample's episode is started on entry, what it ran on is gone after exit.

        Entry raises InfrastructureError when the page or desktop, or the suite on it, can't be started.
        """
        ...

    async def close(self) -> None:
        """End everything, a place that is still in use included; never raises for what is gone."""
        ...


PlacesOpener = Callable[[], Awaitable[Places]]
"""Raises InfrastructureError when no place can be had on this machine; the text says what to do."""
