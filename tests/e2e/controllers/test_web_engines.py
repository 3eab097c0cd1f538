from __future__ import annotations

import pytest

from harness.controllers.web import create
from harness.errors import ControllerError
from harness.protocols import ControllerSpec, DeviceStart
from harness.values.action import Click, DeviceCall, Target
from harness.values.geometry import FramePoint, Size

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.req("R-ACT-2")
@pytest.mark.parametrize("engine", ["firefox", "webkit"])
async def test_another_engine_clicks_and_shows_a_frame(serve, engine: str) -> None:
    url = serve({"/": "<body style='margin:0' onclick='document.title = event.clientX'>text"})
    controller = create(ControllerSpec(kind="web", browser=engine))
    try:
        sight = await controller.open(DeviceStart(url=url, max_sent=Size(width_px=1280, height_px=800)), ())
    except ControllerError as exc:
        if "Executable doesn't exist" not in str(exc):
            raise
        pytest.skip(f"{engine} is not installed: run `playwright install {engine}`")
    calls = [DeviceCall(call_id="c", action=Click(target=Target(point=FramePoint(x_px=30, y_px=9))))]
    outcome = await controller.perform(calls, action_id="a", decision_frame=sight.observation.frame, deadline_s=20)
    await controller.close()
    assert outcome.observation is not None
    assert outcome.observation.title == "30"
    assert outcome.capture is not None


async def test_an_unknown_engine_names_the_known_ones() -> None:
    with pytest.raises(ControllerError, match="'opera'; use 'chromium', 'firefox' or 'webkit'"):
        await create(ControllerSpec(kind="web", browser="opera")).open(
            DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800)), ()
        )


async def test_an_endpoint_nobody_answers_at_says_what_to_do() -> None:
    spec = ControllerSpec(kind="web", browser_endpoint="http://127.0.0.1:9")
    with pytest.raises(ControllerError, match="remote-debugging-port"):
        await create(spec).open(DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800)), ())


async def test_a_start_page_that_does_not_open_is_said() -> None:
    controller = create(ControllerSpec(kind="web"))
    with pytest.raises(ControllerError, match=r"start page 'http://127.0.0.1:9/' did not open"):
        await controller.open(DeviceStart(url="http://127.0.0.1:9/", max_sent=Size(width_px=1280, height_px=800)), ())
