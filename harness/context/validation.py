"""The last check before a request is stored and sent: what it must hold, and what no provider accepts."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.context.pairing import find_pairing_problems
from harness.values.message import TextPart
from harness.values.profile import ModelProfile
from harness.values.projection import ImagePart, ProjectedMessage, Projection, Request
from harness.values.transcript import Entry, Exchange, Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a projection must hold.

    Attributes:
        entries: The whole transcript.
        kept: The entries that the request keeps.
        system: The system policy.
        note_view: The note view; None when notes are off.
        images: The images that the window chose, in request order.
        image_budget: Images a request may carry.
        profile: What the model accepts.
        instructions: All instructions among `entries`, where the caller has them; saves looking for them.
    """

    entries: Sequence[Entry]
    kept: Sequence[Entry]
    system: str
    note_view: str | None
    images: tuple[ImagePart, ...]
    image_budget: int
    profile: ModelProfile
    instructions: Sequence[Instruction] | None = None


def find_problems(projection: Projection, expectation: Expectation) -> tuple[str, ...]:
    """Return why a projection must not be sent, one sentence each; empty when it may.

    The five parts are task, current observation, retained exchanges, selected images and note view; what is absent,
    parted or too much is named by its id.
    """
    messages = projection.messages
    open_seq = next((entry.seq for entry in reversed(expectation.kept) if isinstance(entry, Exchange)), None)
    return (
        *_fixed_problems(messages, expectation),
        *_instruction_problems(messages, expectation),
        *_observation_problems(messages, expectation),
        *_retained_problems(messages, expectation),
        *find_pairing_problems(messages, open_seq=open_seq),
        *_image_problems(messages, projection.images, expectation),
    )


def find_request_problems(request: Request, profile: ModelProfile) -> tuple[str, ...]:
    """Return why the rendered request must not be sent; empty when it may."""
    limit, size = profile.max_request_bytes, request.size_bytes
    if limit is not None and size > limit:
        return (f"the request has {size} bytes but {profile.name} accepts {limit}; lower the image budget",)
    return ()


def _text_of(message: ProjectedMessage) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _fixed_problems(messages: Sequence[ProjectedMessage], expectation: Expectation) -> Iterator[str]:
    if [_text_of(message) for message in messages if message.role == "system"] != [expectation.system]:
        yield "the system policy does not stand in the request exactly once"
    elif messages[0].role != "system":
        yield f"the request begins with a {messages[0].role} message, not with the system policy"
    views = [_text_of(message) for message in messages if message.section == "notes"]
    if expectation.note_view is None and views:
        yield f"notes are off but the request has {len(views)} note views"
    if expectation.note_view is not None and views != [expectation.note_view]:
        yield f"the active note view must stand exactly once and whole; the request has {len(views)} note views"


def _instruction_problems(messages: Sequence[ProjectedMessage], expectation: Expectation) -> Iterator[str]:
    """Every instruction of the round is a hard pin: byte for byte, once, whatever the history policy dropped."""
    instructions = expectation.instructions
    if instructions is None:
        instructions = [entry for entry in expectation.entries if entry.kind == "instruction"]
    task = next((entry for entry in reversed(instructions) if entry.is_task), None)
    if task is None:
        yield "the task is absent: no round has begun"
        return
    pinned = [entry for entry in instructions if entry.round == task.round]
    texts = Tally((message.entry_seq, _text_of(message)) for message in messages if message.section == "task")
    for entry in pinned:
        if texts[entry.seq, entry.text] != 1:
            what = "the task" if entry.is_task else f"the instruction at {entry.seq}"
            yield f"{what} does not stand in the request exactly once and whole"
    if texts.total() != len(pinned):
        yield f"the task section has {texts.total()} messages for {len(pinned)} instructions"


def _observation_problems(messages: Sequence[ProjectedMessage], expectation: Expectation) -> Iterator[str]:
    sight = next(
        (
            entry
            for entry in reversed(expectation.entries)
            if not isinstance(entry, Instruction) and entry.observation is not None
        ),
        None,
    )
    shown = [message.entry_seq for message in messages if message.section == "observation"]
    if sight is None:
        yield "the current observation is absent: nothing was captured yet"
    elif shown != [sight.seq]:
        yield f"the current observation (step {sight.step}) does not stand in the request exactly once"


def _retained_problems(messages: Sequence[ProjectedMessage], expectation: Expectation) -> Iterator[str]:
    order = [message.entry_seq for message in messages if message.entry_seq is not None and message.lifetime != "fixed"]
    shown = dict.fromkeys(order)
    task = next((item for item in reversed(expectation.kept) if isinstance(item, Instruction) and item.is_task), None)
    kept = dict.fromkeys(entry.seq for entry in expectation.kept if entry is not task)
    yield from (f"the retained entry {seq} is absent" for seq in kept if seq not in shown)
    yield from (f"the request shows the entry {seq}, which is not retained" for seq in shown if seq not in kept)
    if order != sorted(order):
        yield "the retained entries do not stand in their order"


def _image_problems(
    messages: Sequence[ProjectedMessage], listed: Sequence[ImagePart], expectation: Expectation
) -> Iterator[str]:
    images = [part for message in messages for part in message.parts if part.kind == "image"]
    profile = expectation.profile
    placed = [image.artifact for image in images]
    wanted = [image.artifact for image in expectation.images]
    if placed != wanted:
        yield f"the window chose the images {wanted} but the request holds {placed}"
    if placed != [image.artifact for image in listed]:
        yield f"the projection lists the images {[image.artifact for image in listed]} but holds {placed}"
    if len(images) > expectation.image_budget:
        allowed = expectation.image_budget
        yield f"the request has {len(images)} images but prompt.screenshot_window_images allows {allowed}"
    if profile.max_images is not None and len(images) > profile.max_images:
        yield f"the request has {len(images)} images but {profile.name} accepts {profile.max_images}"
    for sha256, times in Tally(image.sha256 for image in images).items():
        if times > 1:
            yield f"the blob {sha256} stands in the request {times} times"
    for image in images:
        if profile.max_image_bytes is not None and image.size_bytes > profile.max_image_bytes:
            yield f"{image.artifact} has {image.size_bytes} bytes but {profile.name} accepts {profile.max_image_bytes}"
