"""From what is kept and shown to the messages of a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.context import wording
from harness.context.counter import Counter, SimpleCounter, count_message, count_tools
from harness.context.displays import plan_displays
from harness.context.entries import Display, RenderRules, render_entry
from harness.context.history import HistorySelection
from harness.values.message import TextPart
from harness.values.profile import NoteViewPlace
from harness.values.projection import (
    ImagePart,
    Lifetime,
    ProjectedMessage,
    Projection,
    Role,
    SectionName,
    SectionTokens,
)
from harness.values.tool import ToolDeclaration
from harness.values.transcript import Entry, Exchange, Instruction
from harness.values.window import WindowSelection

_LEDGER_ORDER: tuple[SectionName, ...] = (
    "system",
    "tools",
    "task",
    "skills",
    "digests",
    "notes",
    "history",
    "observation",
    "volatile",
)
_BARE = Display(section="history", lists_marks=False, images={})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionInputs:
    """Everything a projection is made from.

    Attributes:
        step: The step the request is for.
        system: The system policy.
        tools: Tool declarations in their fixed order.
        history: The entries to show, instructions included.
        selection: The images to show.
        image_budget: The budget as it holds over the whole session: it stands in text that was already sent.
        note_view: The note view with its fence; None when notes are off.
        fence_token: The session's fence token.
        note_view_place: Where the note view stands.
        result_chars: Characters of one marks list; 0 for no limit.
    """

    step: int
    system: str
    tools: tuple[ToolDeclaration, ...]
    history: HistorySelection
    selection: WindowSelection
    image_budget: int
    note_view: str | None
    fence_token: str
    note_view_place: NoteViewPlace = "before_history"
    result_chars: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """An entry as it was last rendered."""

    entry: Entry
    display: Display
    messages: tuple[ProjectedMessage, ...]
    tokens: Mapping[SectionName, int]

    def fits(self, entry: Entry, display: Display) -> bool:
        """Return whether it is still how `entry` is shown."""
        return self.entry is entry and (self.display is display or self.display == display)


class Projector:
    """Builds projections; what it remembers only saves time, the same inputs give equal projections."""

    def __init__(self, counter: Counter | None = None) -> None:
        self._counter: Counter = counter or SimpleCounter()
        self._rules = RenderRules()
        self._shown: dict[int, _Shown] = {}
        self._fixed: dict[ProjectedMessage, int] = {}
        self._tools: tuple[tuple[ToolDeclaration, ...], int] = ((), 0)

    def project(self, inputs: ProjectionInputs) -> Projection:
        """Return messages in request order with the token ledger.

        System, task, note view, the line about steps left out, history in its own order; the note view comes last
        where the profile says so.
        """
        rules = RenderRules(
            fence_token=inputs.fence_token, result_chars=inputs.result_chars, image_budget=inputs.image_budget
        )
        if rules != self._rules:
            self._rules, self._shown = rules, {}
        task = _current_task(inputs.history.kept)
        front, back = _frame(inputs, task)
        shown = self._show(inputs, task)
        ledger: dict[SectionName, int] = {"tools": self._count_tools(inputs.tools)} if inputs.tools else {}
        for message in (*front, *back):
            ledger[message.section] = ledger.get(message.section, 0) + self._count_fixed(message)
        for item in shown:
            for name, tokens in item.tokens.items():
                ledger[name] = ledger.get(name, 0) + tokens
        history = [message for item in shown for message in item.messages]
        return Projection(
            step=inputs.step,
            tools=inputs.tools,
            messages=(*front, *history, *back),
            sections=tuple(SectionTokens(name=name, tokens=ledger[name]) for name in _LEDGER_ORDER if name in ledger),
            images=_placed_parts(shown, inputs.selection.shown),
        )

    def count_exchange(self, exchange: Exchange) -> int:
        """Return the estimated tokens of an exchange without its images and its marks list."""
        shown = self._shown.get(exchange.seq)
        if shown is None or shown.entry is not exchange or shown.display.images or shown.display.lists_marks:
            shown = self._render(exchange, _BARE)
        return sum(shown.tokens.values())

    def _show(self, inputs: ProjectionInputs, task: Instruction | None) -> list[_Shown]:
        """Return the entries after the task as they are shown; what is no longer kept is forgotten."""
        kept = inputs.history.kept
        displays = plan_displays(
            kept,
            inputs.selection,
            round_=0 if task is None else task.round,
            keeps_marks=inputs.image_budget == 0,
        )
        result = []
        for entry in kept:
            if entry is task:
                continue
            display = displays.of(entry)
            shown = self._shown.get(entry.seq)
            if shown is None or not shown.fits(entry, display):
                shown = self._render(entry, display)
            result.append(shown)
        self._shown = {item.entry.seq: item for item in result}
        return result

    def _render(self, entry: Entry, display: Display) -> _Shown:
        messages = render_entry(entry, display, self._rules)
        tokens: dict[SectionName, int] = {}
        for message in messages:
            tokens[message.section] = tokens.get(message.section, 0) + count_message(message, self._counter)
        return _Shown(entry=entry, display=display, messages=messages, tokens=tokens)

    def _count_fixed(self, message: ProjectedMessage) -> int:
        known = self._fixed.get(message)
        if known is None:
            self._fixed = {} if len(self._fixed) > 16 else self._fixed
            known = self._fixed[message] = count_message(message, self._counter)
        return known

    def _count_tools(self, tools: tuple[ToolDeclaration, ...]) -> int:
        if self._tools[0] is not tools:
            self._tools = (tools, count_tools(tools, self._counter))
        return self._tools[1]


def _current_task(kept: Sequence[Entry]) -> Instruction | None:
    return next((entry for entry in reversed(kept) if entry.kind == "instruction" and entry.is_task), None)


def _frame(
    inputs: ProjectionInputs, task: Instruction | None
) -> tuple[tuple[ProjectedMessage, ...], tuple[ProjectedMessage, ...]]:
    """Return the messages before and after the history."""
    front = [_message("system", "system", "fixed", inputs.system)]
    if task is not None:
        front.append(_message("user", "task", "fixed", task.text, entry_seq=task.seq))
    back = []
    if inputs.note_view is not None and inputs.note_view_place == "before_history":
        front.append(_message("user", "notes", "event", inputs.note_view))
    elif inputs.note_view is not None:
        back.append(_message("user", "notes", "volatile", inputs.note_view))
    if inputs.history.dropped:
        front.append(_message("user", "history", "event", wording.left_out(inputs.history.dropped)))
    return tuple(front), tuple(back)


@lru_cache(maxsize=64)
def _message(
    role: Role, section: SectionName, lifetime: Lifetime, text: str, *, entry_seq: int | None = None
) -> ProjectedMessage:
    """Return a message of one text; the same text gives the same object, which is cheap to render again."""
    return ProjectedMessage(
        role=role, section=section, lifetime=lifetime, parts=(TextPart(text=text),), entry_seq=entry_seq
    )


def _placed_parts(shown: Iterable[_Shown], selected: Sequence[ImagePart]) -> tuple[ImagePart, ...]:
    """Return the selected images that stand in the messages, in that order, with the artifacts that share them."""
    by_artifact = {part.artifact: part for part in selected}
    return tuple(
        by_artifact[part.artifact]
        for item in shown
        if item.display.images
        for message in item.messages
        for part in message.parts
        if isinstance(part, ImagePart)
    )
