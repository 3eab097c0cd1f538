"""The keyless token estimate."""

from __future__ import annotations

import pytest

from harness.context import SimpleCounter, count_message
from harness.values.geometry import Size
from harness.values.message import ReasoningPart, TextPart, ToolCall
from harness.values.projection import ImagePart, ProjectedMessage

_counter = SimpleCounter()


@pytest.mark.req("R-CTX-16")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a" * 45, 10),
        ("0123456789", 7),
        ("[12, 34]", 5),
        ("日本語テキスト", 6),
        ("한국어", 3),
        ("🙂🙂🙂", 6),
        ("\ud800", 1),
        ("привет", 3),
    ],
)
def test_text_counts_by_script(text: str, tokens: int) -> None:
    assert _counter.count_text(text) == tokens


@pytest.mark.req("R-CTX-16")
@pytest.mark.parametrize(
    ("width", "height", "tokens"), [(1280, 800, 1334), (320, 200, 96), (1, 1, 1), (0, 0, 1), (8000, 8000, 4784)]
)
def test_images_count_by_area(width: int, height: int, tokens: int) -> None:
    assert _counter.count_image(Size(width_px=width, height_px=height)) == tokens


def test_a_message_counts_each_of_its_parts() -> None:
    image = ImagePart(
        artifact="s0001-clean",
        image_kind="clean",
        step=1,
        sha256="a",
        media_type="image/png",
        width_px=280,
        height_px=280,
        size_bytes=1,
    )
    parts = (
        TextPart(text="a" * 9),
        image,
        ToolCall(id="c", name="a" * 9, arguments_json=""),
        ReasoningPart(text="", raw_json="x" * 40),
        ReasoningPart(text="a" * 9, raw_json="x" * 40),
    )
    message = ProjectedMessage(role="assistant", section="history", lifetime="append_only", parts=parts)
    assert count_message(message, _counter) == 4 + 2 + 100 + (4 + 2) + 10 + 2
