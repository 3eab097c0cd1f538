"""What carries out samples: an engine opens workers, a worker runs one sample at a time."""

from __future__ import annotations

from typing import Protocol

from evals.results import Sample, SampleResult


class Worker(Protocol):
    """Runs one sample at a time."""

    async def run(self, sample: Sample) -> SampleResult:
        """Run one sample; never longer than its seconds plus a grace.

        Raises:
            InfrastructureError: something outside agent and task failed; the sample may be run again.
        """
        ...

    async def replace(self) -> None:
        """Start over with fresh resources after a fault.

        Raises:
            InfrastructureError: there is nothing to start over with.
        """
        ...

    async def close(self) -> None:
        """Give everything back; never raises for what is gone."""
        ...


class Engine(Protocol):
    """Opens workers for one plan."""

    async def open_worker(self) -> Worker:
        """Return a ready worker.

        Raises:
            InfrastructureError: it can't start; the text says what to do.
        """
        ...


class Listener(Protocol):
    """Hears about progress; must not block."""

    def planned(self, total: int, done: int) -> None:
        """Hear how many samples there are, and how many earlier results stand."""
        ...

    def started(self, worker: int, sample: Sample) -> None:
        """Hear that a worker begins a sample."""
        ...

    def retried(self, sample: Sample, fault: str) -> None:
        """Hear that a sample is run again after a fault."""
        ...

    def ended(self, worker: int, result: SampleResult) -> None:
        """Hear a result, already on disk."""
        ...


class SilentListener:
    """Hears and says nothing."""

    def planned(self, total: int, done: int) -> None:
        """Say nothing."""

    def started(self, worker: int, sample: Sample) -> None:
        """Say nothing."""

    def retried(self, sample: Sample, fault: str) -> None:
        """Say nothing."""

    def ended(self, worker: int, result: SampleResult) -> None:
        """Say nothing."""
