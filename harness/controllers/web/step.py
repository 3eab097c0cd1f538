"""The calls of one step on one page, in order, until one fails or the screen changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from harness.controllers.web.actions import Hands
from harness.controllers.web.aim import CallFailed
from harness.controllers.web.checks import Seen, check_arguments, check_marks, what_changed
from harness.controllers.web.deadline import Deadline, DeadlineReached
from harness.controllers.web.launch import first_line
from harness.controllers.web.tabs import Tabs
from harness.protocols import MarkObserver, Settler
from harness.values.action import DeviceCall
from harness.values.mark import quote_page_text
from harness.values.observation import SettleReport
from harness.values.outcome import CallOutcome, CallStatus

SETTLE_CAP_S = 3.0
# Between two calls it is enough to see a navigation begin or a layer open.
BETWEEN_CAP_S = 1.0
_WATCH_S = 3.0


@dataclass(slots=True, kw_only=True)
class StepRun:
    """What a step needs, and what came of it so far.

    Attributes:
        tabs: The pages.
        hands: Pointer and keyboard.
        settler: Waits after each call.
        observer: Finds marks again, or None.
        seen: What the model saw.
        deadline: The step's deadline.
        outcomes: One for each call so far.
        settle: The report after the last executed call, or None.
        is_cut_off: Whether a call was cut off and may or may not have happened.
        is_acting: Whether a call is under way that may have reached the page.
    """

    tabs: Tabs
    hands: Hands
    settler: Settler
    observer: MarkObserver | None
    seen: Seen
    deadline: Deadline
    outcomes: list[CallOutcome] = field(default_factory=list)
    settle: SettleReport | None = None
    is_cut_off: bool = False
    is_acting: bool = False


async def run_calls(run: StepRun, calls: Sequence[DeviceCall]) -> None:
    """Run calls in order and record an outcome for each of them."""
    start = run.tabs.place()
    stopped: str | None = None
    for index, call in enumerate(calls):
        if index and stopped is None:
            changed = "the page was closed" if run.tabs.is_active_lost else what_changed(start, run.tabs.place())
            stopped = None if changed is None else f"the screen changed ({changed})"
        if stopped is not None:
            _record(run, call, "not_executed", f"not executed: {stopped}")
            continue
        status = await _run_call(run, call, is_last=index == len(calls) - 1)
        if status != "executed":
            stopped = _stop_reason(run, call, index)


def _stop_reason(run: StepRun, call: DeviceCall, index: int) -> str:
    text = run.outcomes[-1].text
    if text.startswith("mark "):
        return f"the screen changed (call {index + 1}: {text})"
    return f"call {index + 1} ({call.action.kind}) did not work"


async def _run_call(run: StepRun, call: DeviceCall, *, is_last: bool) -> CallStatus:
    try:
        check_arguments(call.action, run.seen)
        await check_marks(call.action, run.seen, run.observer, run.deadline)
    except CallFailed as exc:
        return _record(run, call, "failed", str(exc))
    return await _act_and_settle(run, call, cap_s=SETTLE_CAP_S if is_last else BETWEEN_CAP_S)


async def _act_and_settle(run: StepRun, call: DeviceCall, *, cap_s: float) -> CallStatus:
    page = run.tabs.active
    try:
        watch = await run.deadline.run(run.settler.watch(page), "watching the page", cap_s=_WATCH_S)
    except DeadlineReached as exc:
        return _record(run, call, "not_executed", f"not executed: {exc}")
    status = await _act(run, call, page)
    try:
        run.settle = await run.deadline.run(watch.settled(cap_s=cap_s), "settling")
    except DeadlineReached:
        run.settle = SettleReport(kind="cap", waited_s=0.0, pending="the step's deadline came first")
    run.is_acting = False
    return status


async def _act(run: StepRun, call: DeviceCall, page: Page) -> CallStatus:
    run.is_acting = True
    doing = run.hands.act(page, call.action, run.seen.frame, run.deadline)
    try:
        return _record(run, call, "executed", await run.deadline.run(doing, call.action.kind))
    except CallFailed as exc:
        return _record(run, call, "failed", str(exc))
    except DeadlineReached as exc:
        run.is_cut_off = True
        return _record(run, call, "unknown", f"{exc}; it may or may not have happened")
    except PlaywrightError as exc:
        if run.tabs.is_active_lost or page.is_closed():
            run.is_cut_off = True
            return _record(run, call, "unknown", f"the page went away during {call.action.kind}; it may have happened")
        return _record(run, call, "failed", f"the browser refused: {quote_page_text(first_line(exc))}")


def _record(run: StepRun, call: DeviceCall, status: CallStatus, text: str) -> CallStatus:
    run.outcomes.append(CallOutcome(call_id=call.call_id, status=status, text=text))
    return status
