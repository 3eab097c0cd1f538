"""What an evaluation runs: a suite, an agent, tasks and seeds."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from evals.results import Sample
from harness.errors import UsageError
from harness.protocols.suites import TaskSpec

TAG_PREFIX: Final = "tag:"
SEED_RANGE: Final = re.compile(r"(\d+)(?:-(\d+))?")
MAX_SEEDS: Final = 10_000
DEFAULT_WORKERS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """Everything that decides the results of an evaluation, and how it is carried out.

    Attributes:
        suite: Entry-point name of the suite.
        agent: Name of an agent in the configuration, or of a keyless policy.
        tasks: Selection: task ids, globs, or `tag:NAME`; empty for all.
        seeds: Seeds, each for every task.
        workers: Episodes at the same time; 0 for the smaller of 2 and the cores.
        out: Folder for results.jsonl and summary.json, or None.
        config: Configuration file, or None for the default one.
        model: Takes the place of the agent's model, or None.
        overrides: `path=value` settings, over everything else.
        max_steps: Steps for every task, or None for each task's own.
        max_seconds: An upper bound on each task's own seconds, or None.
        artifacts: Folder for session directories, or None for the default one.
    """

    suite: str
    agent: str = "heuristic"
    tasks: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)
    workers: int = 0
    out: Path | None = None
    config: Path | None = None
    model: str | None = None
    overrides: tuple[str, ...] = ()
    max_steps: int | None = None
    max_seconds: float | None = None
    artifacts: Path | None = None

    @property
    def worker_count(self) -> int:
        """Episodes at the same time."""
        return self.workers or min(DEFAULT_WORKERS, os.cpu_count() or 1)

    def fingerprint(self) -> str:
        """Return a digest of what decides the results; workers, folders and the choice of samples are no part of it."""
        deciding = {
            "suite": self.suite,
            "agent": self.agent,
            "config": None if self.config is None else _digest(self.config.read_bytes()),
            "model": self.model,
            "overrides": self.overrides,
            "max_steps": self.max_steps,
            "max_seconds": self.max_seconds,
        }
        return _digest(json.dumps(deciding, sort_keys=True).encode("utf-8"))[:16]


def select_tasks(tasks: Sequence[TaskSpec], selection: Sequence[str]) -> tuple[TaskSpec, ...]:
    """Return the selected tasks in the suite's order; all when the selection is empty.

    Raises:
        UsageError: an item selects nothing.
    """
    if not selection:
        return tuple(tasks)
    chosen: set[str] = set()
    for item in selection:
        found = {task.id for task in tasks if _is_selected(task, item)}
        if not found:
            raise UsageError(_nothing_selected(tasks, item))
        chosen |= found
    return tuple(task for task in tasks if task.id in chosen)


def parse_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of `0-4`, `7` or `1,3,8-9`, each once, in the order given.

    Raises:
        UsageError: the text is no such list, or names too many seeds.
    """
    seeds: dict[int, None] = {}
    for part in text.split(","):
        match = SEED_RANGE.fullmatch(part.strip())
        if match is None:
            raise UsageError(f"the seeds {text!r} are no list of numbers and ranges; write for example 0-4 or 1,3,8-9")
        first = int(match[1])
        last = int(match[2] or first)
        if last < first or last - first >= MAX_SEEDS:
            raise UsageError(f"the seed range {part.strip()!r} is empty or too long; write the smaller number first")
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


def build_samples(plan: EvalPlan, tasks: Iterable[TaskSpec]) -> tuple[Sample, ...]:
    """Return one sample for each seed and task; seeds outermost, so that an early stop has seen every task."""
    listed = tuple(tasks)
    return tuple(
        Sample(task=task, seed=seed, max_steps=plan.max_steps or task.max_steps, max_seconds=_seconds(plan, task))
        for seed in plan.seeds
        for task in listed
    )


def _seconds(plan: EvalPlan, task: TaskSpec) -> float:
    return task.max_seconds if plan.max_seconds is None else min(plan.max_seconds, task.max_seconds)


def _is_selected(task: TaskSpec, item: str) -> bool:
    if item.startswith(TAG_PREFIX):
        return item.removeprefix(TAG_PREFIX) in task.tags
    return task.id == item or fnmatchcase(task.id, item)


def _nothing_selected(tasks: Sequence[TaskSpec], item: str) -> str:
    if item.startswith(TAG_PREFIX):
        tags = sorted({tag for task in tasks for tag in task.tags})
        return f"no task has the tag {item.removeprefix(TAG_PREFIX)!r}; the tags are: {', '.join(tags)}"
    near = get_close_matches(item, [task.id for task in tasks], n=3)
    advice = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {len(tasks)} tasks; try a glob"
    return f"the suite has no task {item!r}; {advice}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
