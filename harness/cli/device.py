"""`transom device serve`: this machine's desktop for a session elsewhere."""

from __future__ import annotations

import asyncio
import re
import shlex
import socket
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from harness import plugins
from harness.cli.size import parse_size
from harness.config.schema import AGENT_NAME
from harness.controllers.remote.address import is_loopback
from harness.controllers.remote.wire import DEFAULT_PORT, IDLE_S, TOKEN_VARIABLE
from harness.errors import PluginError, UsageError
from harness.protocols import ControllerSpec, DesktopInput, Display

if TYPE_CHECKING:
    from harness.controllers.remote.serving import Served

device_app = typer.Typer(no_args_is_help=True, help="Serve this machine's desktop.", rich_markup_mode=None)
_MAX_SIDE_PX = 7680


@device_app.callback()
def _device() -> None:
    """Serve this machine's desktop to an agent that runs elsewhere."""


@device_app.command("serve")
def serve_command(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, metavar="N", help="Port to listen on; 0 for any.")
    ] = DEFAULT_PORT,
    desktop: Annotated[
        Display,
        typer.Option(
            "--desktop", metavar="real|virtual", help="The screen of this machine, or one without a monitor (Linux)."
        ),
    ] = "real",
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Size of a virtual desktop.")] = "1280x800",
    monitor: Annotated[
        int, typer.Option("--monitor", min=0, metavar="N", help="The monitor that is shown; 0 for all of them.")
    ] = 1,
    desktop_input: Annotated[
        DesktopInput, typer.Option("--input", metavar="auto|x11|pyautogui", help="How keys and clicks are sent.")
    ] = "auto",
    apps: Annotated[
        list[str] | None,
        typer.Option("--app", metavar="NAME=COMMAND", help="What the tool launch may start; no shell; repeatable."),
    ] = None,
    allowed_hosts: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A further name that clients use for it; repeatable."),
    ] = None,
) -> None:
    """Serve this machine's desktop to an agent that runs elsewhere, until Ctrl-C.

    Every request needs a token: TRANSOM_DEVICE_TOKEN where it is set, else a new one that is printed once.

    Example: transom device serve --desktop virtual --app "editor=mousepad --disable-server"
    """
    serving = _load_serving()
    spec = ControllerSpec(
        kind="desktop",
        viewport=parse_size(size, option="--size", unit="pixels", max_side_px=_MAX_SIDE_PX),
        monitor=monitor,
        display=desktop,
        apps=parse_apps(apps or ()),
        desktop_input=desktop_input,
    )
    plan = serving.ServingPlan(spec=spec, host=host, port=port, allowed_hosts=tuple(allowed_hosts or ()))
    asyncio.run(serving.serve(plan, lambda served: typer.echo(announcement(served))))
    typer.echo("Ended; every key and button is released.")


def _load_serving() -> ModuleType:
    """Return the module that serves.

    Raises:
        PluginError: the extra that it needs is not installed.
    """
    try:
        from harness.controllers.remote import serving  # noqa: PLC0415  # the command line starts without the extra
    except ImportError as exc:
        extra = plugins.extra_for(exc.name or "") or "remote"
        raise PluginError(f"serving a device needs {exc.name!r}; run: pip install 'transom[{extra}]'") from exc
    return serving


def parse_apps(items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the commands of `NAME=COMMAND` texts by name, split as a shell would without running one.

    Raises:
        UsageError: one is no such text, or a name comes twice.
    """
    apps: dict[str, tuple[str, ...]] = {}
    for item in items:
        name, _, command = item.partition("=")
        try:
            words = tuple(shlex.split(command))
        except ValueError as exc:
            raise UsageError(f"--app {item!r} has an open quote ({exc}); close it") from exc
        if not re.fullmatch(AGENT_NAME, name) or not words:
            raise UsageError(f"--app takes NAME=COMMAND, got {item!r}; write editor=mousepad")
        if name in apps:
            raise UsageError(f"--app names {name!r} twice; give each application a name of its own")
        apps[name] = words
    return apps


def announcement(served: Served) -> str:
    """Return what a person needs who wants to use the served desktop; a new token stands in it once."""
    spec, address = served.plan.spec, served.address
    what = "A virtual desktop" if spec.display == "virtual" else "This machine's own desktop"
    lines = [f"{what} is served at {address}", ""]
    if served.token.is_new:
        lines += ["Where the agent runs, set its token (it is shown only here, and is new at each start):"]
        lines += [f"  export {TOKEN_VARIABLE}={served.token.value}"]
    else:
        lines += [f"Where the agent runs, set {TOKEN_VARIABLE} to the value that it has here."]
    lines += ["", "In the agent's agents.yaml:"]
    lines += [f"  controller: {{kind: remote, address: 'http://127.0.0.1:{_port(served)}'}}"]
    lines += ["", *_how_to_reach(served)]
    if spec.display == "real":
        lines += ["", "Whoever has the token sees this screen and controls its mouse and keyboard."]
    lines += [
        "",
        f"Press Ctrl-C to end it. One session at a time; one that is silent for {IDLE_S:g} s can be replaced.",
    ]
    return "\n".join(lines)


def _port(served: Served) -> str:
    return served.address.rpartition(":")[2]


def _how_to_reach(served: Served) -> list[str]:
    port = _port(served)
    tunnel = f"  ssh -N -L {port}:127.0.0.1:{port} {socket.gethostname()}"
    if is_loopback(served.plan.host):
        return ["From another machine, open a tunnel first and leave it open:", tunnel]
    return [
        f"Warning: {served.plan.host} can be reached from other machines, and this server does not encrypt.",
        "Agents connect by plain http to 127.0.0.1 only: through a tunnel,",
        tunnel,
        "or through a proxy with TLS (then use its https address, and start with --allow-host NAME).",
    ]
