"""Checks a whole configuration file: its schema, and every agent as a run would resolve it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath

from harness.config.loader import read_config
from harness.config.problem import Problem, sort_problems
from harness.config.resolve import try_resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found.

    Attributes:
        file: The file that was checked.
        agents: Its agents, in the order of the file.
        problems: What is wrong, by line.
        warnings: What to know, by agent.
    """

    file: str
    agents: tuple[str, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]

    @property
    def is_ok(self) -> bool:
        """Whether a run may use the file."""
        return not self.problems


def check_config(path: FilePath | None = None) -> CheckReport:
    """Check a file; `path` is as in `load_config`."""
    loaded, problems = read_config(path)
    if loaded is None:
        return CheckReport(file=str(path or ""), agents=(), problems=tuple(problems), warnings=())
    found = list(problems)
    warnings: list[str] = []
    for name in loaded.agents if not problems else ():
        config, more = try_resolve(loaded, name)
        found.extend(more)
        warnings.extend(f"{name}: {text}" for text in (config.warnings if config else ()))
    return CheckReport(
        file=loaded.file, agents=tuple(loaded.agents), problems=sort_problems(found), warnings=tuple(warnings)
    )
