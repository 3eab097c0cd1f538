"""`transom run` and `observe` on a real display, as separate processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from desktop_session import DesktopSession
from PIL import Image
from Xlib import XK, X
from Xlib.ext import xtest

pytestmark = [pytest.mark.desktop]
TRANSOM = Path(sys.executable).with_name("transom")
APPS = "desktop.apps={editor: [mousepad, --disable-server]}"
LETTER = """\
- captures: {who: 'to (\\w+)'}
- launch: {app: editor}
- list_windows: {}
- note: {text: "a letter to ${task.who}", kind: fact, reason: shown later}
- type_text: {text: "Dear ${task.who}"}
- press_keys: {keys: Control+a}
- press_keys: {keys: Control+c}
- read_clipboard: {}
- finish: {success: true, answer: written}
"""
# A shell lets its background jobs ignore SIGINT, and their children inherit that; this undoes it.
HEEDING_INTERRUPTS = (
    sys.executable,
    "-c",
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])",
)


def transom(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TRANSOM), *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@contextmanager
def idle_run(cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield a run on the display that waits, once it has taken its first step."""
    run = [str(TRANSOM), "run", "idle", "Wait.", "--desktop", "real", "--max-steps", "60"]
    with subprocess.Popen(
        [*HEEDING_INTERRUPTS, *run], cwd=cwd, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " wait " in line:
                break
        yield process


def ended(process: subprocess.Popen[str], cwd: Path) -> tuple[int, str]:
    """Return the exit code of a run and its status in the list of sessions."""
    assert process.stderr is not None
    said = process.stderr.read()
    code = process.wait(timeout=60)
    assert "Traceback" not in said
    (row,) = json.loads(transom("sessions", "--json", cwd=cwd).stdout)["sessions"]
    return code, row["status"]


@pytest.mark.req("R-CLI-1", "R-CLI-3", "R-ACT-0", "R-MEM-1", "R-IMG-4", "R-IMG-10")
def test_a_script_runs_on_a_display_with_its_recordings_beside(desktop: DesktopSession, tmp_path: Path) -> None:
    (tmp_path / "letter.yaml").write_text(LETTER)
    settings = ("--set", APPS, "--set", "observers=[atspi_marks, atspi_recording]")
    script = ("--script", "letter.yaml", "--desktop", "real", "--json")
    done = transom("run", "desktop-scripted", "Write to Ada.", *script, *settings, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "takes over the pointer and keyboard" in " ".join(done.stderr.split())
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["status"], result["answer"], result["steps"]) == ("finished", "written", 8)
    desktop.wait_for_no_window("Mousepad")
    notes = json.loads(transom("notes", "last", "--json", cwd=tmp_path).stdout)["notes"]
    assert [note["text"] for note in notes] == ["a letter to Ada"]
    shown = json.loads(transom("show", "last", "--json", cwd=tmp_path).stdout)
    texts = [step["results"][0]["text"] for step in shown["steps"]]
    assert "<<windows " in texts[1]
    assert "Mousepad" in texts[1]
    assert '"Dear Ada"' in texts[6]
    assert {image.split("-")[1] for step in shown["steps"] for image in step["images"]} == {"clean", "action"}
    out = tmp_path / "out"
    assert transom("export", "last", "--out", "out", cwd=tmp_path).returncode == 0
    recorded = sorted(path.name for path in (out / "recordings").iterdir())
    assert "s0000-accessibility.jsonl" in recorded
    assert len(recorded) >= 4
    tree = (out / "recordings" / recorded[-1]).read_text(encoding="utf-8")
    assert all(json.loads(line) for line in tree.splitlines())


@pytest.mark.req("R-CLI-1", "R-CLI-3")
def test_observe_looks_at_a_display(desktop: DesktopSession, tmp_path: Path) -> None:
    desktop.start(["zenity", "--entry", "--title=Question", "--text=Your name"])
    desktop.wait_for_window("Question")
    done = transom("observe", "--desktop", "--out", "look", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["url"], said["title"]) == (None, "Question")
    listed = json.loads((tmp_path / "look" / "marks.json").read_text(encoding="utf-8"))
    assert (listed["image"]["width_px"], listed["image"]["height_px"]) == (1280, 800)
    assert {"OK", "Cancel"} <= {mark["name"] for mark in listed["marks"]}
    for name in ("clean.png", "marks.png"):
        with Image.open(tmp_path / "look" / name) as image:
            assert image.size == (1280, 800)
    bare = transom("observe", "--desktop", "--no-marks", "--out", "look", cwd=tmp_path)
    assert bare.returncode == 0, bare.stderr
    assert sorted(path.name for path in (tmp_path / "look").iterdir()) == ["clean.png", "marks.json"]


@pytest.mark.req("R-CLI-1", "R-ACT-1")
def test_a_virtual_desktop_needs_no_display(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("- launch: {app: editor}\n- finish: {success: true, answer: ok}\n")
    hidden = dict.fromkeys(("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"), "")
    options = ("--script", "s.yaml", "--desktop", "virtual", "--set", APPS, "--set", "controller.viewport=[900, 700]")
    done = transom("run", "desktop-scripted", "Open it.", *options, cwd=tmp_path, **hidden)
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done.stderr
    assert "takes over" not in done.stderr, "nobody sits before it"
    request = transom("show", "last", "--step", "1", "--projection", cwd=tmp_path).stdout
    assert "900x700 px" in request


@pytest.mark.req("R-ACT-6", "R-CLI-4")
@pytest.mark.parametrize(
    ("stop", "send"),
    [(signal.SIGINT, os.kill), (signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)],
    ids=["interrupt", "Ctrl-C in a terminal", "terminate"],
)
def test_a_stopped_run_is_recorded_and_lets_go(
    desktop: DesktopSession, tmp_path: Path, stop: signal.Signals, send: Callable[[int, int], None]
) -> None:
    with idle_run(tmp_path) as process:
        send(process.pid, stop)
        assert ended(process, tmp_path) == (130, "interrupted")
    assert (desktop.held_keys(), desktop.held_buttons()) == ([], [])


@pytest.mark.req("R-ACT-6", "R-CLI-4", "R-RUN-2")
def test_the_stop_keys_end_a_run_as_interrupted(desktop: DesktopSession, tmp_path: Path) -> None:
    with idle_run(tmp_path) as process:
        codes = [desktop.display.keysym_to_keycode(XK.string_to_keysym(key)) for key in ("Control_L", "Alt_L", "q")]
        for kind, keys in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in keys:
                xtest.fake_input(desktop.display, kind, code)
        desktop.display.sync()
        assert ended(process, tmp_path) == (130, "interrupted")
    assert transom("export", "last", "--out", "out", cwd=tmp_path).returncode == 0
    assert "the stop keys were pressed" in (tmp_path / "out" / "events.jsonl").read_text(encoding="utf-8")
