"""An observation as text: the lines every request shows and every keyless policy reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from harness.values.desktop import DesktopWindow, window_line
from harness.values.fence import fence
from harness.values.mark import quote_page_text, quote_title, screen_lines
from harness.values.observation import Observation, SettleReport

SCREEN_HEADING = "Screen after step"
MAX_WINDOWS: Final = 20


def observation_header(observation: Observation, *, step: int, frame_id: str | None) -> str:
    """Return the facts of an observation that stay for good: one line each, page text quoted."""
    return "\n".join(_header_lines(observation, step=step, frame_id=frame_id))


def _header_lines(observation: Observation, *, step: int, frame_id: str | None) -> Iterator[str]:
    frame = observation.frame
    if frame is None:
        yield f"{SCREEN_HEADING} {step}: no frame ({observation.error or 'the capture failed'}); this is no evidence"
    else:
        yield f"{SCREEN_HEADING} {step}: frame {frame_id}, {frame.width_px}x{frame.height_px} px"
    if observation.url is not None:
        yield f"url: {quote_page_text(observation.url)}"
    if observation.title:
        yield f"title: {quote_title(observation.title)}"
    if observation.app:
        yield f"application: {quote_title(observation.app)}"
    if observation.settle is not None:
        yield _settle_line(observation.settle)
    yield from _event_lines(observation)


def _event_lines(observation: Observation) -> Iterator[str]:
    for dialog in observation.dialogs:
        yield f"dialog: {dialog.kind} {quote_page_text(dialog.message)}, answered {dialog.answer}"
    if len(observation.tabs) > 1:
        for tab in observation.tabs:
            yield f"tab {tab.id}{' (active)' if tab.is_active else ''}: {quote_title(tab.title or tab.url)}"
    yield from _window_lines(observation.windows)
    for download in observation.downloads:
        size = "running" if download.path is None else f"{download.size_bytes} bytes, {download.path}"
        yield f"download: {quote_page_text(download.name)}, {size}"
    for task in observation.background:
        yield f"background: {quote_page_text(task)}"
    for notice in observation.notices:
        yield f"notice: {notice}"


def _window_lines(windows: Sequence[DesktopWindow]) -> Iterator[str]:
    for window in windows[:MAX_WINDOWS]:
        yield window_line(window)
    if len(windows) > MAX_WINDOWS:
        yield f"notice: {len(windows) - MAX_WINDOWS} more windows are not listed here"


def _settle_line(report: SettleReport) -> str:
    match report.kind:
        case "settled":
            return f"settled after {report.waited_s:.1f} s"
        case "idle":
            return f"nothing moved for {report.waited_s:.1f} s"
        case "cap":
            return f"still changing after {report.waited_s:.1f} s{': ' + report.pending if report.pending else ''}"
        case _:
            assert_never(report.kind)


def screen_text(observation: Observation, *, token: str, limit_chars: int = 0) -> str:
    """Return marks and visible text inside a fence; at most `limit_chars` characters of lines when not 0.

    What is cut is counted in a last line outside the quotes, so nothing disappears silently.
    """
    lines = screen_lines(observation.marks, observation.texts)
    kept: list[str] = []
    used = 0
    for line in lines:
        used += len(line) + 1
        if limit_chars and used > limit_chars:
            break
        kept.append(line)
    if len(kept) < len(lines):
        kept.append(f"({len(lines) - len(kept)} more lines are not listed)")
    return fence("\n".join(kept) if kept else "(nothing to act on and no text)", source="page", token=token)
