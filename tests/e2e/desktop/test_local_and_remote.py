"""A session on a remote device is the same session: the same images in the same requests, from the same calls."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from desktop_session import DesktopSession, wait_for

from harness.api import RunResult, run
from harness.session.recorded import RecordedSession, open_recorded
from harness.store.layout import SessionDirectory
from harness.values.event import OutcomeRecorded, RequestBuilt

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-IMG-6"), pytest.mark.req("R-IMG-7")]
TOKEN = "a-token-of-this-test-0123456789"
SCRIPT = """
- click: {at: [500, 400]}
- type_text: {text: "Grüße, 10 < 20"}
- note: {text: "the greeting is typed", kind: fact, reason: "for later"}
- press_keys: {keys: Control+a}
- look: {}
- drag: {from: [300, 300], to: [600, 320]}
- scroll: {at: [500, 400], dy: 2}
- list_windows: {}
- zoom: {box: [0, 0, 200, 100]}
- press_keys: {keys: Escape}
- finish: {success: true, answer: done}
"""


@contextmanager
def served(desktop: DesktopSession, folder: Path) -> Iterator[str]:
    """Serve a desktop and give its address."""
    output = folder / "serve.txt"
    with output.open("wb") as sink:
        server = subprocess.Popen(
            [str(Path(sys.executable).with_name("transom")), "device", "serve", "--port", "0"],
            env={**desktop.environment, "PATH": os.environ["PATH"], "TRANSOM_DEVICE_TOKEN": TOKEN},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        found = wait_for(lambda: re.search(r"http://127\.0\.0\.1:\d+", output.read_text()), "the server's address")
        yield found.group()
    finally:
        server.terminate()
        assert server.wait(10) in {0, 130, 143}, output.read_text()


def trace(result: RunResult) -> list[object]:
    """Return each step's images and where its frame came from, without what differs by time."""
    with open_recorded(SessionDirectory(Path(result.directory))) as session:
        return [*_requests(session), *_outcomes(session)]


def _requests(session: RecordedSession) -> list[object]:
    built = [(event.step, event.body) for event in session.events if isinstance(event.body, RequestBuilt)]
    return [
        (
            step,
            [(image.artifact, image.image_kind, image.width_px, image.height_px) for image in body.images],
            body.kept,
        )
        for step, body in built
    ]


def _outcomes(session: RecordedSession) -> list[object]:
    bodies = [(event.step, event.body) for event in session.events if isinstance(event.body, OutcomeRecorded)]
    return [
        (step, body.status, body.carrier, [(call.call_id, call.status) for call in body.calls], body.images)
        for step, body in bodies
    ]


async def run_script(folder: Path, *overrides: str, agent: str) -> RunResult:
    script = folder / "script.yaml"
    script.write_text(SCRIPT)
    return await run(
        agent, "Greet", model="scripted", script=script, overrides=overrides, artifacts=folder / "artifacts"
    )


async def test_local_and_remote_sessions_have_identical_window_traces(
    desktop: DesktopSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRANSOM_DEVICE_TOKEN", TOKEN)
    traces = []
    for place in ("local", "remote"):
        folder = tmp_path / place
        folder.mkdir()
        editor = desktop.start(["mousepad"], title="Mousepad")
        if place == "local":
            result = await run_script(folder, agent="desktop")
        else:
            with served(desktop, folder) as address:
                result = await run_script(folder, f"controller.address={address}", agent="desktop-remote")
        assert (result.status, result.success) == ("finished", True), result.reason
        traces.append(trace(result))
        desktop.blocking.end(editor)
        desktop.reset()
    local, remote = traces
    assert local == remote
    assert len(local) > 12
