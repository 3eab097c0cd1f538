from __future__ import annotations

import io
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from harness.controllers.frames import png_size
from harness.controllers.png import encode_png
from harness.values.geometry import Size


@st.composite
def images(draw: st.DrawFn) -> Image.Image:
    width, height = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    data = draw(st.binary(min_size=width * height * 3, max_size=width * height * 3))
    return Image.frombytes("RGB", (width, height), data)


@pytest.mark.req("R-IMG-9")
@given(images())
def test_every_image_comes_back(image: Image.Image) -> None:
    png = encode_png(image)
    assert png_size(png) == Size(width_px=image.width, height_px=image.height)
    with Image.open(io.BytesIO(png), formats=("PNG",)) as checked:
        checked.verify()
    with Image.open(io.BytesIO(png), formats=("PNG",)) as opened:
        assert opened.mode == "RGB"
        assert opened.tobytes() == image.tobytes()


def form() -> Image.Image:
    """A window with text, lines and plain areas."""
    image = Image.new("RGB", (1280, 800), (64, 88, 107))
    draw = ImageDraw.Draw(image)
    draw.rectangle((100, 60, 1100, 740), fill=(246, 245, 244), outline=(120, 120, 120))
    for row in range(30):
        draw.text(
            (120 + row % 3 * 9, 80 + row * 21), f"{row} the quick brown fox {row * 7919} jumps", fill=(20, 20, 20)
        )
        draw.line((100, 100 + row * 21, 1100, 100 + row * 21), fill=(220, 220, 220))
    return image


def wallpaper() -> Image.Image:
    down = Image.linear_gradient("L").resize((1280, 800))
    return Image.merge("RGB", (down, down.rotate(180), down.transpose(Image.Transpose.FLIP_LEFT_RIGHT)))


def pillow_png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, format="PNG", compress_level=1)
    return out.getvalue()


def spent_s(call: Callable[[Image.Image], bytes], image: Image.Image) -> float:
    """Return the processor time of a run."""
    start_s = time.thread_time()
    call(image)
    return time.thread_time() - start_s


@pytest.mark.parametrize("make", [form, wallpaper])
def test_screens_are_as_small_as_by_pillow_in_less_time(make: Callable[[], Image.Image]) -> None:
    image = make()
    assert len(encode_png(image)) < 1.3 * len(pillow_png(image))
    # In turns: whatever else the machine does slows both.
    turns = [(spent_s(encode_png, image), spent_s(pillow_png, image)) for _ in range(9)]
    assert sorted(ours for ours, _ in turns)[4] < sorted(theirs for _, theirs in turns)[4]
