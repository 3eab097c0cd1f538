"""The API for programs, with a real browser."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.async_api import Page

from harness import api
from harness.errors import UsageError
from harness.session.recorded import open_recorded
from harness.store.blobs import BlobStore
from harness.store.layout import SessionDirectory
from harness.values.artifact import Artifact
from harness.values.event import ReplyReceived
from harness.values.transcript import Exchange

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Serve = Callable[[dict[str, str]], str]
PAGE = """<title>Two buttons</title><button style="position:absolute;left:300px;top:200px;width:90px;height:40px"
>Stay</button><p>Nothing happens here.</p>"""
SCRIPT = "- click: {mark: {role: button, name: Stay}}\n- finish: {success: true, answer: ok}\n"


async def test_run_returns_how_it_ended(tmp_path: Path, serve: Serve, page: Page) -> None:
    url = serve({"/": '<button onclick="document.title = 1">OK</button>'})
    script = tmp_path / "s.yaml"
    script.write_text("- click: {mark: {role: button, name: OK}}\n")
    result = await api.run("web-scripted", "Press OK.", url=url, page=page, script=script, artifacts=tmp_path)
    assert (result.status, result.success, result.steps) == ("finished", True, 2)
    assert await page.title() == "1"


@pytest.mark.req("R-API-1")
async def test_a_session_is_iterated_and_can_be_ended_from_outside(tmp_path: Path, serve: Serve, page: Page) -> None:
    url = serve({"/": PAGE})
    session = await api.Session.open("random", "Press anything.", url=url, page=page, artifacts=tmp_path, seed=3)
    async with session:
        async for step in session:
            if step.step == 3:
                await session.end(reason="the environment is done", success=True, is_verified=True)
    result = session.result
    assert (result.status, result.success, result.is_verified, result.steps) == ("finished", True, True, 3)


@pytest.mark.req("R-API-1", "R-CFG-4")
async def test_a_wrong_argument_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await api.Session.open("demo", "x", overrides=["context_management.mode=enforce"], artifacts=tmp_path)
    assert not list(tmp_path.iterdir())  # noqa: ASYNC240 - one look at an empty folder


@pytest.mark.req("R-MOD-5", "R-MOD-6")
async def test_a_recorded_session_replays_without_its_policy(tmp_path: Path, serve: Serve, page: Page) -> None:
    url = serve({"/": PAGE})
    _, _, _ = await click_once(tmp_path / "first", url, page)
    directory = next((tmp_path / "first").glob("2*"))
    with open_recorded(SessionDirectory(directory)) as recorded:
        replies = [event.body.reply for event in recorded.events if isinstance(event.body, ReplyReceived)]
        calls = [reply.message.calls for reply in replies]
    session = await api.Session.open(
        "replay", "Press Stay.", url=url, page=page, recording=replies, artifacts=tmp_path / "second"
    )
    async with session:
        async for _ in session:
            pass
    entries = [entry for entry in session.state.transcript.entries if isinstance(entry, Exchange)]
    assert [entry.message.calls for entry in entries] == calls
    assert session.result.success


@pytest.mark.req("R-MOD-6")
async def test_replay_without_a_recording_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="recording"):
        await api.Session.open("replay", "x", artifacts=tmp_path)


async def break_off(session: api.Session) -> None:
    async with session:
        async for _ in session:
            raise ZeroDivisionError


@pytest.mark.req("R-API-1")
async def test_an_error_inside_the_block_is_recorded_as_an_interruption(
    tmp_path: Path, serve: Serve, page: Page
) -> None:
    session = await api.Session.open("idle", "Wait.", url=serve({"/": PAGE}), page=page, artifacts=tmp_path)
    with pytest.raises(ZeroDivisionError):
        await break_off(session)
    assert session.result.status == "interrupted"


def write_script(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    script = folder / "s.yaml"
    script.write_text(SCRIPT)
    return script


async def click_once(tmp_path: Path, url: str, page: Page) -> tuple[list[Artifact], Exchange, BlobStore]:
    script = write_script(tmp_path)
    session = await api.Session.open(
        "web-scripted", "Press Stay.", url=url, page=page, script=script, artifacts=tmp_path
    )
    async with session:
        async for _ in session:
            pass
    entries = session.state.transcript.entries
    exchange = next(entry for entry in entries if isinstance(entry, Exchange))
    first = [image for entry in entries if entry.kind == "capture" for image in entry.images]
    return [*first, *exchange.images], exchange, BlobStore(session.directory / "blobs")


@pytest.mark.req("R-IMG-2", "R-IMG-8")
async def test_the_overlay_of_a_click_marks_the_decision_frame_and_nothing_else(
    tmp_path: Path, serve: Serve, page: Page
) -> None:
    images, exchange, blobs = await click_once(tmp_path, serve({"/": PAGE}), page)
    by_id = {image.id: image for image in images}
    action = by_id["s0001-action"]
    assert action.base == "s0000-clean"
    drawn = Image.open(io.BytesIO(blobs.get(action.blob))).convert("RGB")
    decision = Image.open(io.BytesIO(blobs.get(by_id["s0000-clean"].blob))).convert("RGB")
    box = ImageChops.difference(drawn, decision).getbbox()
    assert box is not None
    assert exchange.observation is not None
    # The button's centre, where the click went: 300 + 45, 200 + 20.
    assert abs((box[0] + box[2] - 1) / 2 - 345) <= 1
    assert box[1] < 220 < box[3]
    assert (box[2] - box[0], box[3] - box[1]) < (80, 80)


@pytest.mark.req("R-IMG-8")
async def test_four_artifacts_of_one_step_have_four_ids_even_when_the_click_changes_nothing(
    tmp_path: Path, serve: Serve, page: Page
) -> None:
    images, _, _ = await click_once(tmp_path, serve({"/": PAGE}), page)
    wanted = ["s0000-clean", "s0001-action", "s0001-clean", "s0001-marks"]
    by_id = {image.id: image for image in images}
    assert [name for name in wanted if name in by_id] == wanted
    kinds = [by_id[name].kind for name in wanted]
    assert kinds == ["clean", "action", "clean", "marks"]
    assert len({by_id[name].blob for name in wanted[1:]}) == 3
