"""Reading stored texts again: pages, searches, and steps told exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from harness.tools.encoded import drop_encoded
from harness.values.message import ToolResult
from harness.values.observation_text import observation_header
from harness.values.transcript import Exchange

RECORD_TOKENS: Final = 2000
_AROUND_CHARS: Final = 150
Count = Callable[[str], int]


def read_text(
    text: str, *, count: Count, find: str | None = None, offset: int = 0, limit_tokens: int = RECORD_TOKENS
) -> str:
    """Return one page of a stored text, or the lines of it that match, with how to go on.

    Args:
        text: The whole; encoded data in it is left out, and offsets count what remains.
        count: Tokens of a text; at least as many for a longer text that starts alike.
        find: Text to look for, ignoring case; None for a page.
        offset: First character to show or to search from; from 0.
        limit_tokens: Most tokens of the answer, its first and last line included.

    Returns:
        The answer; a first line says which characters it shows of how many.
    """
    clean = drop_encoded(text)
    if offset and offset >= len(clean):
        return f"offset {offset} is past the end: the record has {len(clean)} characters; use a smaller offset"
    if find:
        return _search(clean, find=find, offset=offset, fits=lambda answer: count(answer) <= limit_tokens)
    return _page(clean, offset=offset, fits=lambda answer: count(answer) <= limit_tokens)


def _page(text: str, *, offset: int, fits: Callable[[str], bool]) -> str:
    low, high = 0, len(text) - offset
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(_render_page(text, offset, middle)) else (low, middle - 1)
    return _render_page(text, offset, max(1, low) if text else 0)


def _render_page(text: str, offset: int, size: int) -> str:
    end = offset + size
    first = f"characters {offset} to {end} of {len(text)}:"
    last = f"\n(more follows; continue with offset {end})" if end < len(text) else "\n(end of the record)"
    return f"{first}\n{text[offset:end]}{last}"


def _search(text: str, *, find: str, offset: int, fits: Callable[[str], bool]) -> str:
    found = list(_matching_lines(text, find=find, offset=offset))
    if not found:
        return f"no line from offset {offset} on holds that text; the record has {len(text)} characters"
    title = f"{len(found)} matching lines from offset {offset} on, of {len(text)} characters:"
    shown = 1
    while shown < len(found) and fits(_render_matches(title, found, shown + 1)):
        shown += 1
    return _render_matches(title, found, shown)


def _render_matches(title: str, found: list[tuple[int, str]], shown: int) -> str:
    lines = [f"offset {start}: {line}" for start, line in found[:shown]]
    last = f"(more matches; continue with offset {found[shown][0]})" if shown < len(found) else "(end of the matches)"
    return "\n".join((title, *lines, last))


def _matching_lines(text: str, *, find: str, offset: int) -> Iterator[tuple[int, str]]:
    """Yield where each matching line starts, and the line, cut around the match when it is long."""
    start = offset
    for line in text[offset:].split("\n"):
        place = line.lower().find(find.lower())
        if place >= 0:
            left, right = max(0, place - _AROUND_CHARS), place + len(find) + _AROUND_CHARS
            yield start, f"{'…' if left else ''}{line[left:right]}{'…' if right < len(line) else ''}"
        start += len(line) + 1


def describe_exchange(exchange: Exchange) -> str:
    """Return a step as text: what the model said, its exact calls, their results, what the screen said."""
    return "\n".join(_exchange_lines(exchange))


def _exchange_lines(exchange: Exchange) -> Iterator[str]:
    yield f"step {exchange.step} of round {exchange.round}, {exchange.state}"
    if exchange.message.text:
        yield f"said: {exchange.message.text}"
    results = {result.call_id: result for result in exchange.results}
    for call in exchange.message.calls:
        yield f"call {call.id}: {call.name} {call.arguments_json}"
        yield _result_line(results.get(call.id))
    if exchange.images:
        yield f"images: {', '.join(image.id for image in exchange.images)}"
    if exchange.observation is not None:
        clean = next((image.id for image in exchange.images if image.kind == "clean"), None)
        yield observation_header(exchange.observation, step=exchange.step, frame_id=clean)


def _result_line(result: ToolResult | None) -> str:
    if result is None:
        return "result: none yet"
    record = f" (whole: {result.record})" if result.record else ""
    return f"result, {result.status}{record}: {result.text}"
