"""`transom observe` on a real page."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from harness.cli.observe import Observed, observe_device
from harness.controllers.web import find_chromium
from harness.errors import ControllerError
from harness.protocols import ControllerSpec
from harness.values.geometry import Size

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium here: run `transom doctor --fix`"),
]
_HTML = (
    "<body style='margin: 0'><button style='position: absolute; left: 40px; top: 30px'>OK</button><a href='#x'>More</a>"
)


def _observe(url: str, out: Path, *, has_marks: bool = True) -> Observed:
    spec = ControllerSpec(kind="web", viewport=Size(width_px=300, height_px=200), device_scale=2.0)
    return asyncio.run(observe_device(url, out, spec, has_marks=has_marks))


@pytest.mark.req("R-CLI-1")
@pytest.mark.req("R-CLI-3")
def test_observe_writes_its_three_files(serve: Callable[[dict[str, Any]], str], tmp_path: Path) -> None:
    url = serve({"/": _HTML})
    observed = _observe(url, tmp_path / "look")
    assert sorted(path.name for path in (tmp_path / "look").iterdir()) == ["clean.png", "marks.json", "marks.png"]
    listed = json.loads((tmp_path / "look" / "marks.json").read_text(encoding="utf-8"))
    assert listed["schema"] == "transom/marks/1"
    assert listed["image"] == {"path": "clean.png", "width_px": 600, "height_px": 400, "device_scale": 2.0}
    assert [(mark["role"], mark["name"]) for mark in listed["marks"]] == [("button", "OK"), ("link", "More")]
    x, y, width, height = listed["marks"][0]["box"]
    assert abs(x - 80) <= 1
    assert abs(y - 60) <= 1
    assert x < listed["marks"][0]["click"][0] < x + width
    assert y < listed["marks"][0]["click"][1] < y + height
    clean = Image.open(io.BytesIO((tmp_path / "look" / "clean.png").read_bytes())).convert("RGB")
    marked = Image.open(io.BytesIO((tmp_path / "look" / "marks.png").read_bytes())).convert("RGB")
    assert clean.size == marked.size == (600, 400)
    assert ImageChops.difference(clean, marked).getbbox() is not None
    assert len(observed.observation.marks) == 2
    _observe(url, tmp_path / "look", has_marks=False)
    assert sorted(path.name for path in (tmp_path / "look").iterdir()) == ["clean.png", "marks.json"]


@pytest.mark.req("R-CLI-4")
def test_a_page_that_does_not_open_is_infrastructure(tmp_path: Path) -> None:
    with pytest.raises(ControllerError) as caught:
        _observe("http://127.0.0.1:9/", tmp_path / "look")
    assert caught.value.exit_code == 3
    assert not (tmp_path / "look").exists()
