"""Arguments of `transom observe` and the shape of marks.json."""

from __future__ import annotations

import pytest

from harness.cli.observe import check_url, marks_document
from harness.errors import UsageError
from harness.values.frame import Capture, Frame
from harness.values.geometry import FrameBox, FramePoint, Transform
from harness.values.mark import Mark


@pytest.mark.parametrize("url", ["example.org", "javascript:alert(1)", "", "chrome://settings"])
def test_a_url_without_a_page_scheme_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="needs a scheme"):
        check_url(url)


@pytest.mark.req("R-CLI-3")
def test_marks_json_has_its_promised_shape() -> None:
    frame = Frame(
        sha256="0" * 64,
        media_type="image/png",
        width_px=20,
        height_px=10,
        device_scale=2.0,
        captured_at_s=0.0,
        source="runtime",
        transform=Transform(),
    )
    mark = Mark(
        id=1,
        box=FrameBox(x_px=1, y_px=2, width_px=3, height_px=4),
        click=FramePoint(x_px=2, y_px=3),
        role="button",
        name="OK",
        frame_path="0/1",
    )
    assert marks_document(Capture(frame=frame, image=b""), (mark,)) == {
        "schema": "transom/marks/1",
        "image": {"path": "clean.png", "width_px": 20, "height_px": 10, "device_scale": 2.0},
        "marks": [{"id": 1, "box": [1, 2, 3, 4], "click": [2, 3], "role": "button", "name": "OK", "frame_path": "0/1"}],
    }
