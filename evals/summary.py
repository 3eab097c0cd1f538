"""An evaluation as JSON: what other programs read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evals.result_files import result_json
from evals.results import SampleResult
from evals.statistics import SuccessRow, count_by_task, count_success

SCHEMA: Final = "transom/eval/1"


def build_summary(results: Sequence[SampleResult], *, seconds: float) -> dict[str, object]:
    """Return the summary of all results; cost is null when the price of any episode is unknown."""
    costs = [result.cost_usd for result in results]
    known = [cost for cost in costs if cost is not None]
    return {
        **_row_json(count_success("all", results)),
        "retries": sum(result.retries for result in results),
        "wall_seconds": round(seconds, 3),
        "tokens": {
            "input": sum(result.input_tokens for result in results),
            "cached": sum(result.cached_tokens for result in results),
            "output": sum(result.output_tokens for result in results),
        },
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "tasks": {row.task: _row_json(row) for row in count_by_task(results)},
    }


def suite_json(
    suite: str, agent: str, results: Sequence[SampleResult], summary: dict[str, object]
) -> dict[str, object]:
    """Return the whole evaluation."""
    return {
        "schema": SCHEMA,
        "suite": suite,
        "agent": agent,
        "results": [result_json(result) for result in results],
        "summary": summary,
    }


def _row_json(row: SuccessRow) -> dict[str, object]:
    return {
        "episodes": row.episodes,
        "successes": row.successes,
        "success_rate": round(row.rate, 4),
        "interval": [round(row.interval.low, 4), round(row.interval.high, 4)],
        "infrastructure": row.infrastructure,
        "steps_mean": round(row.steps, 2),
        "seconds_mean": round(row.seconds, 3),
    }
