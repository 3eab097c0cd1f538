"""Success with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from evals.results import SampleResult

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval of a proportion; both ends within 0 and 1."""

    low: float
    high: float

    def overlaps(self, other: Interval) -> bool:
        """Return whether the two intervals share a point."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRow:
    """Successes among episodes that ran to an end.

    Attributes:
        task: A task id, or `all`.
        successes: Episodes with success.
        episodes: Episodes counted; those ended by an infrastructure fault are not.
        infrastructure: Episodes ended by an infrastructure fault.
        steps: Mean steps of the counted episodes; 0 when there is none.
        seconds: Mean seconds of the counted episodes; 0 when there is none.
        interval: Wilson's 95 % interval of the success rate.
    """

    task: str
    successes: int
    episodes: int
    infrastructure: int
    steps: float
    seconds: float
    interval: Interval

    @property
    def rate(self) -> float:
        """Successes per episode, 0 when there is none."""
        return self.successes / self.episodes if self.episodes else 0.0


def wilson_interval(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval of a proportion; (0, 1) without trials.

    Raises:
        ValueError: the counts are negative, or more successes than trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must lie within 0 and trials, got {successes} of {trials}")
    if trials == 0:
        return Interval(low=0.0, high=1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == trials else (middle + spread) / scale
    return Interval(low=max(0.0, low), high=min(1.0, high))


def count_success(task: str, results: Sequence[SampleResult]) -> SuccessRow:
    """Return one row over all given results."""
    counted = [result for result in results if not result.is_infrastructure]
    successes = sum(result.success for result in counted)
    return SuccessRow(
        task=task,
        successes=successes,
        episodes=len(counted),
        infrastructure=len(results) - len(counted),
        steps=_mean(result.steps for result in counted),
        seconds=_mean(result.seconds for result in counted),
        interval=wilson_interval(successes, len(counted)),
    )


def count_by_task(results: Sequence[SampleResult]) -> tuple[SuccessRow, ...]:
    """Return one row a task, in the order in which tasks first appear."""
    by_task: dict[str, list[SampleResult]] = {}
    for result in results:
        by_task.setdefault(result.task, []).append(result)
    return tuple(count_success(task, group) for task, group in by_task.items())


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
