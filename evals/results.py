"""Samples and what came of them."""

from __future__ import annotations

from dataclasses import dataclass

from harness.protocols.suites import TaskSpec
from harness.values.run import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One task with one seed, and its limits.

    Attributes:
        task: The suite's task.
        seed: What the task and a policy that draws start from.
        max_steps: Model steps it may take.
        max_seconds: Seconds it may take.
    """

    task: TaskSpec
    seed: int
    max_steps: int
    max_seconds: float

    @property
    def key(self) -> SampleKey:
        """What identifies it within a plan."""
        return SampleKey(task=self.task.id, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleKey:
    """A task id and a seed."""

    task: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """How one sample ended.

    Attributes:
        task: Task id.
        seed: Its seed.
        success: The scorer's verdict.
        reward: The suite's own number.
        status: How the run ended.
        reason: One sentence: the scorer's, or why there was none.
        answer: What the agent answered, or None.
        steps: Steps taken.
        seconds: Wall time from the fresh page to the score.
        input_tokens: Input tokens.
        cached_tokens: Tokens read from a cache.
        output_tokens: Output tokens.
        cost_usd: Cost, or None where a price is unknown.
        session: Session id; empty when none was opened.
        directory: Session directory; empty when none was opened.
        retries: Infrastructure faults that were retried before this result.
    """

    task: str
    seed: int
    success: bool
    reward: float
    status: RunStatus
    reason: str
    answer: str | None = None
    steps: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    session: str = ""
    directory: str = ""
    retries: int = 0

    @property
    def key(self) -> SampleKey:
        """What identifies it within a plan."""
        return SampleKey(task=self.task, seed=self.seed)

    @property
    def is_infrastructure(self) -> bool:
        """Whether something outside agent and task ended it."""
        return self.status == "infrastructure"
