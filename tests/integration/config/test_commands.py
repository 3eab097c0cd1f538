from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from harness.cli.config import config_app
from harness.cli.init import init_command
from harness.config import load_config, resolve_agent
from harness.errors import ConfigError, UsageError

Write = Callable[..., Path]

OLD = """\
version: 1
# why
defaults:
  observation: {policy: x}
  prompt: {note_view_chars: 500} # five
agents:
  a: {model: idle}
"""
NEW = OLD.replace("  observation: {policy: x}\n", "")
init_app = typer.Typer()
init_app.command()(init_command)


def run(*arguments: str, app: typer.Typer = config_app) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.req("R-CLI-1")
@pytest.mark.parametrize("command", ["check", "show", "schema", "migrate"])
def test_every_command_helps_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: transom config {command}" in " ".join(result.output.split())


def test_check_says_what_holds_and_what_does_not(write: Write) -> None:
    assert run("check").output.startswith("shipped agents.yaml: ok, agents: demo, web-scripted, ")
    write("version: 1\nagents: {a: {model: idle}, b: {modle: idle}}\n")
    with pytest.raises(ConfigError, match="did you mean 'model'"):
        run("check")
    with pytest.raises(ConfigError):
        run("check", "--config", "agents.yaml")


@pytest.mark.req("R-CLI-1")
@pytest.mark.parametrize(
    ("text", "place"),
    [("agents: {a: {model: none}}", (2, "model")), ("x: [1", (3, "")), ("agents: {a: {b: 1}}", (2, "agents.a.b"))],
)
def test_check_as_json_lists_problems_and_exits_2(write: Write, text: str, place: tuple[int, str]) -> None:
    result = run("check", str(write(f"version: 1\n{text}\n")), "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 2
    assert (document["schema"], document["ok"], document["file"]) == (1, False, "agents.yaml")
    assert [(item["line"], item["path"]) for item in document["problems"]] == [place]


@pytest.mark.req("R-CFG-4")
def test_show_prints_every_value_with_its_origin(write: Write) -> None:
    write("version: 1\nagents:\n  a:\n    model: idle\n    limits: {steps: 5}\n")
    rows = {
        line.split()[0]: line.split()[1:]
        for line in run("show", "a", "--set", "limits.seconds=null").output.splitlines()
    }
    assert rows["limits.steps"] == ["5", "agents.yaml:5"]
    assert rows["limits.seconds"] == ["null", "--set"]
    assert rows["context_management.mode"] == ["off", "default"]
    assert rows["model.name"] == ["idle", "agents.yaml:4"]
    document = json.loads(run("show", "a", "--json", "--model", "random").output)
    assert document["values"]["model"]["name"] == "random"
    assert document["origins"]["model.name"] == "--model"


@pytest.mark.req("R-CFG-4")
def test_show_masks_secrets(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSOM_TEST_KEY", "hunter2")
    write("version: 1\nmodels: {m: {use: idle, model: '${env.TRANSOM_TEST_KEY}'}}\nagents: {a: {model: m}}\n")
    assert "***" in run("show", "a").output
    assert "hunter2" not in run("show", "a").output + run("show", "a", "--json").output


def test_schema_prints_json() -> None:
    assert json.loads(run("schema").output)["title"] == "Transom configuration"


@pytest.mark.req("R-CFG-2")
def test_migrate_deletes_prints_and_keeps_the_rest(write: Write) -> None:
    path = write(OLD)
    path.chmod(0o640)
    assert run("migrate", "--dry-run").output == "agents.yaml:4: would delete defaults.observation.policy\n"
    assert path.read_text() == OLD
    assert run("migrate").output == "agents.yaml:4: deleted defaults.observation.policy\n"
    assert path.read_text() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert run("migrate", "agents.yaml").output == "agents.yaml: nothing to delete\n"
    assert [item.name for item in Path().iterdir()] == ["agents.yaml"], "no draft is left"
    assert load_config().defaults.settings["prompt", "note_view_chars"].value == 500


def test_migrate_follows_a_link_and_keeps_line_ends(write: Write) -> None:
    real = write("", "real/agents.yaml")
    real.write_bytes(OLD.replace("\n", "\r\n").encode())
    Path("link.yaml").symlink_to(real)
    run("migrate", "link.yaml")
    assert Path("link.yaml").is_symlink()
    assert real.read_bytes() == NEW.replace("\n", "\r\n").encode()


def test_migrate_needs_a_readable_file(folder: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        run("migrate")
    Path("x.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        run("migrate", "x.yaml")


@pytest.mark.req("R-CLI-1")
def test_init_writes_a_file_that_passes_the_check(folder: Path) -> None:
    result = run(app=init_app)
    assert "wrote ./agents.yaml with the agent web" in result.output
    assert run("check").output == "agents.yaml: ok, agents: web\n"
    assert resolve_agent(load_config(), "web").model.use == "heuristic"
    assert "#" in Path("agents.yaml").read_text()


def test_init_overwrites_only_when_forced(write: Write) -> None:
    write("mine")
    with pytest.raises(UsageError, match="--force"):
        run(app=init_app)
    assert Path("agents.yaml").read_text() == "mine"
    run("--force", "--provider", "heuristic", app=init_app)
    assert run("check").exit_code == 0


def test_init_knows_its_providers(folder: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'heuristic'"):
        run("--provider", "heuristc", app=init_app)
    assert not Path("agents.yaml").exists()
