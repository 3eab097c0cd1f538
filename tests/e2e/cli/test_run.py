"""`transom run` and what shows a session afterwards, with a real browser, as separate processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

TRANSOM = Path(sys.executable).with_name("transom")
FORM = """<title>Order</title><label>Name <input id="name"></label>
<button onclick="said.textContent = 'Thanks ' + document.getElementById('name').value">Send</button>
<p id="said"></p>"""
SCRIPT = """\
- type_text: {mark: {role: textbox, name: Name}, text: "${task.who}"}
- web_note: {text: "typed ${task.who}", kind: fact, reason: shown later}
- click: {mark: {role: button, name: Send}}
- finish: {success: true, answer: "42"}
"""
CAPTURES = "- captures: {who: 'name (\\w+)'}\n"
TASK = "Send the form for the name Ada."


def transom(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TRANSOM), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def ran(tmp_path: Path, serve: Callable[[dict[str, str]], str]) -> dict[str, object]:
    """Run the script once and return the last line."""
    url = serve({"/": FORM})
    script = tmp_path / "send.yaml"
    script.write_text(CAPTURES + SCRIPT)
    done = transom("run", "web-scripted", TASK, "--url", url, "--script", script, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "web_note" in done.stderr
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.req("R-CLI-3", "R-CLI-4", "R-CLI-5", "R-RUN-1")
def test_a_script_runs_and_every_command_shows_it(ran: dict[str, object], tmp_path: Path) -> None:
    assert list(ran) == [
        "schema",
        "session",
        "dir",
        "status",
        "reason",
        "answer",
        "success",
        "verified",
        "steps",
        "seconds",
        "tokens",
        "cost_usd",
    ]
    assert (ran["schema"], ran["status"], ran["success"], ran["verified"]) == ("transom/run/1", "finished", True, False)
    assert (ran["answer"], ran["steps"], ran["cost_usd"]) == ("42", 4, None)
    listed = json.loads(transom("sessions", "--json", cwd=tmp_path).stdout)
    assert [row["id"] for row in listed["sessions"]] == [ran["session"]]
    notes = json.loads(transom("notes", "last", "--json", cwd=tmp_path).stdout)
    assert [note["text"] for note in notes["notes"]] == ["typed Ada"]
    check_projection(json.loads(transom("show", "last", "--step", "4", "--projection", cwd=tmp_path).stdout))
    shown = transom("show", "last", cwd=tmp_path).stdout
    assert "type_text" in shown
    exported = transom("export", "last", "--out", "page", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "page" / "index.html").is_file()
    assert (tmp_path / "page" / "images" / "s0003-action.png").is_file()


def check_projection(projection: dict[str, object]) -> None:
    assert (projection["schema"], projection["step"], projection["mode"]) == ("transom/projection/1", 4, "off")
    images = projection["images"]
    assert isinstance(images, list)
    assert [image["kind"] for image in images] == ["action", "clean", "marks"]
    assert all(image["step"] == 3 for image in images)
    assert TASK in json.dumps(projection["messages"])
    assert "Thanks Ada" in json.dumps(projection["messages"])


@pytest.mark.req("R-CLI-4", "R-RUN-1")
def test_a_check_decides_and_a_failed_one_exits_with_1(tmp_path: Path, serve: Callable[[dict[str, str]], str]) -> None:
    url = serve({"/": FORM})
    (tmp_path / "s.yaml").write_text(CAPTURES + SCRIPT)
    done = transom(
        "run", "web-scripted", TASK, "--url", url, "--script", "s.yaml", "--check", "false", "--json", cwd=tmp_path
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, result["success"], result["verified"]) == (1, False, True)


@pytest.mark.req("R-CLI-4", "R-CTX-1")
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "demo", "x", "--set", "context_management.mode=enforce"), "context_management.mode is 'enforce'"),
        (("run", "demo", "x", "--set", "context_management.mode=shadow"), "context_management.mode is 'shadow'"),
        (("run", "nobody", "x"), "nobody"),
        (("run", "web-scripted", "x"), "--script"),
        (("run", "demo", " "), "task is empty"),
        (("run", "demo", "x", "--set", "prompt.screenshot_window_image=1"), "screenshot_window_images"),
        (("show", "last"), "no session"),
        (("eval", "no-such-suite"), "no-such-suite"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_to_do(arguments: tuple[str, ...], text: str, tmp_path: Path) -> None:
    done = transom(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert text in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "artifacts").exists()


@pytest.mark.req("R-CLI-4")
def test_a_page_that_does_not_answer_is_no_crash(tmp_path: Path) -> None:
    done = transom("run", "demo", "Press OK.", "--url", "http://127.0.0.1:9/", "--max-steps", "2", cwd=tmp_path)
    assert done.returncode in {1, 3}
    assert "Traceback" not in done.stderr


# A shell lets its background jobs ignore SIGINT, and their children inherit that; this undoes it.
HEEDING_INTERRUPTS = (
    sys.executable,
    "-c",
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])",
)


@pytest.mark.req("R-CLI-4", "R-ACT-6")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_is_recorded_as_interrupted(
    stop: signal.Signals, tmp_path: Path, serve: Callable[[dict[str, str]], str]
) -> None:
    run = [str(TRANSOM), "run", "idle", "Wait.", "--url", serve({"/": FORM}), "--max-steps", "40"]
    with subprocess.Popen([*HEEDING_INTERRUPTS, *run], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " wait " in line:
                break
        process.send_signal(stop)
        said = process.stderr.read()
        assert process.wait(timeout=60) == 130, said
    assert "Traceback" not in said
    listed = json.loads(transom("sessions", "--json", cwd=tmp_path).stdout)
    assert [row["status"] for row in listed["sessions"]] == ["interrupted"]
