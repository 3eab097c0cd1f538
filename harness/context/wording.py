"""The harness's own sentences in a request.

They are plain prose on purpose: a line in brackets or in the shape of a protocol gets copied by models, which then
invent results that never happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from harness.context.history import StepRange
from harness.values.artifact import ImageKind
from harness.values.projection import ImagePart

NO_CALL = "The last reply called no tool, so nothing was done. Call a tool to go on, or finish to end the task."
EMPTY_RESULT = "The tool returned no text."


def image_label(part: ImagePart) -> str:
    """Return the line that stands before an image."""
    return f"Image {part.artifact} ({_what_it_is(part.image_kind, part.step)}):"


def _what_it_is(kind: ImageKind, step: int) -> str:
    match kind:
        case "clean":
            return f"clean frame after step {step}"
        case "marks":
            return f"frame after step {step} with numbered marks"
        case "action":
            return f"action of step {step}, drawn on the frame it was decided on"
        case "zoom":
            return f"zoom requested in step {step}"
        case "recall":
            return f"recalled in step {step}"
        case "skill":
            return f"image of a skill loaded in step {step}"
        case _:
            assert_never(kind)


def same_pixels(artifact: str, *, is_frame: bool, shown_as: str, is_above: bool) -> str:
    """Return the line that stands for an image whose bytes are shown elsewhere in the request."""
    noun = "Frame" if is_frame else "Image"
    return f"{noun} {artifact} has the same pixels as {shown_as}, which is shown {'above' if is_above else 'below'}."


def not_shown(artifacts: Sequence[str], *, image_budget: int, has_left_marks: bool) -> str:
    """Return the line that stands for images without a slot, whether they had one before or never.

    One wording for both keeps the bytes of an image that never had a slot as they are.
    """
    verb = "is" if len(artifacts) == 1 else "are"
    marks = "; the marks of that frame are not listed either" if has_left_marks else ""
    return f"{_enumerate(artifacts)} {verb} not shown: image budget {image_budget}{marks}."


def _enumerate(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def left_out(dropped: Sequence[StepRange]) -> str:
    """Return the line that says which steps the request leaves out and how to read them."""
    ranges = _enumerate([f"{item.first} to {item.last}" for item in dropped])
    return f"Steps {ranges} are left out here. The tool read_record reads them again; its step_range takes two steps."
