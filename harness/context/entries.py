"""One transcript entry as messages, for one way of showing its images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.context import wording
from harness.values.message import TextPart, ToolResult
from harness.values.observation import Observation
from harness.values.observation_text import observation_header, screen_text
from harness.values.projection import ContentPart, ImagePart, ProjectedMessage, SectionName
from harness.values.transcript import Entry, Exchange, Instruction, RuntimeCapture
from harness.values.window import PlacedImage, carrier_call, placed_images


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedImage:
    """An image whose bytes are shown at another place of the request."""

    shown_as: str
    is_above: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How an entry is shown in one request.

    Attributes:
        section: Where its observation, or an instruction, is counted.
        lists_marks: Whether the marks list of its observation stands.
        images: Its images that the request shows, by artifact; the others are named in a line.
    """

    section: SectionName
    lists_marks: bool
    images: Mapping[str, ImagePart | SharedImage]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRules:
    """What stays the same over a session.

    Attributes:
        fence_token: The session's fence token.
        result_chars: Characters of one marks list; 0 for no limit.
        image_budget: The configured image budget, named where an image has no slot.
    """

    fence_token: str = ""
    result_chars: int = 0
    image_budget: int = 0


def render_entry(entry: Entry, display: Display, rules: RenderRules) -> tuple[ProjectedMessage, ...]:
    """Return the messages of an entry: a user message, or a reply and one result message for each answered call."""
    match entry:
        case Instruction():
            return (_user(entry, display.section, (TextPart(text=entry.text),)),)
        case RuntimeCapture():
            content = _sight(entry, entry.observation, placed_images(entry), display, rules)
            return (_user(entry, display.section, tuple(content)),)
        case Exchange():
            return tuple(_exchange_messages(entry, display, rules))


def _user(entry: Entry, section: SectionName, parts: tuple[ContentPart, ...]) -> ProjectedMessage:
    return ProjectedMessage(role="user", section=section, lifetime="append_only", parts=parts, entry_seq=entry.seq)


def _exchange_messages(entry: Exchange, display: Display, rules: RenderRules) -> Iterator[ProjectedMessage]:
    if entry.message.parts:
        yield ProjectedMessage(
            role="assistant",
            section="history",
            lifetime="append_only",
            parts=entry.message.parts,
            entry_seq=entry.seq,
        )
    calls = entry.message.calls
    if not calls:
        yield _user(entry, "history", (TextPart(text=wording.NO_CALL),))
    results: dict[str, ToolResult] = {}
    for result in entry.results:
        results.setdefault(result.call_id, result)
    images = placed_images(entry)
    carrier = carrier_call(entry)
    for call in calls:
        if call.id in results:
            own = [image for image in images if image.call_id == call.id]
            observation = entry.observation if call.id == carrier else None
            content = _sight(entry, observation, own, display, rules)
            yield _tool_message(entry, results[call.id], tuple(content), display, carrier)


def _tool_message(
    entry: Exchange, result: ToolResult, content: tuple[ContentPart, ...], display: Display, carrier: str | None
) -> ProjectedMessage:
    text = result.text or ("" if content else wording.EMPTY_RESULT)
    return ProjectedMessage(
        role="tool",
        section=display.section if result.call_id == carrier else "history",
        lifetime="append_only",
        parts=(TextPart(text=text), *content) if text else content,
        call_id=result.call_id,
        is_error=result.is_error,
        entry_seq=entry.seq,
    )


def _sight(
    entry: Exchange | RuntimeCapture,
    observation: Observation | None,
    images: Sequence[PlacedImage],
    display: Display,
    rules: RenderRules,
) -> Iterator[ContentPart]:
    """Yield observation text, then each image with its label or the line that stands for it."""
    if observation is not None:
        frame = next((item.id for item in entry.images if item.kind == "clean"), None)
        yield TextPart(text=observation_header(observation, step=entry.step, frame_id=frame))
        if display.lists_marks:
            yield TextPart(text=screen_text(observation, token=rules.fence_token, limit_chars=rules.result_chars))
    missing = [image.artifact.id for image in images if image.artifact.id not in display.images]
    if missing:
        has_left_marks = observation is not None and not display.lists_marks and bool(observation.marks)
        text = wording.not_shown(missing, image_budget=rules.image_budget, has_left_marks=has_left_marks)
        yield TextPart(text=text)
    for image in images:
        yield from _image(image, display.images.get(image.artifact.id))


def _image(placed: PlacedImage, shown: ImagePart | SharedImage | None) -> Iterator[ContentPart]:
    if isinstance(shown, ImagePart):
        yield TextPart(text=wording.image_label(shown))
        yield shown
    elif shown is not None:
        is_frame = placed.artifact.kind == "clean"
        yield TextPart(
            text=wording.same_pixels(
                placed.artifact.id, is_frame=is_frame, shown_as=shown.shown_as, is_above=shown.is_above
            )
        )
