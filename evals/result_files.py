"""The folder of an evaluation: plan.json, results.jsonl that grows with each sample, and at the end summary.json."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.results import SampleResult
from harness.errors import StorageDamaged, StorageError, UsageError
from harness.values.run import RunStatus

PLAN_NAME: Final = "plan.json"
RESULTS_NAME: Final = "results.jsonl"
SUMMARY_NAME: Final = "summary.json"


class TokensModel(BaseModel):
    """Tokens of one sample on disk and in JSON."""

    model_config = ConfigDict(extra="forbid")
    input: int
    cached: int
    output: int


class ResultModel(BaseModel):
    """One sample on disk and in JSON; fields may be added, none is renamed."""

    model_config = ConfigDict(extra="forbid")
    task: str
    seed: int
    success: bool
    reward: float
    status: RunStatus
    answer: str | None
    steps: int
    seconds: float
    tokens: TokensModel
    cost_usd: float | None
    session: str
    reason: str = ""
    dir: str = ""
    retries: int = 0


class PlanModel(BaseModel):
    """What the results of a folder belong to."""

    model_config = ConfigDict(extra="forbid")
    suite: str
    agent: str
    fingerprint: str


def result_json(result: SampleResult) -> dict[str, object]:
    """Return a result as it stands in JSON."""
    return ResultModel(
        task=result.task,
        seed=result.seed,
        success=result.success,
        reward=result.reward,
        status=result.status,
        answer=result.answer,
        steps=result.steps,
        seconds=round(result.seconds, 3),
        tokens=TokensModel(input=result.input_tokens, cached=result.cached_tokens, output=result.output_tokens),
        cost_usd=result.cost_usd,
        session=result.session,
        reason=result.reason,
        dir=result.directory,
        retries=result.retries,
    ).model_dump()


class ResultFolder:
    """One evaluation on disk. Single writer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._results = folder / RESULTS_NAME

    def load(self, plan: PlanModel) -> tuple[SampleResult, ...]:
        """Return earlier results and make the folder ready to append; a last line that was cut off is dropped.

        Raises:
            UsageError: the folder holds results of another plan.
            StorageDamaged: a line can't be read.
            StorageError: the folder can't be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lines = self._whole_lines()
            self._claim(plan, is_new=not lines)
        except OSError as exc:
            raise StorageError(f"can't write {self._folder}: {exc}; choose another folder with --out") from exc
        return tuple(self._parse(line, number) for number, line in enumerate(lines, start=1))

    def append(self, result: SampleResult) -> None:
        """Append one result; it is on disk when this returns."""
        with self._results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(result_json(result), ensure_ascii=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def save_summary(self, value: dict[str, object]) -> None:
        """Write summary.json whole, or not at all."""
        self._save(SUMMARY_NAME, value)

    def _save(self, name: str, value: dict[str, object]) -> None:
        draft = self._folder / f"{name}.tmp"
        with draft.open("w", encoding="utf-8") as stream:
            stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(self._folder / name)

    def _whole_lines(self) -> list[str]:
        if not self._results.exists():
            return []
        data = self._results.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with self._results.open("r+b") as stream:
                stream.truncate(len(whole))
        return whole.decode("utf-8", "replace").splitlines()

    def _claim(self, plan: PlanModel, *, is_new: bool) -> None:
        path = self._folder / PLAN_NAME
        if is_new:
            self._save(PLAN_NAME, plan.model_dump())
            return
        try:
            found = PlanModel.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError) as exc:
            raise StorageDamaged(f"{path} does not say what {self._results} belongs to; use another --out") from exc
        if found != plan:
            raise UsageError(
                f"{self._results} holds results of another plan ({_describe(found)}), this one is {_describe(plan)}; "
                "choose another folder with --out, or delete that file"
            )

    def _parse(self, line: str, number: int) -> SampleResult:
        try:
            model = ResultModel.model_validate_json(line)
        except ValidationError as exc:
            problem = exc.errors()[0]
            raise StorageDamaged(
                f"{self._results}:{number} can't be read ({problem['msg']} at {problem['loc']}); "
                "delete that line to have its sample run again"
            ) from exc
        return result_from_model(model)


def _describe(plan: PlanModel) -> str:
    return f"suite {plan.suite!r}, agent {plan.agent!r}, settings {plan.fingerprint}"


def result_from_model(model: ResultModel) -> SampleResult:
    """Return the value that a line on disk holds."""
    return SampleResult(
        task=model.task,
        seed=model.seed,
        success=model.success,
        reward=model.reward,
        status=model.status,
        reason=model.reason,
        answer=model.answer,
        steps=model.steps,
        seconds=model.seconds,
        input_tokens=model.tokens.input,
        cached_tokens=model.tokens.cached,
        output_tokens=model.tokens.output,
        cost_usd=model.cost_usd,
        session=model.session,
        directory=model.dir,
        retries=model.retries,
    )


def newest_by_sample(results: Iterable[SampleResult]) -> tuple[SampleResult, ...]:
    """Return the last result of each sample, in the order of their first appearance."""
    return tuple({result.key: result for result in results}.values())
