"""Progress of an evaluation for people: a live bar in a terminal, else one line a result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from evals.engine import Listener, SilentListener
from evals.report import verdict_text
from evals.results import Sample, SampleResult
from harness.values.counting import counted

REASON_CHARS = 120


@contextmanager
def open_listener(console: Console, label: str, *, is_quiet: bool) -> Iterator[Listener]:
    """Yield what fits the console: nothing, lines, or a live bar below them."""
    if is_quiet:
        yield SilentListener()
    elif console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            yield LiveListener(bar, label)
    else:
        yield LineListener(console, label)


class LineListener:
    """Prints one line a result."""

    def __init__(self, console: Console, label: str) -> None:
        self._console = console
        self._label = label
        self._total = 0
        self._done = 0

    def planned(self, total: int, done: int) -> None:
        """Say how much there is to do."""
        self._total, self._done = total, done
        resumed = f", {done} of them have a result already" if done else ""
        self._console.print(Text(f"{self._label}: {counted(total, 'episode')}{resumed}"), soft_wrap=True)

    def started(self, worker: int, sample: Sample) -> None:
        """Say nothing: a line a result is enough."""

    def retried(self, sample: Sample, fault: str) -> None:
        """Say what is run again, and why."""
        self._console.print(retry_text(sample, fault), soft_wrap=True)

    def ended(self, worker: int, result: SampleResult) -> None:
        """Say how an episode ended."""
        self._done += 1
        line = Text.assemble((f"{self._done:4d}/{self._total}  ", "dim"), result_text(result))
        self._console.print(line, soft_wrap=True)


class LiveListener:
    """Shows a bar and what each worker is at; results scroll by above."""

    def __init__(self, bar: Progress, label: str) -> None:
        self._bar = bar
        self._all = bar.add_task(label, total=None)
        self._workers: dict[int, TaskID] = {}

    def planned(self, total: int, done: int) -> None:
        """Set the bar's length."""
        self._bar.update(self._all, total=total, completed=done)

    def started(self, worker: int, sample: Sample) -> None:
        """Show the sample in the worker's row."""
        row = self._workers.get(worker)
        if row is not None:
            self._bar.remove_task(row)
        description = f"  [dim]{sample.task.id}, seed {sample.seed}[/]"
        self._workers[worker] = self._bar.add_task(description, total=None)

    def retried(self, sample: Sample, fault: str) -> None:
        """Say what is run again, and why."""
        self._bar.console.print(retry_text(sample, fault), no_wrap=True, overflow="ellipsis")

    def ended(self, worker: int, result: SampleResult) -> None:
        """Move the bar and say how an episode ended."""
        self._bar.advance(self._all)
        row = self._workers.pop(worker, None)
        if row is not None:
            self._bar.remove_task(row)
        self._bar.console.print(result_text(result), no_wrap=True, overflow="ellipsis")


def result_text(result: SampleResult) -> Text:
    """Return one line for a result; why it failed is part of it."""
    reason = "" if result.success else f"  {_shorten(result.reason)}"
    return Text.assemble(
        (f"{result.task:<28}", "bold"),
        (f" seed {result.seed:<8}", "dim"),
        verdict_text(result),
        f"  {counted(result.steps, 'step')}, {result.seconds:.1f} s",
        (reason, "dim"),
    )


def retry_text(sample: Sample, fault: str) -> Text:
    """Return one line for a retry."""
    return Text.assemble((f"{sample.task.id} seed {sample.seed} runs again: ", "yellow"), _shorten(fault))


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= REASON_CHARS else f"{flat[: REASON_CHARS - 1]}…"
