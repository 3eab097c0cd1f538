"""Drawings on frames."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from harness.errors import ObservationError
from harness.protocols import Stroke
from harness.values.action import (
    Action,
    Button,
    Click,
    Drag,
    FocusWindow,
    GoBack,
    Hover,
    Launch,
    ListWindows,
    Look,
    Move,
    Navigate,
    PressKeys,
    ReadClipboard,
    Scroll,
    SelectOption,
    Target,
    TypeText,
    Wait,
    WriteClipboard,
)
from harness.values.geometry import FrameBox, FramePoint, Size
from harness.values.mark import Mark
from observers.overlays import Overlays, drawn_region
from observers.overlays.colours import ACTION

_SIZE = Size(width_px=400, height_px=300)
_X = st.integers(0, _SIZE.width_px - 1)
_Y = st.integers(0, _SIZE.height_px - 1)
_TARGETS = st.builds(Target, point=st.builds(FramePoint, x_px=_X, y_px=_Y))
_KEYS = st.sampled_from([(), ("Control",), ("Control", "Shift", "a")])
_ACTIONS = st.one_of(
    st.builds(
        Click, target=_TARGETS, button=st.sampled_from(["left", "right", "middle"]), count=st.integers(1, 4), keys=_KEYS
    ),
    st.builds(Move, target=_TARGETS),
    st.builds(Hover, target=_TARGETS),
    st.builds(Drag, path=st.lists(_TARGETS, min_size=1, max_size=5).map(tuple)),
    st.builds(Scroll, target=_TARGETS, dx=st.integers(-3, 3), dy=st.integers(-3, 3)),
    st.builds(TypeText, text=st.just("x"), target=st.one_of(st.none(), _TARGETS)),
    st.builds(PressKeys, keys=st.just(("Control", "a"))),
    st.builds(SelectOption, target=_TARGETS, value=st.just("x")),
    st.builds(Launch, app=st.sampled_from(["editor", "an-application-with-a-name-that-is-far-too-long"])),
    st.builds(FocusWindow, window=st.integers(0, 99)),
    st.builds(WriteClipboard, text=st.just("secret")),
)


def _write(text: str) -> Action:
    return WriteClipboard(text=text)


def _page(mode: str = "RGB", size: Size = _SIZE) -> Image.Image:
    """Return a busy image, so that nothing hides on a flat ground."""
    gradient = Image.linear_gradient("L").resize((size.width_px, size.height_px))
    image = Image.merge("RGB", (gradient, gradient.rotate(180), gradient.transpose(Image.Transpose.FLIP_LEFT_RIGHT)))
    ImageDraw.Draw(image).text((30, 30), "Some text on the page", fill=(0, 0, 0))
    return image.convert(mode)


def _encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format=kind, **options)
    return out.getvalue()


def _decoded(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    assert image.format == "PNG"
    return image


def _strokes(*actions: Action) -> list[Stroke]:
    return [Stroke(action=action, number=number) for number, action in enumerate(actions, start=1)]


def _target(x: int, y: int) -> Target:
    return Target(point=FramePoint(x_px=x, y_px=y))


def _changed(before: Image.Image, after: Image.Image) -> FrameBox | None:
    box = ImageChops.difference(before.convert("RGB"), after.convert("RGB")).getbbox()
    if box is None:
        return None
    return FrameBox(x_px=box[0], y_px=box[1], width_px=box[2] - box[0], height_px=box[3] - box[1])


def _masked(image: Image.Image, region: Sequence[FrameBox]) -> Image.Image:
    copy = image.convert("RGB")
    draw = ImageDraw.Draw(copy)
    for box in region:
        draw.rectangle((box.x_px, box.y_px, box.right_px - 1, box.bottom_px - 1), fill=(1, 2, 3))
    return copy


@pytest.mark.req("R-IMG-2")
@settings(max_examples=60, deadline=None)
@given(actions=st.lists(_ACTIONS, max_size=4))
def test_actions_change_only_their_region(actions: list[Action]) -> None:
    page = _page()
    strokes = _strokes(*actions)
    drawn = _decoded(Overlays().draw_actions(_encoded(page), strokes))
    region = drawn_region(strokes, _SIZE)
    assert drawn.size == page.size
    assert drawn.mode == page.mode
    assert _changed(_masked(page, region), _masked(drawn, region)) is None
    assert all(box.x_px >= 0 and box.right_px <= _SIZE.width_px for box in region)


@pytest.mark.req("R-IMG-2")
@settings(max_examples=40, deadline=None)
@given(x=st.integers(40, 359), y=st.integers(40, 259), button=st.sampled_from(["left", "right"]))
def test_the_marker_is_centred_on_the_executed_point(x: int, y: int, button: Button) -> None:
    blank = Image.new("RGB", (_SIZE.width_px, _SIZE.height_px), (250, 250, 250))
    action = Click(target=_target(x, y), button=button)
    drawn = _decoded(Overlays().draw_actions(_encoded(blank), _strokes(action))).convert("RGB")
    ring = drawn.crop((x - 14, y - 14, x + 15, y + 15))
    pixels = ring.tobytes()
    is_marker = bytes(255 * (tuple(pixels[at : at + 3]) == ACTION) for at in range(0, len(pixels), 3))
    only_ring = Image.frombytes("L", ring.size, is_marker)
    box = only_ring.getbbox()
    assert box is not None
    assert abs((box[0] + box[2] - 1) / 2 - 14) <= 1
    assert abs((box[1] + box[3] - 1) / 2 - 14) <= 1
    assert drawn.getpixel((x, y)) == ACTION


def test_kinds_of_click_are_told_apart() -> None:
    clicks = [
        Click(target=_target(200, 150)),
        Click(target=_target(200, 150), count=2),
        Click(target=_target(200, 150), button="right"),
        Hover(target=_target(200, 150)),
        Scroll(target=_target(200, 150), dy=3),
    ]
    drawings = {Overlays().draw_actions(_encoded(_page()), _strokes(click)) for click in clicks}
    assert len(drawings) == len(clicks)


@pytest.mark.parametrize(
    "action",
    [
        *(Look(), Wait(duration_s=1.0), GoBack(), Navigate(url="https://example.org")),
        *(ListWindows(), ReadClipboard()),
    ],
)
def test_actions_without_a_place_draw_nothing(action: Action) -> None:
    drawn = Overlays().draw_actions(_encoded(_page()), _strokes(action))
    assert _changed(_page(), _decoded(drawn)) is None
    assert drawn_region(_strokes(action), _SIZE) == ()


@pytest.mark.parametrize("action", [Launch(app="editor"), FocusWindow(window=3), WriteClipboard(text="x")])
def test_an_action_of_the_desktop_is_named_in_the_corner(action: Action) -> None:
    changed = _changed(_page(), _decoded(Overlays().draw_actions(_encoded(_page()), _strokes(action))))
    assert changed is not None
    assert changed.x_px < 20
    assert changed.y_px > _SIZE.height_px - 30


@pytest.mark.parametrize("act", [lambda text: TypeText(text=text, target=_target(90, 90)), _write])
def test_text_that_is_typed_or_copied_is_never_drawn(act: Callable[[str], Action]) -> None:
    drawings = {
        Overlays().draw_actions(_encoded(_page()), _strokes(act(text))) for text in ("hunter2", "something else")
    }
    assert len(drawings) == 1


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_the_mode_of_the_frame_is_kept(mode: str) -> None:
    data = _encoded(_page(mode))
    assert _decoded(Overlays().draw_actions(data, _strokes(Click(target=_target(9, 9))))).mode == mode
    assert _decoded(Overlays().draw_marks(data, [])).mode == mode


@pytest.mark.req("R-IMG-4")
@pytest.mark.parametrize("count", [1, 12, 200])
def test_marks_are_drawn_inside_the_image(count: int) -> None:
    marks = [
        Mark(
            id=number,
            box=FrameBox(x_px=number * 37 % 380, y_px=number * 53 % 290, width_px=20, height_px=10),
            click=FramePoint(x_px=number * 37 % 380 + 5, y_px=number * 53 % 290 + 5),
            role="button",
            name="",
        )
        for number in range(1, count + 1)
    ]
    drawn = _decoded(Overlays().draw_marks(_encoded(_page()), marks))
    assert drawn.size == (_SIZE.width_px, _SIZE.height_px)
    assert _changed(_page(), drawn) is not None


@pytest.mark.req("R-IMG-13")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no PNG, JPEG or WebP"),
        (b"GIF89a" + bytes(30), "no PNG, JPEG or WebP"),
        (_encoded(_page(), "BMP"), "no PNG, JPEG or WebP"),
        (_encoded(_page())[:400], "damaged"),
        (_encoded(Image.new("1", (9000, 9000))), "over 64 million pixels"),
        (_encoded(_page(), "WEBP", save_all=True, append_images=[Image.new("RGB", (400, 300))]), "2 frames"),
    ],
)
def test_bad_image_bytes_are_a_typed_error(data: bytes, said: str) -> None:
    with pytest.raises(ObservationError, match=said):
        Overlays().draw_marks(data, [])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_each_kind_of_frame_is_read(kind: str) -> None:
    assert _decoded(Overlays().draw_marks(_encoded(_page(), kind), [])).size == (400, 300)
