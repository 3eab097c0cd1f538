"""Reference solutions: they read the task text and act through the agent's tools and marks, nothing else."""

from __future__ import annotations

from harness.protocols.policies import Solver

SOLUTIONS: dict[str, Solver] = {}
