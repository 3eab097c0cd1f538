"""Whether there is a desktop that can be driven, and what to do where there is none.

Looks at variables and knocks at a socket; loads no driver, so it may run before any of them.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping
from typing import Final

_VIRTUAL: Final = "use `--desktop virtual`, which starts a screen of its own"
_X11_LOGIN: Final = "log in with an X11 session (often called Xorg at the login screen)"
_DISPLAY_NAME: Final = re.compile(r"(?P<host>[^:]*):(?P<number>\d+)(\.\d+)?")
_KNOCK_S: Final = 1.0
_MAC_PERMISSIONS: Final = (
    "macOS shows the screen and takes input only with permission: in System Settings, Privacy & Security, switch on "
    "Screen Recording and Accessibility for the program that runs Transom (your terminal), then start it again"
)
Knock = Callable[[str], bool]


def check_display(environment: Mapping[str, str], platform: str, *, knock: Knock | None = None) -> str | None:
    """Return why the desktop of an environment can't be driven and what to do, or None.

    None does not promise that it can: see `display_notices`.

    Args:
        environment: DISPLAY, WAYLAND_DISPLAY and XDG_SESSION_TYPE are looked at.
        platform: As in `sys.platform`.
        knock: Returns whether a server answers at a display's name; `server_answers` by default.
    """
    if platform in {"darwin", "win32"}:
        return None
    display = environment.get("DISPLAY", "")
    if not display:
        return _no_display(environment)
    if _DISPLAY_NAME.fullmatch(display) is None:
        return f"DISPLAY is {display!r}, which names no display; set it to one, for example :0, or {_VIRTUAL}"
    if not (knock or server_answers)(display):
        where = f"DISPLAY is {display!r}, but no X server answers there"
        if is_wayland(environment):
            return f"{where} and this is {session_name(environment)}: {_X11_LOGIN}, or {_VIRTUAL}"
        return f"{where}: set DISPLAY to the display of your session, or {_VIRTUAL}"
    return None


def _no_display(environment: Mapping[str, str]) -> str:
    if is_wayland(environment):
        return (
            f"this is {session_name(environment)} without an X server, and Wayland lets no program see the screen or "
            f"move the pointer: {_X11_LOGIN}, or {_VIRTUAL}"
        )
    return f"there is no display: DISPLAY is not set in {session_name(environment)}; {_VIRTUAL}, or set DISPLAY"


def display_notices(environment: Mapping[str, str], platform: str) -> tuple[str, ...]:
    """Return what may hinder a desktop that `check_display` found nothing wrong with; a sentence each."""
    if platform == "darwin":
        return (f"{_MAC_PERMISSIONS}; Transom can't tell whether they are granted",)
    if platform == "win32" or not is_wayland(environment):
        return ()
    return (
        f"this is {session_name(environment)}; if DISPLAY is its own X server (XWayland), captures are black and "
        f"input reaches X11 programs only: {_X11_LOGIN}, or {_VIRTUAL}",
    )


def explain_blank(environment: Mapping[str, str], platform: str) -> str:
    """Return what a black capture means in this session and what to do about it."""
    if platform == "darwin":
        return f"is the screen locked or off? {_MAC_PERMISSIONS}"
    if platform == "win32":
        return "the screen is locked or off, or asks for an administrator's consent: unlock it or answer, then go on"
    if is_wayland(environment):
        return (
            f"this is {session_name(environment)}, which shows X11 programs a black screen: {_X11_LOGIN}, or {_VIRTUAL}"
        )
    return (
        f"this is {session_name(environment)} at DISPLAY {environment.get('DISPLAY', '')!r}: unlock the screen, wake "
        f"it up, or start a program on it, since nothing may have been drawn yet; or {_VIRTUAL}"
    )


def is_wayland(environment: Mapping[str, str]) -> bool:
    """Return whether the session is a Wayland one."""
    kind = environment.get("XDG_SESSION_TYPE", "")
    return kind == "wayland" or (kind != "x11" and bool(environment.get("WAYLAND_DISPLAY")))


def session_name(environment: Mapping[str, str]) -> str:
    """Return the kind of the session in words, for example `a Wayland session (XDG_SESSION_TYPE='wayland')`."""
    kind = environment.get("XDG_SESSION_TYPE", "")
    if is_wayland(environment):
        sign = "XDG_SESSION_TYPE" if kind == "wayland" else "WAYLAND_DISPLAY"
        return f"a Wayland session ({sign}={environment[sign]!r})"
    if not kind:
        return "an X session" if environment.get("DISPLAY") else "a session without a screen"
    names = {"x11": "an X11 session", "tty": "a text session"}
    return f"{names.get(kind, 'a session of an unknown kind')} (XDG_SESSION_TYPE={kind!r})"


def server_answers(display: str) -> bool:
    """Return whether an X server listens at a display's name; True for one on another machine, which is not asked."""
    match = _DISPLAY_NAME.fullmatch(display)
    if match is None or match["host"] not in {"", "unix"}:
        return match is not None
    path = f"/tmp/.X11-unix/X{match['number']}"  # noqa: S108  # where every X server has its socket
    return any(_listens(address) for address in (path, f"\0{path}"))


def _listens(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as knocking:
        knocking.settimeout(_KNOCK_S)
        try:
            knocking.connect(address)
        except OSError:
            return False
    return True
